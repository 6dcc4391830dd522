// Numbers of distinct values from the `statistics` of table metadata, which repeats them from the Puffin files that it names.
// Source: Iceberg table spec, "Table Statistics"; Puffin spec, "apache-datasketches-theta-v1". They are hints for people and
// planners and decide no answer, so what is not as it should be is passed over.
import * as z from 'zod'
import type { DistinctCount } from './table-metadata.ts'

const DISTINCT_SKETCH = 'apache-datasketches-theta-v1'

const id = z.union([z.number().int(), z.string().regex(/^-?\d{1,19}$/)]).transform(BigInt)
const sketch = z.object({
  type: z.literal(DISTINCT_SKETCH),
  'snapshot-id': id,
  fields: z.tuple([z.number().int()]),
  properties: z.object({ ndv: z.string().regex(/^\d{1,18}$/) }),
})
const statisticsFile = z.object({ 'blob-metadata': z.array(z.unknown()) })

/** @param json `statistics` as `parseLosslessJson` makes it; in its order, later ones later */
export function parseDistinctCounts(json: unknown): readonly DistinctCount[] {
  if (!Array.isArray(json)) return []
  return json.flatMap((item) => {
    const file = statisticsFile.safeParse(item)
    if (!file.success) return []
    return file.data['blob-metadata'].flatMap((blob): DistinctCount[] => {
      const read = sketch.safeParse(blob)
      if (!read.success) return []
      const { 'snapshot-id': snapshotId, fields, properties } = read.data
      return [{ snapshotId, fieldId: fields[0], count: BigInt(properties.ndv) }]
    })
  })
}
