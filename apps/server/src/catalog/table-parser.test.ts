import { afterEach, describe, expect, it } from 'vitest'
import { watchTurns } from '../../test/support/loop-turns.ts'
import { parseTable } from './parsed-table.ts'
import { createTableParser, type TableParser } from './table-parser.ts'

const NEVER = new AbortController().signal
const opened: TableParser[] = []
afterEach(async () => {
  for (const parser of opened.splice(0)) await parser[Symbol.asyncDispose]()
})
const create = (): TableParser => {
  const parser = createTableParser()
  opened.push(parser)
  return parser
}

const FIRST_ID = 7_505_300_640_432_048_000n

function tableText(snapshotCount: number, more = ''): string {
  const first = FIRST_ID
  const snapshots = Array.from(
    { length: snapshotCount },
    (_, index) =>
      `{"snapshot-id":${first + BigInt(index)},"sequence-number":${index + 1},"timestamp-ms":${1_700_000_000_000 + index},"manifest-list":"s3://b/t/metadata/snap-${index}.avro","summary":{"operation":"append","added-records":"1000","total-records":"${index * 1000}","total-data-files":"${index}"},"schema-id":0}`,
  )
  return `{"config":{"client.region":"r"},"metadata":{"format-version":2,"table-uuid":"u","location":"s3://b/t","last-sequence-number":1,"last-updated-ms":1,"last-column-id":1,"current-schema-id":0,"schemas":[{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"a","required":false,"type":"long"}]}],"default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[]}],"last-partition-id":999,"default-sort-order-id":0,"sort-orders":[{"order-id":0,"fields":[]}],"properties":{},"current-snapshot-id":${first},"snapshots":[${snapshots.join(',')}]${more}}}`
}

/** In a buffer of its own, which the parser may take. */
const bytesOf = (text: string): Uint8Array => new Uint8Array(new TextEncoder().encode(text))

describe('table parser', () => {
  it.each([1, 2_499, 2_501, 6_000])('gives the same for %i snapshots as parsing at once', async (count) => {
    const text = tableText(count)
    expect(await create().parseAnswer(bytesOf(text), NEVER)).toEqual(parseTable(bytesOf(text)))
  })

  it('answers several bodies, each its own', async () => {
    const parser = create()
    const counts = [3_000, 4_000, 5]
    const tables = await Promise.all(
      counts.map(async (count) => await parser.parseAnswer(bytesOf(tableText(count)), NEVER)),
    )
    expect(tables.map(({ metadata }) => metadata?.snapshots.length)).toEqual(counts)
  })

  it('passes failures on with their codes, and goes on working', async () => {
    const parser = create()
    const version = tableText(3_000).replace('"format-version":2', '"format-version":9')
    await expect(parser.parseAnswer(bytesOf(version), NEVER)).rejects.toMatchObject({
      code: 'TABLE_UNSUPPORTED',
    })
    await expect(parser.parseAnswer(bytesOf(tableText(3_000).slice(0, -3)), NEVER)).rejects.toMatchObject({
      code: 'CATALOG_UNAVAILABLE',
    })
    await expect(parser.parseAnswer(bytesOf(tableText(3_000)), NEVER)).resolves.toBeDefined()
  })

  it('lets go when its caller does', async () => {
    const caller = new AbortController()
    const parsing = create().parseAnswer(bytesOf(tableText(20_000)), caller.signal)
    caller.abort()
    await expect(parsing).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it.each([
    ['snapshots', tableText(30_000)],
    ['schemas', tableText(1, `,"schemas":[${manySchemas(600)}]`)],
    ['partition specs', tableText(1, `,"partition-specs":[${manySpecs(20_000)}]`)],
    ['refs', tableText(1, `,"refs":{"main":{"snapshot-id":${FIRST_ID},"type":"branch"}${manyTags(40_000)}}`)],
  ])('[RC19] leaves the event loop free while a table of many %s is parsed', async (_what, text) => {
    const parser = create()
    await parser.parseAnswer(bytesOf(tableText(3_000)), NEVER)
    const longestMs: number[] = []
    for (let time = 0; time < 3; time += 1) {
      const bytes = bytesOf(text)
      const endTurns = watchTurns()
      await parser.parseAnswer(bytes, NEVER)
      longestMs.push(endTurns())
    }
    // By this thread's own processor time, to which other processes add little; the least of three, since the collector of
    // garbage adds to any one. In one go each takes hundreds of ms.
    expect(Math.min(...longestMs)).toBeLessThan(50)
  })
})

/** Keys that come twice count as the later one, as in JSON.parse. */
function manySchemas(count: number): string {
  const fields = Array.from(
    { length: 200 },
    (_, index) => `{"id":${index + 1},"name":"column_${index}","required":false,"type":"long"}`,
  )
  return Array.from(
    { length: count },
    (_, id) => `{"type":"struct","schema-id":${id},"fields":[${fields.join(',')}]}`,
  ).join(',')
}
function manySpecs(count: number): string {
  const field = '{"source-id":1,"field-id":1000,"name":"p","transform":"identity"}'
  return Array.from({ length: count }, (_, id) => `{"spec-id":${id},"fields":[${field}]}`).join(',')
}
function manyTags(count: number): string {
  return Array.from(
    { length: count },
    (_, index) => `,"tag-${index}":{"snapshot-id":${FIRST_ID},"type":"tag"}`,
  ).join('')
}
