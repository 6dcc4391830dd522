// The metadata updates that concern snapshots, refs and statistics. Source: table spec, "Snapshots", "Snapshot References",
// "Row Lineage" and "Table Statistics". Snapshot ids are 64-bit and compared as bigints.
import { CatalogError } from './catalog-error.ts'
import { asArray, asInt, asLong, asObject, asObjects, asString } from './json.ts'
import type { Json, JsonObject } from './json.ts'
import type { CommitContext } from './table-updates.ts'

const MAIN = 'main'

export function addSnapshot(metadata: JsonObject, update: JsonObject, context: CommitContext): void {
  const snapshot = asObject(update['snapshot'], 'snapshot')
  const id = asLong(snapshot['snapshot-id'], 'snapshot-id')
  asString(snapshot['manifest-list'], 'manifest-list')
  asObject(snapshot['summary'], 'snapshot.summary')
  const timestampMs = asInt(snapshot['timestamp-ms'], 'timestamp-ms')
  const snapshots = asObjects(metadata['snapshots'] ?? [], 'snapshots')
  if (snapshots.some((known) => asLong(known['snapshot-id'], 'snapshot-id') === id))
    throw CatalogError.badRequest(`Snapshot already exists: ${id}`)
  const sequence = snapshot['sequence-number']
  const last = asLong(metadata['last-sequence-number'] ?? 0, 'last-sequence-number')
  if (asLong(sequence, 'sequence-number') <= last)
    throw CatalogError.badRequest(`Sequence number must be above ${last}`)
  if (asInt(metadata['format-version'], 'format-version') >= 3) advanceRowIds(metadata, snapshot)
  metadata['snapshots'] = [...snapshots, snapshot]
  metadata['last-sequence-number'] = sequence ?? 0
  metadata['last-updated-ms'] = timestampMs
  context.addedSnapshotIds.add(id)
}

/** Row lineage of format v3: each snapshot takes the next row ids for the rows it adds. */
function advanceRowIds(metadata: JsonObject, snapshot: JsonObject): void {
  const next = asLong(metadata['next-row-id'] ?? 0, 'next-row-id')
  const first = asLong(snapshot['first-row-id'], 'first-row-id')
  if (first < next) throw CatalogError.badRequest(`first-row-id is behind next-row-id ${next}`)
  metadata['next-row-id'] = toJsonInteger(first + asLong(snapshot['added-rows'], 'added-rows'))
}

function toJsonInteger(value: bigint): Json {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

export function setSnapshotRef(metadata: JsonObject, update: JsonObject, context: CommitContext): void {
  const name = asString(update['ref-name'], 'ref-name')
  const kind = asString(update['type'], 'ref type')
  if (kind !== 'branch' && kind !== 'tag')
    throw CatalogError.badRequest(`A ref is a branch or a tag, not ${kind}`)
  const id = asLong(update['snapshot-id'], 'snapshot-id')
  const snapshot = asObjects(metadata['snapshots'] ?? [], 'snapshots').find(
    (known) => asLong(known['snapshot-id'], 'snapshot-id') === id,
  )
  if (snapshot === undefined) throw CatalogError.badRequest(`No such snapshot: ${id}`)
  const ref: JsonObject = { 'snapshot-id': snapshot['snapshot-id'], type: kind }
  for (const key of ['min-snapshots-to-keep', 'max-snapshot-age-ms', 'max-ref-age-ms'])
    if (update[key] !== undefined && update[key] !== null) ref[key] = update[key]
  metadata['refs'] = { ...asObject(metadata['refs'] ?? {}, 'refs'), [name]: ref }
  if (name !== MAIN) return
  if (kind !== 'branch') throw CatalogError.badRequest('main must be a branch')
  const hasMoved = asLong(metadata['current-snapshot-id'] ?? -1, 'current-snapshot-id') !== id
  metadata['current-snapshot-id'] = snapshot['snapshot-id']
  if (!hasMoved) return
  const timestampMs = context.addedSnapshotIds.has(id)
    ? asInt(snapshot['timestamp-ms'], 'timestamp-ms')
    : context.nowMs
  metadata['last-updated-ms'] = timestampMs
  metadata['snapshot-log'] = [
    ...asArray(metadata['snapshot-log'] ?? [], 'snapshot-log'),
    { 'timestamp-ms': timestampMs, 'snapshot-id': snapshot['snapshot-id'] },
  ]
}

export function removeSnapshots(metadata: JsonObject, update: JsonObject): void {
  const ids = asArray(update['snapshot-ids'], 'snapshot-ids').map((id) => asLong(id, 'snapshot-id'))
  const isRemoved = (item: JsonObject): boolean => ids.includes(asLong(item['snapshot-id'], 'snapshot-id'))
  const keep = (list: string): JsonObject[] =>
    asObjects(metadata[list] ?? [], list).filter((item) => !isRemoved(item))
  metadata['snapshots'] = keep('snapshots')
  metadata['statistics'] = keep('statistics')
  // What is before a removed entry goes too: a log with a gap would answer for the time of the gap, and wrongly.
  const log = asObjects(metadata['snapshot-log'] ?? [], 'snapshot-log')
  metadata['snapshot-log'] = log.slice(log.findLastIndex(isRemoved) + 1)
  for (const [name, ref] of Object.entries(asObject(metadata['refs'] ?? {}, 'refs')))
    if (isRemoved(asObject(ref, 'ref'))) removeRef(metadata, name)
}

export function removeSnapshotRef(metadata: JsonObject, update: JsonObject): void {
  removeRef(metadata, asString(update['ref-name'], 'ref-name'))
}

function removeRef(metadata: JsonObject, name: string): void {
  const refs = asObject(metadata['refs'] ?? {}, 'refs')
  metadata['refs'] = Object.fromEntries(Object.entries(refs).filter(([key]) => key !== name))
  if (name === MAIN) metadata['current-snapshot-id'] = -1
}

/** A snapshot has one statistics file: a new one takes the place of the one before. */
export function setStatistics(metadata: JsonObject, update: JsonObject): void {
  const statistics = asObject(update['statistics'], 'statistics')
  const id = asLong(statistics['snapshot-id'], 'statistics.snapshot-id')
  asString(statistics['statistics-path'], 'statistics-path')
  const snapshots = asObjects(metadata['snapshots'] ?? [], 'snapshots')
  if (!snapshots.some((known) => asLong(known['snapshot-id'], 'snapshot-id') === id))
    throw CatalogError.badRequest(`No such snapshot: ${id}`)
  metadata['statistics'] = [...statisticsOfOthers(metadata, id), statistics]
}

export function removeStatistics(metadata: JsonObject, update: JsonObject): void {
  metadata['statistics'] = statisticsOfOthers(metadata, asLong(update['snapshot-id'], 'snapshot-id'))
}

const statisticsOfOthers = (metadata: JsonObject, snapshotId: bigint): JsonObject[] =>
  asObjects(metadata['statistics'] ?? [], 'statistics').filter(
    (known) => asLong(known['snapshot-id'], 'snapshot-id') !== snapshotId,
  )
