// Which windows of the workbench are open, and which of them use a file of rows: by locks, which end with their window,
// however it ends.
const PREFIX = 'lake.window.'
const ROWS_PREFIX = 'lake.rows.'

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

/** Holds the rows of a file together with other windows, until the returned function is called. */
export async function holdRows(file: string): Promise<() => Promise<void>> {
  if (navigator.locks === undefined) return () => Promise.resolve()
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const ended = navigator.locks.request(ROWS_PREFIX + file, { mode: 'shared' }, () => {
    held.resolve()
    return released.promise
  })
  ended.catch((error: unknown) => held.reject(error))
  await held.promise
  return async () => {
    released.resolve()
    await ended
  }
}

/** Acts where no window holds the rows, and says whether that was so. */
export async function ifRowsFree(file: string, action: () => Promise<void>): Promise<boolean> {
  if (navigator.locks === undefined) {
    await action()
    return true
  }
  return await navigator.locks.request(ROWS_PREFIX + file, { ifAvailable: true }, async (lock) => {
    if (lock !== null) await action()
    return lock !== null
  })
}
