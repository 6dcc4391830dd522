// Where somebody stands in a result: what is scrolled to, the selected cell, the sort. In memory for the way back to a tab,
// in the database for the way back to the page; without storage it lasts as long as the page.
import * as z from 'zod'
import { PLACE_SAVE_DELAY_MS, PLACES_KEPT_MAX } from '../limits.ts'
import { workbenchDatabase } from './workbench-database.ts'

const count = z.number().int().nonnegative()
const cell = z.tuple([count, count])

const place = z.object({
  /** From the top of the first row, and the left of the first column, to what is in view; CSS pixels. */
  topPx: z.number().nonnegative(),
  leftPx: z.number().nonnegative(),
  /** The selected cell and the range around it, as they are shown. */
  selected: z
    .object({ cell, range: z.object({ x: count, y: count, width: count, height: count }) })
    .nullable(),
  sort: z.object({ column: count, isDescending: z.boolean() }).nullable(),
})
export type Place = z.infer<typeof place>

const PREFIX = 'place '
const storedPlace = place.extend({ id: z.string().startsWith(PREFIX), lookedAtMs: z.number() })
type StoredPlace = z.infer<typeof storedPlace>

const AT_TOP: Place = { topPx: 0, leftPx: 0, selected: null, sort: null }

const places = new Map<string, StoredPlace>()
const unsaved = new Set<string>()
let saveTimer: ReturnType<typeof setTimeout> | null = null

/** Of a run, also in a later page that takes it up. */
export const placeKey = (tabId: string, startOffset: number, startedAtMs: number): string =>
  PREFIX + JSON.stringify([tabId, startOffset, startedAtMs])

export const placeOf = (key: string): Place | undefined => places.get(key)

export const lookedAtMsOf = (key: string): number | undefined => places.get(key)?.lookedAtMs

async function save(): Promise<void> {
  if (saveTimer !== null) clearTimeout(saveTimer)
  saveTimer = null
  const put = [...unsaved].flatMap((key) => places.get(key) ?? [])
  unsaved.clear()
  if (put.length === 0) return
  try {
    const transaction = (await workbenchDatabase()).transaction('layout', 'readwrite')
    for (const record of put) transaction.store.put(record).catch(() => undefined)
    transaction.commit()
    await transaction.done
  } catch {
    // Why nothing can be kept is said once, for the tabs.
  }
}

/** Written shortly after, and at once when the page is hidden or left. */
export function keepPlace(key: string, change: Partial<Place>): void {
  places.set(key, { ...AT_TOP, ...places.get(key), ...change, id: key, lookedAtMs: Date.now() })
  unsaved.add(key)
  saveTimer ??= setTimeout(() => void save(), PLACE_SAVE_DELAY_MS)
}

/** Reads what earlier pages left, and forgets the places that were looked at longest ago. Once, at the start. */
export async function loadPlaces(): Promise<void> {
  try {
    const db = await workbenchDatabase()
    const found = (await db.getAll('layout', IDBKeyRange.bound(PREFIX, `${PREFIX}\uffff`))) as unknown[]
    const known = found
      .flatMap((value) => storedPlace.safeParse(value).data ?? [])
      .sort((a, b) => b.lookedAtMs - a.lookedAtMs)
    for (const one of known.slice(0, PLACES_KEPT_MAX)) places.set(one.id, one)
    for (const { id } of known.slice(PLACES_KEPT_MAX)) await db.delete('layout', id)
  } catch {
    // Then every result begins at its first row.
  }
}

addEventListener('pagehide', () => void save())
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void save()
})
