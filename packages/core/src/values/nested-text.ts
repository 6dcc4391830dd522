// Text of lists, structs and maps around the text of what they hold: members and entries as in JSON. How a value, a NULL
// or a key is written is the caller's.
import { FIELD_TYPE_KEY } from '../api/wire-keys.ts'
import { Type, type Data, type Field, type FixedSizeList } from 'apache-arrow'

/** How the parts of a nested value are written. `sqlType` is the engine's spelling, empty where the field has none. */
export interface NestedForm {
  valueText(data: Data, index: number, sqlType: string): string
  keyText(data: Data, index: number, sqlType: string): string
}

const NESTED = new Set<Type>([Type.List, Type.LargeList, Type.FixedSizeList, Type.Struct, Type.Map])

export const isNested = (kind: Type): boolean => NESTED.has(kind)

const sqlTypeOf = (field: Field | undefined): string => field?.metadata.get(FIELD_TYPE_KEY) ?? ''

/** First (inclusive) and last (exclusive) item of a list or map. */
export function listBounds(data: Data, index: number): [start: number, end: number] {
  if (data.typeId === Type.FixedSizeList) {
    const size = (data.type as FixedSizeList).listSize
    return [index * size, (index + 1) * size]
  }
  return [Number(data.valueOffsets[index]), Number(data.valueOffsets[index + 1])]
}

/** Text of one list, struct or map that is not null. */
export function nestedText(data: Data, index: number, form: NestedForm): string {
  const { children: fields } = data.type as { children: Field[] }
  if (data.typeId === Type.Struct) {
    const members = data.children.map(
      (child, i) =>
        `${JSON.stringify(fields[i]?.name ?? '')}: ${form.valueText(child, index, sqlTypeOf(fields[i]))}`,
    )
    return `{${members.join(', ')}}`
  }
  const [start, end] = listBounds(data, index)
  const items = data.children[0]
  if (items === undefined) return data.typeId === Type.Map ? '{}' : '[]'
  const parts: string[] = []
  if (data.typeId !== Type.Map) {
    const sqlType = sqlTypeOf(fields[0])
    for (let i = start; i < end; i++) parts.push(form.valueText(items, i, sqlType))
    return `[${parts.join(', ')}]`
  }
  const [keys, values] = items.children
  const [keyField, valueField] = (items.type as { children: Field[] }).children
  if (keys === undefined || values === undefined) return '{}'
  for (let i = start; i < end; i++)
    parts.push(
      `${form.keyText(keys, i, sqlTypeOf(keyField))}: ${form.valueText(values, i, sqlTypeOf(valueField))}`,
    )
  return `{${parts.join(', ')}}`
}
