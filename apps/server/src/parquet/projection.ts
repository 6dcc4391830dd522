// Matches one column of the pinned schema to a column of a Parquet file, by field id at every level of nesting, and says
// how the excerpt holds it: renamed to the schema's names, with only the wanted fields, lists and maps in the one shape
// that the engine reads best. Levels are never changed, only named, so the file's pages stay valid as they are.
// Missing nested fields are left out and become NULL by the engine's cast; what that cannot do is said as SQL.
import type { IcebergType, ListType, MapType, PrimitiveType, StructType } from '@lake/core/iceberg/types.ts'
import type { Annotation } from './annotation.ts'
import { readableLeaf } from './column-types.ts'
import { listShape, mapShape } from './containers.ts'
import { hasDefault, missingFieldSql, quoteName, quoteText } from './default-sql.ts'
import type { FieldIds } from './field-ids.ts'
import type { Repetition, SchemaNode } from './parquet-metadata.ts'
import { parquetCorrupt, parquetUnsupported } from './thrift.ts'

/** A node of the excerpt's schema. */
export interface ProjectedNode {
  readonly name: string
  readonly repetition: Repetition
  readonly annotation: Annotation
  /** `index` is that of the leaf in the source file. */
  readonly leaf: SchemaNode['leaf']
  readonly children: readonly ProjectedNode[]
}

export interface Projection {
  readonly node: ProjectedNode
  /** Turns SQL for the column as the excerpt has it into SQL for its value; undefined where a cast does. */
  readonly compute: ((sql: string) => string) | undefined
}

export interface ProjectionContext {
  readonly ids: FieldIds
  /** Fields that the file may leave out because its partition has their value. Only top-level ones are filled so. */
  readonly identityFieldIds: ReadonlySet<number>
}

/**
 * @param name what the node is called in the excerpt
 * @param path of the table's column, for messages
 * @throws AppError TABLE_UNSUPPORTED, TABLE_CORRUPT
 */
export function project(
  type: IcebergType,
  node: SchemaNode,
  name: string,
  path: string,
  context: ProjectionContext,
): Projection {
  if (type.kind === 'struct') return projectStruct(type, node, name, path, context)
  if (type.kind === 'list') return projectList(type, node, name, path, context)
  if (type.kind === 'map') return projectMap(type, node, name, path, context)
  return projectLeaf(type, node, name)
}

function projectLeaf(type: PrimitiveType, node: SchemaNode, name: string): Projection {
  if (node.leaf === undefined) throw parquetUnsupported(`a Parquet group as ${type.kind}`)
  const { annotation, compute } = readableLeaf(type, node)
  return {
    node: { name, repetition: node.repetition, annotation, leaf: node.leaf, children: [] },
    compute,
  }
}

function projectStruct(
  type: StructType,
  node: SchemaNode,
  name: string,
  path: string,
  context: ProjectionContext,
): Projection {
  const isGroup = node.leaf === undefined && !['list', 'map'].includes(node.annotation.kind)
  if (!isGroup || node.annotation.kind === 'other') throw parquetUnsupported('a Parquet column as struct')
  if (context.ids.isPositional) throw parquetUnsupported('structs in files without field ids or name mapping')
  if (type.fields.length === 0) throw parquetUnsupported('a struct without fields')
  const names = new Set(type.fields.map((field) => field.name.toLowerCase()))
  if (names.size < type.fields.length) throw parquetUnsupported('fields of a struct that differ only in case')

  const children: ProjectedNode[] = []
  const computed: { name: string; value: (struct: string) => string }[] = []
  let mustCompute = false
  for (const field of type.fields) {
    const fieldPath = `${path}.${field.name}`
    const child = findChild(node, field.id, context)
    if (child !== undefined && field.type.kind !== 'unknown') {
      const projection = project(field.type, child, field.name, fieldPath, context)
      children.push(projection.node)
      if (projection.compute !== undefined) mustCompute = true
      const { compute = (sql: string) => sql } = projection
      computed.push({
        name: field.name,
        value: (struct) => compute(`struct_extract(${struct}, ${quoteText(field.name)})`),
      })
      continue
    }
    refuseGuess(context.ids, fieldPath)
    if (context.identityFieldIds.has(field.id)) throw parquetUnsupported('a nested partition column')
    const sql = missingFieldSql(field, fieldPath)
    if (hasDefault(field)) mustCompute = true
    computed.push({ name: field.name, value: () => sql })
  }
  if (children.length === 0) {
    // No field of the table is in the file, yet whether the struct is null is: any leaf of it tells.
    children.push(anchorOf(node))
    mustCompute = true
  }
  const compute = (sql: string): string => {
    const fields = computed.map(({ name, value }) => `${quoteName(name)} := ${value(sql)}`)
    return `CASE WHEN ${sql} IS NULL THEN NULL ELSE struct_pack(${fields.join(', ')}) END`
  }
  return {
    node: { name, repetition: node.repetition, annotation: { kind: 'none' }, leaf: undefined, children },
    compute: mustCompute ? compute : undefined,
  }
}

function projectList(
  type: ListType,
  node: SchemaNode,
  name: string,
  path: string,
  context: ProjectionContext,
): Projection {
  const shape = listShape(node)
  if (shape === undefined) throw parquetUnsupported('a Parquet column that is no list as list')
  // The repeated level becomes the list's own group, and what it held becomes its required element: the same levels.
  const source: SchemaNode = shape.isElementRepeated
    ? { ...shape.element, repetition: 'required' }
    : shape.element
  checkContainedId(shape.element === node ? undefined : context.ids.idOf(shape.element), type.elementId)
  const element = project(type.element, source, 'element', `${path}.element`, context)
  const repeated = group('list', 'repeated', [element.node])
  const { compute } = element
  const item = lambdaName(path)
  return {
    node: {
      ...group(name, node.repetition === 'repeated' ? 'required' : node.repetition, [repeated]),
      annotation: { kind: 'list' },
    },
    compute: compute && ((sql) => `list_transform(${sql}, lambda ${item}: ${compute(item)})`),
  }
}

function projectMap(
  type: MapType,
  node: SchemaNode,
  name: string,
  path: string,
  context: ProjectionContext,
): Projection {
  const shape = mapShape(node)
  if (shape === undefined) throw parquetUnsupported('a Parquet column that is no map as map')
  checkContainedId(context.ids.idOf(shape.key), type.keyId)
  checkContainedId(context.ids.idOf(shape.value), type.valueId)
  // Some writers mark keys optional; a null key has no reading, and the engine refuses it.
  const key = project(type.key, shape.key, 'key', `${path}.key`, context)
  const value = project(type.value, shape.value, 'value', `${path}.value`, context)
  const entries = group('key_value', 'repeated', [key.node, value.node])
  const mustCompute = key.compute !== undefined || value.compute !== undefined
  const { compute: keySql = (sql: string) => sql } = key
  const { compute: valueSql = (sql: string) => sql } = value
  const item = lambdaName(path)
  const entrySql = `struct_pack("key" := ${keySql(`${item}.key`)}, "value" := ${valueSql(`${item}.value`)})`
  return {
    node: { ...group(name, node.repetition, [entries]), annotation: { kind: 'map' } },
    compute: mustCompute
      ? (sql) => `map_from_entries(list_transform(map_entries(${sql}), lambda ${item}: ${entrySql}))`
      : undefined,
  }
}

/** Names of the schema prove which column is there, never that one is not. */
export function refuseGuess(ids: FieldIds, path: string): void {
  if (ids.isByName) {
    throw parquetUnsupported(
      `a name mapping with other field ids than the schema, and a file without ${path}`,
    )
  }
}

function findChild(node: SchemaNode, fieldId: number, context: ProjectionContext): SchemaNode | undefined {
  const found = node.children.filter((child) => context.ids.idOf(child) === fieldId)
  if (found.length > 1) throw parquetCorrupt('two columns have one field id')
  return found[0]
}

/** Elements, keys and values are found by their place; an id that says otherwise is not ours to interpret. */
function checkContainedId(given: number | undefined, expected: number): void {
  if (given !== undefined && given !== expected) {
    throw parquetUnsupported('a list or map of a file whose field ids are not those of the table')
  }
}

function anchorOf(node: SchemaNode): ProjectedNode {
  const child = node.children.find((candidate) => candidate.repetition !== 'repeated')
  if (child === undefined) throw parquetUnsupported('a struct of a file that has no field of the table')
  const name = 'anchor'
  if (child.leaf !== undefined) {
    return {
      name,
      repetition: child.repetition,
      annotation: { kind: 'none' },
      leaf: child.leaf,
      children: [],
    }
  }
  if (child.annotation.kind !== 'none') {
    throw parquetUnsupported('a struct of a file that has no field of the table')
  }
  return group(name, child.repetition, [anchorOf(child)])
}

function group(name: string, repetition: Repetition, children: readonly ProjectedNode[]): ProjectedNode {
  return { name, repetition, annotation: { kind: 'none' }, leaf: undefined, children }
}

/** Distinct at each depth, so that an inner lambda does not hide an outer one's parameter. */
function lambdaName(path: string): string {
  return `item${path.split('.').length}`
}
