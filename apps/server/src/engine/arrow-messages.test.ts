// Messages in a stream of rows, through the readers of Node and of the browser.
import { DuckDBInstance } from '@duckdb/node-api'
import * as nodeArrow from 'apache-arrow'
import { describe, expect, it } from 'vitest'
import { BATCH_METADATA_KEY } from '@lake/core/api/wire-keys.ts'
import type { BatchMessage } from '@lake/core/api/wire.ts'
import { createChunkEncoder } from './arrow-encoder.ts'
import { EMPTY_SCHEMA_MESSAGE, encodeMessageBatch, END_OF_STREAM } from './arrow-messages.ts'

const browserBuild = new URL('../../../../node_modules/apache-arrow/Arrow.dom.mjs', import.meta.url).href
const browserArrow = (await import(browserBuild)) as typeof nodeArrow
const connection = await (await DuckDBInstance.create(':memory:')).connect()
const message: BatchMessage = {
  kind: 'failure',
  error: { code: 'SQL_EXECUTION', message: 'é "quoted" 😀', requestId: 'r' },
}

async function encode(sql: string) {
  const result = await connection.stream(sql)
  const columns = result.columnNames().map((name, index) => ({ name, type: result.columnType(index) }))
  const encoder = createChunkEncoder(columns, { batchRowsMax: 100, batchBytesMax: 1_000_000 })
  const chunk = (await result.fetchChunk())!
  const batches = encoder.add(chunk, chunk.rowCount)
  const last = encoder.flush()
  return { schemaMessage: encoder.schemaMessage, batches: last ? [...batches, last] : batches }
}

describe.each([
  ['Node', nodeArrow],
  ['the browser', browserArrow],
])('in %s', (_name, arrow) => {
  it('a message stands between batches of rows, with zero rows of its own', async () => {
    const { schemaMessage, batches } = await encode(
      "SELECT range AS a, {'x': [range], 'm': MAP {'k': 'v'}} AS s, [1, 2]::INT[2] AS f, uuid() AS u, range::DECIMAL(9,2) AS d, now() AS t, true AS b FROM range(150)",
    )
    const stream = Buffer.concat([
      schemaMessage,
      batches[0]!.bytes,
      encodeMessageBatch(schemaMessage, message),
      batches[1]!.bytes,
      encodeMessageBatch(schemaMessage, message),
      END_OF_STREAM,
    ])
    const read = [...arrow.RecordBatchReader.from(stream)]
    expect(read.map(({ numRows }) => numRows)).toEqual([100, 0, 50, 0])
    expect(read.map(({ metadata }) => metadata.get(BATCH_METADATA_KEY) ?? null)).toEqual([
      null,
      JSON.stringify(message),
      null,
      JSON.stringify(message),
    ])
    expect(arrow.tableFromIPC(stream).numRows).toBe(150)
  })

  it('a stream can fail before its columns are known', () => {
    const stream = Buffer.concat([
      EMPTY_SCHEMA_MESSAGE,
      encodeMessageBatch(EMPTY_SCHEMA_MESSAGE, message),
      END_OF_STREAM,
    ])
    const [batch] = [...arrow.RecordBatchReader.from(stream)]
    expect(batch!.numCols).toBe(0)
    expect(batch!.metadata.get(BATCH_METADATA_KEY)).toBe(JSON.stringify(message))
  })
})
