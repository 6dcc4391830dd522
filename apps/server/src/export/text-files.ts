// CSV and JSON lines. Values have the text that the grid shows and copies have, whole and exact. Columns are addressed by
// index, since names may repeat.
import type { Field, RecordBatch } from 'apache-arrow'
import type { ExportTarget } from '@lake/core/api/export-contract.ts'
import { cellText, isNumeric, sqlTypeOf } from '@lake/core/values/cell-text.ts'
import { createCsvFieldWriter } from '@lake/core/values/csv-text.ts'
import { createJsonWriter } from '@lake/core/values/json-text.ts'
import { uniqueNames } from '@lake/core/values/unique-names.ts'
import type { ResultSource } from './result-source.ts'
import { createTextChunks } from './text-chunks.ts'

type LineOf = (batch: RecordBatch, row: number) => string

async function* linesOf(source: ResultSource, header: string, lineOf: LineOf): AsyncGenerator<Uint8Array> {
  const chunks = createTextChunks()
  chunks.add(header)
  for await (const { batch } of source.rows) {
    for (let row = 0; row < batch.numRows; row += 1) {
      const chunk = chunks.add(lineOf(batch, row))
      if (chunk) yield chunk
    }
  }
  const last = chunks.flush()
  if (last) yield last
}

/** Types whose text can be anything; of the others no text begins like a formula that could run. */
const FREE_TEXT = /^(?!DATE$|TIME|BOOLEAN$|UUID$|INTERVAL$|BLOB$)/

export function writeCsv(
  source: ResultSource,
  { options }: ExportTarget & { format: 'csv' },
): AsyncGenerator<Uint8Array> {
  const fieldText = createCsvFieldWriter(options)
  const columns = source.schema.fields.map((field: Field) => {
    const sqlType = sqlTypeOf(field)
    return { sqlType, isText: !isNumeric(field) && FREE_TEXT.test(sqlType) }
  })
  const names = source.schema.fields.map(({ name }: Field) => fieldText(name, true))
  const header = options.header ? `${names.join(options.delimiter)}\r\n` : ''
  return linesOf(source, header, (batch, row) => {
    let line = ''
    for (const [index, { sqlType, isText }] of columns.entries()) {
      const data = batch.data.children[index]
      if (index > 0) line += options.delimiter
      line += fieldText(data ? cellText(data, row, { sqlType }) : null, isText)
    }
    return `${line}\r\n`
  })
}

export function writeJsonLines(
  source: ResultSource,
  { options }: ExportTarget & { format: 'jsonl' },
): AsyncGenerator<Uint8Array> {
  const valueText = createJsonWriter(options)
  const { fields } = source.schema
  const keys = uniqueNames(fields.map(({ name }: Field) => name)).map((name) => JSON.stringify(name))
  const sqlTypes = fields.map(sqlTypeOf)
  return linesOf(source, '', (batch, row) => {
    const members = keys.map((key, index) => {
      const data = batch.data.children[index]
      return `${key}:${data ? valueText(data, row, sqlTypes[index] ?? '') : 'null'}`
    })
    return `{${members.join(',')}}\n`
  })
}
