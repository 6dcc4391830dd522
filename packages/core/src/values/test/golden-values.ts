// The golden table: extremes of every type of a result as SQL, and the text that they must have wherever they are shown,
// copied or written as text. One column a type, one value a row; two columns share a name on purpose.

export interface GoldenColumn {
  readonly name: string
  /** DuckDB's spelling. */
  readonly type: string
  /** SQL of the value, and its exact text. */
  readonly values: readonly (readonly [sql: string, text: string])[]
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
const literals = (...texts: string[]): GoldenColumn['values'] => texts.map((text) => [quoted(text), text])

export const GOLDEN_COLUMNS: readonly GoldenColumn[] = [
  {
    name: 'id',
    type: 'BIGINT',
    values: literals('9223372036854775807', '-9223372036854775808', '9007199254740993', '0'),
  },
  {
    name: 'id',
    type: 'DECIMAL(18,2)',
    values: literals('12.34', '-0.01', '9999999999999999.99', '0.00'),
  },
  { name: 'flag', type: 'BOOLEAN', values: literals('true', 'false') },
  { name: 'tiny', type: 'TINYINT', values: literals('-128', '127') },
  { name: 'small', type: 'USMALLINT', values: literals('65535', '0') },
  { name: 'count', type: 'UINTEGER', values: literals('4294967295', '0') },
  { name: 'big', type: 'UBIGINT', values: literals('18446744073709551615', '0') },
  {
    name: 'huge',
    type: 'HUGEINT',
    values: literals(
      '99999999999999999999999999999999999999',
      '-99999999999999999999999999999999999999',
      '1',
    ),
  },
  { name: 'uhuge', type: 'UHUGEINT', values: literals('340282366920938463463374607431768211455', '0') },
  {
    name: 'money',
    type: 'DECIMAL(38,6)',
    values: literals('12345678901234567890123456789012.345678', '-0.000001', '0.000000'),
  },
  {
    name: 'float',
    type: 'FLOAT',
    values: [...literals('0.1', '-0', 'NaN'), [quoted('inf'), 'Infinity'], ['3.4028235e38', '3.4028235e+38']],
  },
  {
    name: 'double',
    type: 'DOUBLE',
    values: [
      ...literals('0.1', '-0', 'NaN'),
      [quoted('-inf'), '-Infinity'],
      ['1.7976931348623157e308', '1.7976931348623157e+308'],
      ['5e-324', '5e-324'],
    ],
  },
  {
    name: 'day',
    type: 'DATE',
    values: literals(
      '2025-01-03',
      '1969-12-31',
      '1900-02-28',
      '0001-01-01',
      '0044-03-15 (BC)',
      '9999-12-31',
      '12345-06-07',
    ),
  },
  { name: 'clock', type: 'TIME', values: literals('08:49:50.123456', '00:00:00', '23:59:59.999999') },
  {
    name: 'at',
    type: 'TIMESTAMP',
    values: literals(
      '2025-01-03 08:49:50.123456',
      '1969-12-31 23:59:59.999999',
      '9999-12-31 23:59:59.999999',
      '10000-01-01 00:00:00',
      '0001-01-01 00:00:00.000001',
    ),
  },
  {
    name: 'nanos',
    type: 'TIMESTAMP_NS',
    values: literals('2025-01-03 08:49:50.123456789', '1969-12-31 23:59:59.999999999'),
  },
  {
    name: 'zoned',
    type: 'TIMESTAMP WITH TIME ZONE',
    values: literals('2025-01-03 08:49:50.123456+00', '1969-12-31 23:59:59.999999+00'),
  },
  {
    name: 'text, with "marks"',
    type: 'VARCHAR',
    values: literals(
      '',
      'NULL',
      'plain',
      ' spaced ',
      'a,b;c|d',
      'say "hi"',
      '=1+1',
      '🚀 ä',
      '_x0041_',
      '<b>&amp;',
      'ends\\',
    ),
  },
  {
    name: 'lines',
    type: 'VARCHAR',
    values: [
      ["'a' || chr(10) || 'b'", 'a\nb'],
      ["'a' || chr(13) || chr(10) || 'b'", 'a\r\nb'],
      ["'a' || chr(9) || 'b'", 'a\tb'],
      ["'a' || chr(1) || 'b'", 'a\u0001b'],
    ],
  },
  {
    name: 'bytes',
    type: 'BLOB',
    values: [
      ["unhex('00ff41')", '0x00ff41'],
      ["unhex('')", '0x'],
    ],
  },
  { name: 'key', type: 'UUID', values: literals('00112233-4455-6677-8899-aabbccddeeff') },
  {
    name: 'list',
    type: 'BIGINT[]',
    values: [
      ['[9007199254740993, NULL]', '[9007199254740993, null]'],
      ['[]', '[]'],
    ],
  },
  {
    name: 'struct',
    type: 'STRUCT(a DECIMAL(18,2), b VARCHAR[])',
    values: [["{'a': 12.30, 'b': ['x', '', NULL]}", '{"a": 12.30, "b": ["x", "", null]}']],
  },
  {
    name: 'map',
    type: 'MAP(VARCHAR, TIMESTAMP)',
    values: [["MAP {'k': '2025-01-03 08:49:50.123456'}", '{"k": "2025-01-03 08:49:50.123456"}']],
  },
  { name: 'json', type: 'JSON', values: literals('{"n": 12345678901234567890, "s": null}', '[1, "a"]') },
]

const rowCount = Math.max(...GOLDEN_COLUMNS.map(({ values }) => values.length))
const rowIndexes = Array.from({ length: rowCount }, (_, row) => row)

/** The table as a statement. The rows are in order; a value that a column does not have is NULL. */
export const GOLDEN_SQL: string = [
  'SELECT',
  GOLDEN_COLUMNS.map(({ name, type }, index) => `c${index}::${type} AS "${name.replaceAll('"', '""')}"`).join(
    ',\n',
  ),
  'FROM (VALUES',
  rowIndexes
    .map(
      (row) =>
        `(${[row, ...GOLDEN_COLUMNS.map(({ type, values }) => cell(type, values[row]?.[0]))].join(', ')})`,
    )
    .join(',\n'),
  `) golden(place, ${GOLDEN_COLUMNS.map((_, index) => `c${index}`).join(', ')})`,
  'ORDER BY place',
].join('\n')

function cell(type: string, sql: string | undefined): string {
  return `CAST(${sql ?? 'NULL'} AS ${type})`
}

/** The texts of the rows; null for NULL. */
export const GOLDEN_ROWS: readonly (readonly (string | null)[])[] = rowIndexes.map((row) =>
  GOLDEN_COLUMNS.map(({ values }) => values[row]?.[1] ?? null),
)
