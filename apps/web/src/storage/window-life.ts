// Which windows of the workbench are open: each holds a lock under its id for as long as it lives, however it ends.
const PREFIX = 'lake.window.'

export const windowId = crypto.randomUUID()

/** Announces this window. Where the browser has no locks, every window but this one counts as gone. */
export function holdWindow(): void {
  const forever = new Promise<never>(() => undefined)
  void navigator.locks?.request(PREFIX + windowId, () => forever).catch(() => undefined)
}

export async function openWindowIds(): Promise<ReadonlySet<string>> {
  const { held } = (await navigator.locks?.query()) ?? { held: [] }
  const ids = (held ?? []).flatMap(({ name }) =>
    name?.startsWith(PREFIX) === true ? [name.slice(PREFIX.length)] : [],
  )
  return new Set([windowId, ...ids])
}
