// What a commit requires of the table it was prepared against. Source: REST OpenAPI, "TableRequirement". A requirement
// that does not hold is a 409 CommitFailedException, so that the client rebases and tries again; one that is unknown
// is a 400, since ignoring it could lose an update.
import { CatalogError } from './catalog-error.ts'
import { asInt, asLong, asObject, asString } from './json.ts'
import type { Json, JsonObject } from './json.ts'

/** Integer requirements: the name of the requirement, and the field of the metadata and of the requirement. */
const INTEGER_REQUIREMENTS: Readonly<Record<string, readonly [metadataField: string, field: string]>> = {
  'assert-last-assigned-field-id': ['last-column-id', 'last-assigned-field-id'],
  'assert-current-schema-id': ['current-schema-id', 'current-schema-id'],
  'assert-last-assigned-partition-id': ['last-partition-id', 'last-assigned-partition-id'],
  'assert-default-spec-id': ['default-spec-id', 'default-spec-id'],
  'assert-default-sort-order-id': ['default-sort-order-id', 'default-sort-order-id'],
}

/** True when one of the requirements is that the table does not exist yet. */
export function assertsCreate(requirements: readonly JsonObject[]): boolean {
  return requirements.some((requirement) => requirement['type'] === 'assert-create')
}

/**
 * Checks all requirements against the metadata of an existing table.
 * @throws CatalogError 409 CommitFailedException, 400 for an unknown requirement
 */
export function checkRequirements(metadata: JsonObject, requirements: readonly JsonObject[]): void {
  for (const requirement of requirements) checkRequirement(metadata, requirement)
}

function checkRequirement(metadata: JsonObject, requirement: JsonObject): void {
  const type = asString(requirement['type'], 'requirement type')
  const integer = INTEGER_REQUIREMENTS[type]
  if (integer !== undefined) {
    const [metadataField, field] = integer
    const required = asInt(requirement[field], `${type}.${field}`)
    const actual = metadata[metadataField]
    if (actual !== required) throw failed(type, String(required), describe(actual))
  } else if (type === 'assert-table-uuid') {
    const required = asString(requirement['uuid'], 'assert-table-uuid.uuid')
    if (metadata['table-uuid'] !== required) throw failed(type, required, describe(metadata['table-uuid']))
  } else if (type === 'assert-ref-snapshot-id') {
    checkRef(metadata, requirement)
  } else if (type === 'assert-create') {
    throw CatalogError.commitFailed('Requirement failed: table already exists')
  } else {
    throw CatalogError.badRequest(`Unknown requirement: ${type}`)
  }
}

function checkRef(metadata: JsonObject, requirement: JsonObject): void {
  const name = asString(requirement['ref'], 'assert-ref-snapshot-id.ref')
  const wanted = requirement['snapshot-id']
  const required =
    wanted === undefined || wanted === null ? undefined : asLong(wanted, 'assert-ref-snapshot-id.snapshot-id')
  const refs = asObject(metadata['refs'] ?? {}, 'refs')
  const ref = Object.hasOwn(refs, name) ? asObject(refs[name], 'ref') : undefined
  const actual = ref === undefined ? undefined : asLong(ref['snapshot-id'], 'ref.snapshot-id')
  if (actual !== required)
    throw failed(`assert-ref-snapshot-id (${name})`, String(required ?? 'none'), String(actual ?? 'none'))
}

function describe(value: Json | undefined): string {
  return typeof value === 'object' || value === undefined ? 'none' : String(value)
}

function failed(type: string, required: string, actual: string): CatalogError {
  return CatalogError.commitFailed(`Requirement failed: ${type}: required ${required}, is ${actual}`)
}
