// A Puffin file with sketches of distinct values, written and made known to the table. Source: Puffin spec, "File structure"; table
// spec, "Table Statistics".
import { randomUUID } from 'node:crypto'
import { LAKE_BUCKET, toKey } from '../catalog/catalog.ts'
import { asLong, asObject, asObjects, asString, formatJson, parseJson } from '../catalog/json.ts'
import type { JsonObject } from '../catalog/json.ts'
import type { Lake, TableIdent } from './commit-snapshot.ts'
import type { ThetaSketch } from './theta-sketch.ts'

const MAGIC = Buffer.from('PFA1', 'latin1')
const BLOB_TYPE = 'apache-datasketches-theta-v1'

/** Sketches by field id, of what the current snapshot holds. */
export async function commitStatistics(
  { catalog, objects }: Lake,
  { namespace, name }: TableIdent,
  sketches: ReadonlyMap<number, ThetaSketch>,
  nowMs: number,
): Promise<void> {
  const { metadataText } = await catalog.loadTable(namespace, name)
  const metadata = asObject(parseJson(metadataText), 'metadata')
  const snapshotId = asLong(metadata['current-snapshot-id'], 'current-snapshot-id')
  const snapshot = asObjects(metadata['snapshots'], 'snapshots').find(
    (known) => asLong(known['snapshot-id'], 'snapshot-id') === snapshotId,
  )
  const blobMetadata = [...sketches].map(([fieldId, { estimate }]): JsonObject => ({
    type: BLOB_TYPE,
    'snapshot-id': snapshotId,
    'sequence-number': snapshot?.['sequence-number'],
    fields: [fieldId],
    properties: { ndv: String(estimate) },
  }))
  const file = puffinFile([...sketches.values()], blobMetadata)
  const path = `${asString(metadata['location'], 'location')}/metadata/${randomUUID()}.stats`
  await objects.write(LAKE_BUCKET, toKey(path), file.bytes, true)
  const statistics: JsonObject = {
    'snapshot-id': snapshotId,
    'statistics-path': path,
    'file-size-in-bytes': file.bytes.length,
    'file-footer-size-in-bytes': file.footerBytes,
    'blob-metadata': blobMetadata,
  }
  const requirements = [{ type: 'assert-table-uuid', uuid: metadata['table-uuid'] }]
  const updates = [{ action: 'set-statistics', 'snapshot-id': snapshotId, statistics }]
  await catalog.commitTable(namespace, name, { requirements, updates }, nowMs)
}

function puffinFile(
  sketches: readonly ThetaSketch[],
  blobMetadata: readonly JsonObject[],
): { bytes: Buffer; footerBytes: number } {
  let offset = MAGIC.length
  const blobs = sketches.map(({ bytes }, index): JsonObject => {
    const blob = { ...blobMetadata[index], offset, length: bytes.length }
    offset += bytes.length
    return blob
  })
  const payload = Buffer.from(formatJson({ blobs, properties: { 'created-by': 'local lake' } }))
  // Size of the payload, then four bytes of flags.
  const sizes = Buffer.alloc(8)
  sizes.writeInt32LE(payload.length)
  const footer = Buffer.concat([MAGIC, payload, sizes, MAGIC])
  return {
    bytes: Buffer.concat([MAGIC, ...sketches.map(({ bytes }) => bytes), footer]),
    footerBytes: footer.length,
  }
}
