// The memory that the rows of all results may take together. Each result bounds its own; here those that are not looked
// at give way to those that are, the ones looked at longest ago first. Rows that are nowhere else stay: then there is no
// room, and whoever reads more waits.
import { ALL_RESULTS_BYTES_HELD_MAX } from '../limits.ts'

/** Rows that can be had again. */
export interface GivableRows {
  /** As a count of looks of all results. */
  readonly lookedAt: number
  readonly byteCount: number
}

export interface RowHolder<Rows extends GivableRows = GivableRows> {
  readonly byteCount: number
  /** Whether some of its rows are in view. */
  readonly isShown: boolean
  /** Those that it could do without now. */
  givable: () => readonly Rows[]
  letGo: (rows: Rows) => void
}

export class ResultMemory {
  readonly #bytesMax: number
  readonly #holders = new Set<RowHolder>()
  #lookCount = 0

  constructor(bytesMax = ALL_RESULTS_BYTES_HELD_MAX) {
    this.#bytesMax = bytesMax
  }

  get byteCount(): number {
    return [...this.#holders].reduce((sum, { byteCount }) => sum + byteCount, 0)
  }

  get isOver(): boolean {
    return this.byteCount > this.#bytesMax
  }

  nextLook(): number {
    return (this.#lookCount += 1)
  }

  add<Rows extends GivableRows>(holder: RowHolder<Rows>): void {
    this.#holders.add(holder as unknown as RowHolder)
  }

  remove<Rows extends GivableRows>(holder: RowHolder<Rows>): void {
    this.#holders.delete(holder as unknown as RowHolder)
  }

  /** @param newest stays */
  makeRoom(newest: GivableRows | null = null): void {
    let over = this.byteCount - this.#bytesMax
    if (over <= 0) return
    const candidates = [...this.#holders]
      .flatMap((holder) => holder.givable().map((rows) => ({ holder, rows })))
      .filter(({ rows }) => rows !== newest)
      .sort(
        (a, b) => Number(a.holder.isShown) - Number(b.holder.isShown) || a.rows.lookedAt - b.rows.lookedAt,
      )
    for (const { holder, rows } of candidates) {
      if (over <= 0) return
      over -= rows.byteCount
      holder.letGo(rows)
    }
  }
}

export const resultMemory = new ResultMemory()
