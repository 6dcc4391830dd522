// The demo tables: made when absent, each through the same commits as any client's. A table that is being made carries a
// property that says so until its last commit; one that a crash left half made is dropped and made again. What a person
// has changed or made is left alone.
import { CatalogError } from '../catalog/catalog-error.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { asObject, asString, asStringMap, parseJson } from '../catalog/json.ts'
import type { JsonObject } from '../catalog/json.ts'
import type { Lake, TableIdent } from '../iceberg/commit-snapshot.ts'
import { ParquetWriter } from '../iceberg/parquet-writer.ts'
import type { ObjectFiles } from '../s3/object-files.ts'
import { demoTime, schemaJson } from './demo-table.ts'
import type { DemoContext, DemoTable } from './demo-table.ts'
import { episodesTable } from './episodes.ts'
import { maintenanceTable } from './maintenance.ts'
import { robotsTable } from './robots.ts'
import { runsTable } from './runs.ts'
import { telemetryTable } from './telemetry.ts'

export const DEMO_NAMESPACES = ['analytics', 'models'] as const

const TABLES: readonly DemoTable[] = [robotsTable, episodesTable, telemetryTable, maintenanceTable, runsTable]
const IN_PROGRESS = 'lake.demo-in-progress'

export async function createDemoTables(
  catalog: Catalog,
  objects: ObjectFiles,
  options: { readonly scale: number; readonly log: (message: string) => void },
): Promise<void> {
  for (const namespace of DEMO_NAMESPACES) createNamespace(catalog, namespace)
  let writer: ParquetWriter | undefined
  try {
    for (const table of TABLES) {
      if (await isMade(catalog, table.ident)) continue
      const startedMs = performance.now()
      writer ??= await ParquetWriter.open(objects)
      await createTable({ catalog, objects, writer, scale: options.scale }, table)
      const name = [...table.ident.namespace, table.ident.name].join('.')
      options.log(`demo: made ${name} in ${Math.round(performance.now() - startedMs)} ms`)
    }
  } finally {
    writer?.close()
  }
}

function createNamespace(catalog: Catalog, namespace: string): void {
  try {
    catalog.createNamespace([namespace], {})
  } catch (error) {
    if (!(error instanceof CatalogError && error.status === 409)) throw error
  }
}

/** False when the table is absent; a half made one is dropped first. */
async function isMade(catalog: Catalog, { namespace, name }: TableIdent): Promise<boolean> {
  if (!catalog.listTables(namespace).includes(name)) return false
  const { metadataText } = await catalog.loadTable(namespace, name)
  const metadata = asObject(parseJson(metadataText), 'metadata')
  if (asStringMap(metadata['properties'], 'properties')[IN_PROGRESS] === undefined) return true
  await catalog.dropTable(namespace, name, true)
  return false
}

async function createTable(
  context: Lake & Pick<DemoContext, 'writer' | 'scale'>,
  { ident, fields, identifierFieldIds = [], partitionBy, comment, createdMs, fill }: DemoTable,
): Promise<void> {
  const { catalog } = context
  const spec: JsonObject[] = []
  if (partitionBy !== undefined) {
    const { sourceId, name, transform = 'identity' } = partitionBy
    spec.push({ 'source-id': sourceId, transform, name })
  }
  const schema = schemaJson(fields, identifierFieldIds)
  const request: JsonObject = {
    schema,
    'partition-spec': { fields: spec },
    properties: { comment, [IN_PROGRESS]: 'true' },
  }
  const created = await catalog.createTable(ident.namespace, ident.name, request, demoTime(createdMs))
  const location = asString(asObject(parseJson(created.metadataText), 'metadata')['location'], 'location')
  await fill({ ...context, table: ident, location })
  const done: JsonObject = { action: 'remove-properties', removals: [IN_PROGRESS] }
  const { metadataText } = await catalog.loadTable(ident.namespace, ident.name)
  const last = Number(asObject(parseJson(metadataText), 'metadata')['last-updated-ms'])
  await catalog.commitTable(ident.namespace, ident.name, { requirements: [], updates: [done] }, last)
}
