// Values as JSON text, exact: every digit of a number is in the text, whatever a reader's own numbers hold. Floats that
// JSON has no number for are texts, as are dates, times, binary and UUIDs, in the words of cell-text.ts. Columns of the
// engine's type JSON go in as the JSON that they are. A map is an object by the text of its keys.
import { DataType, Type, type Data } from 'apache-arrow'
import { cellText } from './cell-text.ts'
import { isNested, nestedText, type NestedForm } from './nested-text.ts'

export interface JsonForm {
  /** Integers of 64 bits and more, and decimals: JSON numbers with all digits, or texts that no reader can round. */
  readonly largeNumbers: 'number' | 'text'
}

const LARGE_AS_TEXT_IN_ARROW = 'UHUGEINT'
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/

function isLarge(data: Data, sqlType: string): boolean {
  const { type } = data as { type: DataType }
  if (DataType.isInt(type)) return type.bitWidth > 32
  return data.typeId === Type.Decimal || sqlType === LARGE_AS_TEXT_IN_ARROW
}

/** A JSON text on one line; undefined for what is none after all. */
function embedded(text: string): string | undefined {
  try {
    JSON.parse(text)
    // Within JSON's strings a line break is always escaped, so these are space between tokens.
    return text.replaceAll(/[\r\n]+/g, ' ')
  } catch {
    return undefined
  }
}

function scalarText(data: Data, index: number, sqlType: string, { largeNumbers }: JsonForm): string {
  const text = cellText(data, index, { sqlType })
  if (text === null) return 'null'
  if (data.typeId === Type.Bool) return text
  if (sqlType === 'JSON') return embedded(text) ?? JSON.stringify(text)
  if (isLarge(data, sqlType)) return largeNumbers === 'number' ? text : JSON.stringify(text)
  const isNumber = data.typeId === Type.Int || (data.typeId === Type.Float && NUMBER.test(text))
  return isNumber ? text : JSON.stringify(text)
}

/** Writes the value of one row; NULL is `null`. */
export type JsonWriter = (data: Data, index: number, sqlType: string) => string

export function createJsonWriter(form: JsonForm): JsonWriter {
  const nested: NestedForm = {
    valueText: (data, index, sqlType) => write(data, index, sqlType),
    keyText: (data, index, sqlType) => JSON.stringify(cellText(data, index, { sqlType }) ?? 'null'),
  }
  const write: JsonWriter = (data, index, sqlType) => {
    if (!isNested(data.typeId)) return scalarText(data, index, sqlType, form)
    return data.getValid(index) ? nestedText(data, index, nested) : 'null'
  }
  return write
}
