// Tables of a folder of third-party test tables, read-only: one namespace for each repository folder, one table for each
// folder with metadata. Their metadata is handed out as it is, although its paths lead elsewhere; the property
// `lake.path-map` says which prefix of those paths is which S3 prefix here. The longest prefix wins and what follows is
// appended as it is.
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { LoadedTable } from './catalog.ts'
import { CatalogError } from './catalog-error.ts'
import { asObject, asString, formatJson, parseJson } from './json.ts'

export const CORPUS_BUCKET = 'corpus'
const OUTSIDE_SUFFIX = ' (outside table dir)'

/** Data that lies outside of its table's folder and has been put into a folder of its own. */
const DATA_ELSEWHERE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'duckdb-iceberg/column_mapping__my_table': {
    'data/persistent/column_mapping/warehouse/example/': 'duckdb-iceberg/column_mapping_data/',
  },
}

interface CorpusTable {
  /** Path of the metadata file within the table's folder. */
  readonly metadata: string
  /** Prefix in the metadata to folder, both with a slash at the end. */
  readonly prefixes: ReadonlyMap<string, string>
}

export class CorpusCatalog {
  readonly #root: string
  /** By repository, then by table name, both sorted. */
  readonly #tables: ReadonlyMap<string, ReadonlyMap<string, CorpusTable>>

  private constructor(root: string, tables: ReadonlyMap<string, ReadonlyMap<string, CorpusTable>>) {
    this.#root = root
    this.#tables = tables
  }

  /** Reads what the corpus says of its tables, not the tables themselves. */
  static async open(root: string): Promise<CorpusCatalog> {
    const counts = asObject(
      parseJson(await readFile(join(root, '_computed/counts.json'), 'utf8')),
      'counts.json',
    )
    const tables = new Map<string, Map<string, CorpusTable>>()
    const add = (path: string, table: CorpusTable): void => {
      const [repository = '', name = ''] = path.split('/')
      const known = tables.get(repository) ?? new Map<string, CorpusTable>()
      tables.set(repository, known.set(name, table))
    }
    for (const [path, value] of Object.entries(counts)) {
      const entry = asObject(value, path)
      const metadata = asString(entry['metadata'], `${path}.metadata`)
      const prefixes = Object.keys(asObject(entry['prefixes'] ?? {}, `${path}.prefixes`))
      add(path, { metadata, prefixes: prefixMap(path, prefixes) })
    }
    for (const path of await foldersWithoutCounts(root, counts)) {
      const metadata = await hintedMetadata(join(root, path))
      if (metadata !== undefined) add(path, { metadata, prefixes: prefixMap(path, []) })
    }
    const sorted = [...tables].sort(byName).map(([repository, known]) => {
      return [repository, new Map([...known].sort(byName))] as const
    })
    return new CorpusCatalog(root, new Map(sorted))
  }

  namespaces(): string[] {
    return [...this.#tables.keys()]
  }

  has(namespace: readonly string[]): boolean {
    return namespace.length === 1 && this.#tables.has(namespace[0] ?? '')
  }

  listTables(namespace: readonly string[]): string[] {
    return [...(this.#tables.get(namespace[0] ?? '')?.keys() ?? [])]
  }

  /** @throws CatalogError 404 NoSuchTableException */
  async loadTable(namespace: readonly string[], name: string): Promise<LoadedTable> {
    const repository = namespace[0] ?? ''
    const table = this.#tables.get(repository)?.get(name)
    if (table === undefined) throw CatalogError.noSuchTable(namespace, name)
    const path = `${repository}/${name}`
    const bytes = await readFile(join(this.#root, path, table.metadata))
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
    const metadataText = (isGzip ? gunzipSync(bytes) : bytes).toString('utf8')
    const own = `${toUri(path)}/`
    const mapped: Record<string, string> = Object.fromEntries(
      [...table.prefixes].map(([prefix, folder]) => [prefix, toUri(folder)]),
    )
    const location = locationOf(metadataText)
    if (location !== undefined) mapped[`${location}/`] ??= own
    return {
      metadataLocation: `${own}${table.metadata}`,
      metadataText,
      storagePrefixes: [...new Set([own, ...Object.values(mapped)])],
      isWritable: false,
      config: { 'lake.path-map': formatJson(mapped) },
    }
  }
}

function prefixMap(path: string, prefixes: readonly string[]): Map<string, string> {
  const [repository = ''] = path.split('/')
  const map = new Map(Object.entries(DATA_ELSEWHERE[path] ?? {}))
  for (const prefix of prefixes) {
    if (prefix.endsWith(OUTSIDE_SUFFIX)) map.set(prefix.slice(0, -OUTSIDE_SUFFIX.length), `${repository}/`)
    else map.set(prefix, `${path}/`)
  }
  return map
}

/** Table folders that the counts do not list. */
async function foldersWithoutCounts(root: string, counts: object): Promise<string[]> {
  const found: string[] = []
  for (const repository of await readdir(root, { withFileTypes: true })) {
    if (!repository.isDirectory() || repository.name.startsWith('_')) continue
    for (const table of await readdir(join(root, repository.name))) {
      const path = `${repository.name}/${table}`
      if (!Object.hasOwn(counts, path) && existsSync(join(root, path, 'metadata'))) found.push(path)
    }
  }
  return found
}

/** The metadata file by version hint, or the only one; undefined where that would be a guess. */
async function hintedMetadata(folder: string): Promise<string | undefined> {
  const names = (await readdir(join(folder, 'metadata'))).filter((name) =>
    /\.metadata\.json(\.gz)?$/.test(name),
  )
  const hintPath = join(folder, 'metadata/version-hint.text')
  const hint = existsSync(hintPath) ? (await readFile(hintPath, 'utf8')).trim() : undefined
  const hinted = names.find((name) => name === `v${hint}.metadata.json` || name === `${hint}.metadata.json`)
  const chosen = hinted ?? (names.length === 1 ? names[0] : undefined)
  return chosen === undefined ? undefined : `metadata/${chosen}`
}

function locationOf(metadataText: string): string | undefined {
  try {
    const location = asObject(parseJson(metadataText), 'metadata')['location']
    return typeof location === 'string' && location !== '' ? location.replace(/\/+$/, '') : undefined
  } catch (error) {
    // Some of these tables are malformed on purpose; what is wrong with them is for their readers to say.
    if (error instanceof SyntaxError || error instanceof CatalogError) return undefined
    throw error
  }
}

function toUri(folder: string): string {
  return `s3://${CORPUS_BUCKET}/${folder}`
}

function byName(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1
}
