// An XLSX workbook: the rows in one sheet, the receipt in a second. Both are written as the rows arrive, into a ZIP whose
// directory comes last, so a file that was cut does not open.
import { Readable } from 'node:stream'
import type { Field } from 'apache-arrow'
import { ZipFile } from 'yazl'
import type { EmbeddedReceipt } from '@lake/core/flight/receipt.ts'
import { LIMITS } from '../limits.ts'
import { formatLimit } from './format-limit.ts'
import type { ResultSource } from './result-source.ts'
import { createTextChunks } from './text-chunks.ts'
import { columnLetters, createCellWriter, STYLE, textCell } from './xlsx-cells.ts'
import { SHEET_END, SHEET_START, workbookParts } from './xlsx-parts.ts'

/** A sheet is written once and read rarely: most of the gain for a part of the time. */
const COMPRESSION_LEVEL = 4

const rowXml = (rowNumber: number, cells: string): string => `<row r="${rowNumber}">${cells}</row>`

async function* resultSheet(source: ResultSource): AsyncGenerator<Uint8Array> {
  const { fields } = source.schema
  const letters = fields.map((_, index) => columnLetters(index))
  const cells = fields.map((field: Field) => createCellWriter(field))
  const chunks = createTextChunks()
  const header = fields.map(({ name }: Field, index) => textCell(`${letters[index]}1`, name, STYLE.header))
  chunks.add(SHEET_START + rowXml(1, header.join('')))
  let rowNumber = 1
  for await (const { batch } of source.rows) {
    for (let row = 0; row < batch.numRows; row += 1) {
      rowNumber += 1
      if (rowNumber > LIMITS.xlsxRowsMax) throw tooManyRows()
      let line = ''
      for (const [index, writeCell] of cells.entries()) {
        const data = batch.data.children[index]
        if (data) line += writeCell(data, row, `${letters[index]}${rowNumber}`)
      }
      const chunk = chunks.add(rowXml(rowNumber, line))
      if (chunk) yield chunk
    }
  }
  chunks.add(SHEET_END)
  const last = chunks.flush()
  if (last) yield last
}

const tooManyRows = (): Error =>
  formatLimit(
    'xlsx',
    'rows',
    `A sheet of an XLSX file holds ${LIMITS.xlsxRowsMax} rows, its header included, and the result has more. Choose CSV or Parquet`,
    LIMITS.xlsxRowsMax,
  )

/** Every fact in two columns; what is longer than a cell is in the next rows. */
function receiptSheet(receipt: EmbeddedReceipt): string {
  const rows: [string, string][] = [
    ['rows', String(receipt.rowCount)],
    ['engine', receipt.engine],
    ['statement', receipt.statementId],
    ...receipt.tables.flatMap((table): [string, string][] => [
      ['table', [...table.namespace, table.table].join('.')],
      ['snapshot id', table.snapshotId ?? 'none'],
      ['table uuid', table.tableUuid ?? 'none'],
    ]),
    ...pieces(receipt.sql).map((piece): [string, string] => ['SQL', piece]),
    ...pieces(JSON.stringify(receipt)).map((piece): [string, string] => ['receipt as JSON', piece]),
  ]
  const xml = [['fact', 'value'] as const, ...rows].map(([name, value], index) => {
    const style = index === 0 ? STYLE.header : STYLE.plain
    const number = index + 1
    return rowXml(number, textCell(`A${number}`, name, style) + textCell(`B${number}`, value, style))
  })
  return SHEET_START + xml.join('') + SHEET_END
}

/** As long as a cell may be; no character is cut in two. */
function pieces(text: string): string[] {
  const found: string[] = []
  for (let start = 0; start < text.length;) {
    const end = start + LIMITS.xlsxCellCharsMax
    const isCutInTwo = /[\ud800-\udbff]/.test(text.charAt(end - 1))
    found.push(text.slice(start, isCutInTwo ? end - 1 : end))
    start += found.at(-1)?.length ?? 1
  }
  return found
}

export async function* writeXlsx(source: ResultSource, issuedAtMs: number): AsyncGenerator<Uint8Array> {
  if (source.schema.fields.length > LIMITS.xlsxColumnsMax)
    throw formatLimit(
      'xlsx',
      'columns',
      `A sheet of an XLSX file holds ${LIMITS.xlsxColumnsMax} columns, and the result has ${source.schema.fields.length}. Choose CSV or Parquet`,
      LIMITS.xlsxColumnsMax,
    )
  const options = { mtime: new Date(issuedAtMs), compressionLevel: COMPRESSION_LEVEL }
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  const fail = (error: Error): void => {
    output.destroy(error)
  }
  zip.on('error', fail)
  for (const [path, xml] of workbookParts()) zip.addBuffer(Buffer.from(xml), path, { mtime: options.mtime })
  const rows = Readable.from(resultSheet(source), {
    objectMode: false,
    highWaterMark: LIMITS.exportChunkBytes,
  })
  // The library does not listen to what it reads from.
  zip.addReadStream(rows.on('error', fail), 'xl/worksheets/sheet1.xml', options)
  zip.addReadStreamLazy('xl/worksheets/sheet2.xml', options, (give) => {
    give(null, Readable.from([Buffer.from(receiptSheet(source.receipt()))]))
  })
  zip.end()
  yield* output as AsyncIterable<Uint8Array>
}
