// What the catalog must remember: namespaces, the pointer from each table to its current metadata file, and two secrets
// made at first start. One SQLite file; the pointer moves only by compare-and-set.
import { randomBytes } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Levels of a namespace are joined by this in the database and in URLs. */
export const LEVEL_SEPARATOR = '\u001F'

export interface TableRow {
  readonly name: string
  readonly metadataLocation: string
  readonly location: string
}

export class CatalogDatabase {
  readonly #db: DatabaseSync

  constructor(path: string) {
    this.#db = new DatabaseSync(path)
    chmodSync(path, 0o600)
    this.#db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA busy_timeout = 5000;
      CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS namespaces (namespace TEXT PRIMARY KEY, properties TEXT NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS tables (
        namespace TEXT NOT NULL REFERENCES namespaces (namespace),
        name TEXT NOT NULL,
        metadata_location TEXT NOT NULL,
        location TEXT NOT NULL,
        PRIMARY KEY (namespace, name)
      ) STRICT;
    `)
  }

  /** The secret of this name, made at first use: 32 random bytes in base64url. */
  secret(name: string): string {
    this.#db
      .prepare('INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING')
      .run(name, randomBytes(32).toString('base64url'))
    return String(this.#db.prepare('SELECT value FROM secrets WHERE name = ?').get(name)?.['value'])
  }

  /** All namespaces, sorted, as joined levels. */
  namespaces(): string[] {
    return this.#db
      .prepare('SELECT namespace FROM namespaces ORDER BY namespace')
      .all()
      .map((row) => String(row['namespace']))
  }

  /** Properties as JSON text; undefined when there is no such namespace. */
  namespaceProperties(namespace: string): string | undefined {
    const row = this.#db.prepare('SELECT properties FROM namespaces WHERE namespace = ?').get(namespace)
    return row === undefined ? undefined : String(row['properties'])
  }

  /** False when the namespace already exists. */
  insertNamespace(namespace: string, properties: string): boolean {
    const sql = 'INSERT INTO namespaces (namespace, properties) VALUES (?, ?) ON CONFLICT DO NOTHING'
    return this.#db.prepare(sql).run(namespace, properties).changes === 1
  }

  updateNamespace(namespace: string, properties: string): void {
    this.#db.prepare('UPDATE namespaces SET properties = ? WHERE namespace = ?').run(properties, namespace)
  }

  deleteNamespace(namespace: string): void {
    this.#db.prepare('DELETE FROM namespaces WHERE namespace = ?').run(namespace)
  }

  /** Tables of a namespace, sorted by name. */
  tables(namespace: string): TableRow[] {
    return this.#db
      .prepare('SELECT name, metadata_location, location FROM tables WHERE namespace = ? ORDER BY name')
      .all(namespace)
      .map(toTableRow)
  }

  table(namespace: string, name: string): TableRow | undefined {
    const row = this.#db
      .prepare('SELECT name, metadata_location, location FROM tables WHERE namespace = ? AND name = ?')
      .get(namespace, name)
    return row === undefined ? undefined : toTableRow(row)
  }

  /** Locations of all tables, for the check that nothing shares what a purge removes. */
  locations(): string[] {
    return this.#db
      .prepare('SELECT location FROM tables')
      .all()
      .map((row) => String(row['location']))
  }

  /** False when the table already exists. */
  insertTable(namespace: string, row: TableRow): boolean {
    const sql =
      'INSERT INTO tables (namespace, name, metadata_location, location) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'
    return this.#db.prepare(sql).run(namespace, row.name, row.metadataLocation, row.location).changes === 1
  }

  /** Moves the pointer if it still is `expected`; false when another commit was first. */
  swapMetadata(namespace: string, row: TableRow, expected: string): boolean {
    const sql =
      'UPDATE tables SET metadata_location = ?, location = ? WHERE namespace = ? AND name = ? AND metadata_location = ?'
    const result = this.#db
      .prepare(sql)
      .run(row.metadataLocation, row.location, namespace, row.name, expected)
    return result.changes === 1
  }

  /** False when the target exists or the source does not. */
  renameTable(from: readonly [string, string], to: readonly [string, string]): boolean {
    const sql = `UPDATE OR IGNORE tables SET namespace = ?, name = ? WHERE namespace = ? AND name = ?`
    return this.#db.prepare(sql).run(...to, ...from).changes === 1
  }

  deleteTable(namespace: string, name: string): boolean {
    const sql = 'DELETE FROM tables WHERE namespace = ? AND name = ?'
    return this.#db.prepare(sql).run(namespace, name).changes === 1
  }

  close(): void {
    this.#db.close()
  }
}

function toTableRow(row: Record<string, unknown>): TableRow {
  return {
    name: String(row['name']),
    metadataLocation: String(row['metadata_location']),
    location: String(row['location']),
  }
}
