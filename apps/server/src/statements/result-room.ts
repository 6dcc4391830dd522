// The room that one principal's kept results have.
import { AppError } from '@lake/core/errors.ts'
import type { StatementStore } from './statement-store.ts'

/** What is left of it, in bytes; none or less where it is full. */
export async function roomBytesOf(
  owner: string,
  store: Pick<StatementStore, 'keptBytes'>,
  keptBytesMax: number,
): Promise<number> {
  return keptBytesMax - (await store.keptBytes(owner))
}

export function noRoom(keptBytesMax: number): AppError {
  const message = `Your kept results have the ${keptBytesMax} bytes that they may have, or would; they go by themselves after a while`
  return new AppError('RESULTS_FULL', message, { details: { bytesMax: keptBytesMax } })
}
