// Removes what is no longer wanted: statements that have expired with their results, and objects that no manifest names,
// which crashed, overtaken and cancelled attempts leave behind. Every server may run it; it is the same for all.
//
// A statement is removed from the store before its objects, so none ever points to a result that is half gone. Objects
// are listed before statements are looked up, so an object is never of a statement that was not there yet.
import { isEnded, type StatementRecord } from '@lake/core/statements/statement.ts'
import type { Clock } from '../concurrency/clock.ts'
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import { LIMITS } from '../limits.ts'
import type { ResultObjects } from '../storage/result-objects.ts'
import {
  attemptPrefix,
  manifestKey,
  partKey,
  statementIdOf,
  statementPrefix,
  type Attempt,
} from './result-keys.ts'
import type { StatementStore } from './statement-store.ts'

/** One round. @returns how many statements and objects were removed */
export async function removeUnwanted(
  { store, objects, clock }: { store: StatementStore; objects: ResultObjects; clock: Clock },
  signal: AbortSignal,
): Promise<{ statementCount: number; objectCount: number }> {
  const expired = await store.removeExpired(clock.nowMs(), LIMITS.statementsRemovedAtOnceMax)
  let objectCount = 0
  const remove = async (keys: readonly string[]): Promise<void> => {
    objectCount += await removeAll(objects, keys, signal)
  }
  for (const statementId of expired) {
    const keys: string[] = []
    for await (const { key } of objects.list(statementPrefix(statementId), signal)) keys.push(key)
    await remove(keys)
  }
  const oldest = clock.nowMs() - LIMITS.resultOrphanMs
  const suspects = new Map<string, string[]>()
  const removeOrphans = async (): Promise<void> => {
    const records = new Map(
      (await store.findAll([...suspects.keys()])).map((record) => [record.statementId, record]),
    )
    for (const [statementId, keys] of suspects)
      await remove(keys.filter((key) => isOrphan(key, records.get(statementId))))
    suspects.clear()
  }
  for await (const { key, modifiedAtMs } of objects.list('', signal)) {
    if (modifiedAtMs > oldest) continue
    const statementId = statementIdOf(key)
    suspects.set(statementId, [...(suspects.get(statementId) ?? []), key])
    if (suspects.size >= LIMITS.statementsRemovedAtOnceMax) await removeOrphans()
  }
  await removeOrphans()
  return { statementCount: expired.length, objectCount }
}

/**
 * What an attempt wrote that will have no result: nothing will ever name it.
 * @returns how many objects
 */
export async function removeAttempt(
  objects: ResultObjects,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<number> {
  const keys: string[] = []
  for await (const { key } of objects.list(attemptPrefix(attempt), signal)) keys.push(key)
  return await removeAll(objects, keys, signal)
}

/** Several at once: a bucket takes a while for each, and one result may have thousands. */
async function removeAll(
  objects: ResultObjects,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const remove = async (key: string, each: AbortSignal): Promise<void> => {
    await objects.remove(key, each)
  }
  return (await mapConcurrently(keys, LIMITS.objectsRemovedAtOnceMax, remove, signal)).length
}

/** Whether nothing will ever name the object. The attempt of a statement that has not ended may still. */
function isOrphan(key: string, record: StatementRecord | undefined): boolean {
  if (record === undefined) return true
  const { statementId, manifest } = record
  if (!isEnded(record.state)) return !key.startsWith(attemptPrefix(record))
  if (manifest === null) return true
  const attempt = { statementId, fencingToken: manifest.fencingToken }
  const match = /\/part-(\d{5})\.arrow$/.exec(key)
  const index = match ? Number(match[1]) : undefined
  const isNamed =
    key === manifestKey(attempt) ||
    (index !== undefined && index < manifest.partCount && key === partKey(attempt, index))
  return !isNamed
}
