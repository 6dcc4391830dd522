// The parts of a workbook around its sheets: two sheets by name, and the formats of cells.
import { STYLE, STYLED_SCALE_MAX } from './xlsx-cells.ts'

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const SHEETS = ['Result', 'Receipt'] as const
const FIRST_CUSTOM_FORMAT = 164

function relationships(items: readonly (readonly [type: string, target: string])[]): string {
  const parts = items.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  )
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${parts.join('')}</Relationships>`
}

function contentTypes(): string {
  const sheets = SHEETS.map(
    (_, index) =>
      `<Override PartName="/xl/worksheets/sheet${index + 1}.xml" ContentType="${TYPES}.worksheet+xml"/>`,
  )
  return `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/>${sheets.join('')}</Types>`
}

function workbook(): string {
  const sheets = SHEETS.map(
    (name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  )
  return `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${sheets.join('')}</sheets></workbook>`
}

/** Cell formats in the order of STYLE: plain, header, date, then decimals by their scale from 0. */
function styles(): string {
  const scales = Array.from({ length: STYLED_SCALE_MAX + 1 }, (_, scale) => scale)
  const custom = scales.map(
    (scale) =>
      `<numFmt numFmtId="${FIRST_CUSTOM_FORMAT + 1 + scale}" formatCode="0${scale > 0 ? `.${'0'.repeat(scale)}` : ''}"/>`,
  )
  const formats: string[] = []
  formats[STYLE.plain] = '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
  formats[STYLE.header] = '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>'
  formats[STYLE.date] =
    `<xf numFmtId="${FIRST_CUSTOM_FORMAT}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`
  for (const scale of scales)
    formats[STYLE.decimals + scale] =
      `<xf numFmtId="${FIRST_CUSTOM_FORMAT + 1 + scale}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`
  return `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="${custom.length + 1}"><numFmt numFmtId="${FIRST_CUSTOM_FORMAT}" formatCode="yyyy\\-mm\\-dd"/>${custom.join('')}</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="${formats.length}">${formats.join('')}</cellXfs></styleSheet>`
}

/** By path in the file; the sheets themselves are not among them. */
export const workbookParts = (): readonly (readonly [path: string, xml: string])[] => [
  ['[Content_Types].xml', contentTypes()],
  ['_rels/.rels', relationships([['officeDocument', 'xl/workbook.xml']])],
  ['xl/workbook.xml', workbook()],
  [
    'xl/_rels/workbook.xml.rels',
    relationships([
      ['worksheet', 'worksheets/sheet1.xml'],
      ['worksheet', 'worksheets/sheet2.xml'],
      ['styles', 'styles.xml'],
    ]),
  ],
  ['xl/styles.xml', styles()],
]

/** The first row stays in view. */
export const SHEET_START = `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`
export const SHEET_END = '</sheetData></worksheet>'
