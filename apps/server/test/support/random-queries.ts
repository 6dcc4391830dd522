// Seeded random statements over one table: filters on every type with literals near the data, projections, limits,
// aggregates and self joins. The same seed makes the same statement.

/** A small generator of numbers in [0, 1): mulberry32. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export interface SampledColumn {
  readonly name: string
  /** DuckDB's spelling. */
  readonly type: string
  /** Some values of the column as texts that cast back to the type; never NULL. */
  readonly samples: readonly string[]
}

export interface SampledTable {
  /** As written in SQL. */
  readonly from: string
  readonly columns: readonly SampledColumn[]
}

const COMPARABLE =
  /^(BOOLEAN|TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|FLOAT|DOUBLE|DECIMAL.*|DATE|TIME|TIMESTAMP.*|VARCHAR|UUID|BLOB)$/

export function randomStatement(table: SampledTable, random: () => number): string {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const filterable = table.columns.filter(({ type, samples }) => COMPARABLE.test(type) && samples.length > 0)
  const where = filterable.length === 0 ? '' : ` WHERE ${randomFilter(filterable, pick, random, 2)}`
  const names = table.columns.map(({ name }) => quote(name))
  const kind = random()
  if (kind < 0.55) {
    const chosen = names.filter(() => random() < 0.5)
    return `SELECT ${chosen.length > 0 ? chosen.join(', ') : '*'} FROM ${table.from}${where}`
  }
  if (kind < 0.7)
    return `SELECT count(*), count(${pick(names)}), min(${pick(names)}::VARCHAR) FROM ${table.from}${where}`
  if (kind < 0.8) return `SELECT ${pick(names)}::VARCHAR AS k, count(*) FROM ${table.from}${where} GROUP BY 1`
  if (kind < 0.9)
    return `SELECT count(*) FROM (SELECT * FROM ${table.from}${where} LIMIT ${Math.floor(random() * 40)})`
  const key = pick(names)
  return `SELECT count(*) FROM (SELECT ${key} AS k FROM ${table.from}${where}) a JOIN (SELECT DISTINCT ${key} AS k FROM ${table.from}) b ON a.k IS NOT DISTINCT FROM b.k`
}

function randomFilter(
  columns: readonly SampledColumn[],
  pick: <Item>(items: readonly Item[]) => Item,
  random: () => number,
  depth: number,
): string {
  const kind = random()
  if (depth > 0 && kind < 0.35) {
    const [left, right] = [0, 1].map(() => randomFilter(columns, pick, random, depth - 1))
    return `(${left} ${kind < 0.2 ? 'AND' : 'OR'} ${right})`
  }
  if (depth > 0 && kind < 0.42) return `NOT (${randomFilter(columns, pick, random, depth - 1)})`
  const column = pick(columns)
  const name = quote(column.name)
  const literal = (): string => `CAST('${pick(column.samples).replaceAll("'", "''")}' AS ${column.type})`
  const test = random()
  if (test < 0.12) return `${name} IS ${random() < 0.5 ? 'NOT ' : ''}NULL`
  if (test < 0.24)
    return `${name} ${random() < 0.3 ? 'NOT ' : ''}IN (${literal()}, ${literal()}, ${literal()})`
  if (test < 0.34) return `${name} BETWEEN ${literal()} AND ${literal()}`
  if (column.type === 'VARCHAR' && test < 0.45)
    return `${name} LIKE '${pick(column.samples).slice(0, 2).replaceAll("'", "''").replaceAll(/[%_]/g, '')}%'`
  if (/^(FLOAT|DOUBLE)$/.test(column.type) && test < 0.4) return `isnan(${name})`
  return `${name} ${pick(['=', '<>', '<', '<=', '>', '>=', 'IS DISTINCT FROM'])} ${literal()}`
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
