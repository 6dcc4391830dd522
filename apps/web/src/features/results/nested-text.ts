// JSON-like text of lists, structs and maps with exact leaves. Numbers keep all digits, so it is for reading and
// copying, not for JSON.parse. Map keys that are not text stand unquoted before the colon.
import { Type, type Data, type FixedSizeList } from 'apache-arrow'
import type { TextOptions } from './cell-text.ts'

type LeafText = (data: Data, index: number, options: TextOptions) => string | null

const BARE = new Set<Type>([Type.Int, Type.Float, Type.Decimal, Type.Bool, Type.Null])

function valueText(data: Data, index: number, leafText: LeafText): string {
  const text = leafText(data, index, { sqlType: '' })
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
    const { children: fields } = data.type as { children: { name: string }[] }
    const members = data.children.map(
      (child, i) => `${JSON.stringify(fields[i]?.name ?? '')}: ${valueText(child, index, leafText)}`,
    )
    return `{${members.join(', ')}}`
  }
  const [start, end] = listBounds(data, index)
  const items = data.children[0]
  if (items === undefined) return data.typeId === Type.Map ? '{}' : '[]'
  const parts: string[] = []
  for (let i = start; i < end; i++) {
    if (data.typeId === Type.Map) {
      const [keys, values] = items.children
      if (keys === undefined || values === undefined) continue
      parts.push(`${valueText(keys, i, leafText)}: ${valueText(values, i, leafText)}`)
    } else {
      parts.push(valueText(items, i, leafText))
    }
  }
  return data.typeId === Type.Map ? `{${parts.join(', ')}}` : `[${parts.join(', ')}]`
}
