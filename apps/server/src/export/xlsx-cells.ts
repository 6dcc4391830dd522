// Cells of a spreadsheet as XML. A number goes in as a number only where a spreadsheet shows every digit of it; longer
// ones, NaN and infinities are text. Dates that the format has are dates; all other times are text, to the last digit.
// Text is never a formula. NULL is no cell and '' is an empty text. Source: ECMA-376 part 1, 18.3.1.4 and 22.9.2.19.
import { DataType, type Data, type Field } from 'apache-arrow'
import { cellText, isNumeric, sqlTypeOf } from '@lake/core/values/cell-text.ts'
import { LIMITS } from '../limits.ts'
import { formatLimit } from './format-limit.ts'

/** Indexes into the cell formats of xlsx-parts.ts; those of decimals follow by their scale. */
export const STYLE = { plain: 0, header: 1, date: 2, decimals: 3 } as const
/** Decimals of a number format, at most. */
export const STYLED_SCALE_MAX = 15

const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/
/** Days from 1970-01-01 to 1900-03-01, before which spreadsheets count a leap day that was none, and after 9999-12-31. */
const DATE_MIN_DAYS = -25_508
const DATE_MAX_DAYS = 2_932_896
const DAYS_BEFORE_1970 = 25_569

/** Characters that XML cannot hold or would change, and texts that look like their escapes. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const ESCAPED = /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g
const MARKUP = /[&<>]/g
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const escapeCode = (char: string): string =>
  `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`

const xmlText = (text: string): string =>
  text.replaceAll(ESCAPED, escapeCode).replaceAll(MARKUP, (char) => ENTITIES[char] ?? char)

/** `A` for 0, `AA` for 26. */
export function columnLetters(index: number): string {
  let letters = ''
  for (let rest = index + 1; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters
  return letters
}

/** @param place such as `A1` */
export function textCell(place: string, text: string, style: number = STYLE.plain): string {
  if (text.length > LIMITS.xlsxCellCharsMax)
    throw formatLimit(
      'xlsx',
      'characters',
      `Cell ${place} would have ${text.length} characters; a cell of an XLSX file holds ${LIMITS.xlsxCellCharsMax}. Choose CSV, JSON lines or Parquet`,
      LIMITS.xlsxCellCharsMax,
    )
  const styled = style === STYLE.plain ? '' : ` s="${style}"`
  return `<c r="${place}"${styled} t="inlineStr"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`
}

/** Whether a spreadsheet shows all digits of a number as they are written, zero's sign included. */
function showsWhole(text: string, isFloat: boolean): boolean {
  if (text === '-0') return false
  // A float is a double already: the shortest text of it reads back as the same.
  if (isFloat) return Number.isFinite(Number(text))
  if (!PLAIN_NUMBER.test(text)) return false
  return text.replace('-', '').replace('.', '').replace(/^0+/, '').length <= LIMITS.xlsxNumberDigitsMax
}

export type CellWriter = (data: Data, index: number, place: string) => string

export function createCellWriter(field: Field): CellWriter {
  const sqlType = sqlTypeOf(field)
  const type = field.type as DataType
  const isNumber = isNumeric(field)
  const isFloat = DataType.isFloat(type)
  const scale = DataType.isDecimal(type) ? type.scale : 0
  const style = scale > 0 && scale <= STYLED_SCALE_MAX ? ` s="${STYLE.decimals + scale}"` : ''
  const isDate = DataType.isDate(type)
  return (data, index, place) => {
    const text = cellText(data, index, { sqlType })
    if (text === null) return ''
    if (isDate) {
      const days = Number(data.values[index])
      return days >= DATE_MIN_DAYS && days <= DATE_MAX_DAYS
        ? `<c r="${place}" s="${STYLE.date}"><v>${days + DAYS_BEFORE_1970}</v></c>`
        : textCell(place, text)
    }
    if (DataType.isBool(type)) return `<c r="${place}" t="b"><v>${text === 'true' ? 1 : 0}</v></c>`
    if (isNumber && showsWhole(text, isFloat)) return `<c r="${place}"${style}><v>${text}</v></c>`
    return textCell(place, text)
  }
}
