// Schemas of the tables written here, in Iceberg's JSON form, and what the Parquet writer needs of them: field ids in
// DuckDB's notation, and the leaf columns by the path under which DuckDB reports their statistics.

export type TypeJson = string | StructJson | ListJson | MapJson

export interface StructJson {
  readonly type: 'struct'
  readonly fields: readonly FieldJson[]
}

export interface ListJson {
  readonly type: 'list'
  readonly 'element-id': number
  readonly element: TypeJson
  readonly 'element-required': boolean
}

export interface MapJson {
  readonly type: 'map'
  readonly 'key-id': number
  readonly key: TypeJson
  readonly 'value-id': number
  readonly value: TypeJson
  readonly 'value-required': boolean
}

export interface FieldJson {
  readonly id: number
  readonly name: string
  readonly required: boolean
  readonly type: TypeJson
  readonly doc?: string
}

export interface LeafColumn {
  readonly id: number
  readonly type: string
  /** Inside of a list or map, where bounds mean nothing. */
  readonly isRepeated: boolean
}

/** An optional field. */
export function field(id: number, name: string, type: TypeJson, doc?: string): FieldJson {
  return { id, name, required: false, type, ...(doc === undefined ? {} : { doc }) }
}

export function struct(...fields: FieldJson[]): StructJson {
  return { type: 'struct', fields }
}

export function listOf(elementId: number, element: TypeJson): ListJson {
  return { type: 'list', 'element-id': elementId, element, 'element-required': false }
}

export function mapOf(
  ids: readonly [keyId: number, valueId: number],
  key: TypeJson,
  value: TypeJson,
): MapJson {
  const [keyId, valueId] = ids
  return { type: 'map', 'key-id': keyId, key, 'value-id': valueId, value, 'value-required': false }
}

/** The FIELD_IDS option of DuckDB's COPY. */
export function fieldIdsOption(fields: readonly FieldJson[]): string {
  return `{${fields.map(({ name, id, type }) => `${quote(name)}: ${idsOf(id, type)}`).join(', ')}}`
}

function idsOf(id: number, type: TypeJson): string {
  if (typeof type === 'string') return String(id)
  const own = `__duckdb_field_id: ${id}`
  if (type.type === 'struct')
    return `{${[own, ...type.fields.map((child) => `${quote(child.name)}: ${idsOf(child.id, child.type)}`)].join(', ')}}`
  if (type.type === 'list') return `{${own}, element: ${idsOf(type['element-id'], type.element)}}`
  return `{${own}, key: ${idsOf(type['key-id'], type.key)}, value: ${idsOf(type['value-id'], type.value)}}`
}

/** Leaf columns by their quoted path, for example `"config"."layers"` or `"tags"."element"`. */
export function leafColumns(fields: readonly FieldJson[]): Map<string, LeafColumn> {
  const leaves = new Map<string, LeafColumn>()
  const visit = (path: string, id: number, type: TypeJson, isRepeated: boolean): void => {
    if (typeof type === 'string') leaves.set(path, { id, type, isRepeated })
    else if (type.type === 'struct')
      for (const child of type.fields) visit(`${path}.${quote(child.name)}`, child.id, child.type, isRepeated)
    else if (type.type === 'list') visit(`${path}."element"`, type['element-id'], type.element, true)
    else {
      visit(`${path}."key"`, type['key-id'], type.key, true)
      visit(`${path}."value"`, type['value-id'], type.value, true)
    }
  }
  for (const { name, id, type } of fields) visit(quote(name), id, type, false)
  return leaves
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
