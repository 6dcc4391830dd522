// Resolves colour tokens for what draws outside CSS: the grid's canvas and Monaco's themes.

let probe: HTMLElement | null = null

/** The colour that `--<token>` has now, as `#rrggbb`. */
export function hexOfToken(token: string): string {
  if (probe === null) {
    probe = document.createElement('span')
    probe.hidden = true
    // Where the system forces its colours, every text would have the one of text.
    probe.style.setProperty('forced-color-adjust', 'none')
    document.body.append(probe)
  }
  probe.style.color = `var(--${token})`
  const channels = getComputedStyle(probe).color.match(/\d+/g) ?? ['0', '0', '0']
  return `#${channels
    .slice(0, 3)
    .map((channel) => Number(channel).toString(16).padStart(2, '0'))
    .join('')}`
}
