// JSON-like text of lists, structs and maps with exact leaves. Numbers keep all digits, so it is for reading and
// copying, not for JSON.parse. Map keys that are not text stand unquoted before the colon.
import { Type, type Data, type Field, type FixedSizeList } from 'apache-arrow'
import { FIELD_TYPE_KEY } from '@lake/core/api/wire.ts'
import type { TextOptions } from './cell-text.ts'

type LeafText = (data: Data, index: number, options: TextOptions) => string | null

const BARE = new Set<Type>([Type.Int, Type.Float, Type.Decimal, Type.Bool, Type.Null])

function valueText(data: Data, index: number, field: Field | undefined, leafText: LeafText): string {
  const sqlType = field?.metadata.get(FIELD_TYPE_KEY) ?? ''
  const text = leafText(data, index, { sqlType })
  if (text === null) return 'null'
  const type = data.type as { typeId: Type; dictionary?: { typeId: Type } }
  const kind = type.typeId === Type.Dictionary ? (type.dictionary?.typeId ?? Type.Utf8) : type.typeId
  return BARE.has(kind) || isNested(kind) ? text : JSON.stringify(text)
}

function isNested(kind: Type): boolean {
  return (
    kind === Type.List ||
    kind === Type.LargeList ||
    kind === Type.FixedSizeList ||
    kind === Type.Struct ||
    kind === Type.Map
  )
}

function listBounds(data: Data, index: number): [start: number, end: number] {
  if (data.typeId === Type.FixedSizeList) {
    const size = (data.type as FixedSizeList).listSize
    return [index * size, (index + 1) * size]
  }
  return [Number(data.valueOffsets[index]), Number(data.valueOffsets[index + 1])]
}

/** Text of one list, struct or map that is not null. */
export function nestedText(data: Data, index: number, leafText: LeafText): string {
  if (data.typeId === Type.Struct) {
    const { children: fields } = data.type as { children: Field[] }
    const members = data.children.map(
      (child, i) =>
        `${JSON.stringify(fields[i]?.name ?? '')}: ${valueText(child, index, fields[i], leafText)}`,
    )
    return `{${members.join(', ')}}`
  }
  const [start, end] = listBounds(data, index)
  const items = data.children[0]
  if (items === undefined) return data.typeId === Type.Map ? '{}' : '[]'
  const [itemField] = (data.type as { children: Field[] }).children
  const parts: string[] = []
  for (let i = start; i < end; i++) {
    if (data.typeId === Type.Map) {
      const [keys, values] = items.children
      if (keys === undefined || values === undefined) continue
      const [keyField, valueField] = (items.type as { children: Field[] }).children
      const key = valueText(keys, i, keyField, leafText)
      parts.push(`${key}: ${valueText(values, i, valueField, leafText)}`)
    } else {
      parts.push(valueText(items, i, itemField, leafText))
    }
  }
  return data.typeId === Type.Map ? `{${parts.join(', ')}}` : `[${parts.join(', ')}]`
}
