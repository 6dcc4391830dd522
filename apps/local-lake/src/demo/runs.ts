// models.runs: training runs, with the types that are hard to get right: nested structs, lists of structs, maps, wide
// decimals, uuids, binaries, longs beyond 2^53, NaN.
import { commitSnapshot } from '../iceberg/commit-snapshot.ts'
import type { DataFile } from '../iceberg/manifest-files.ts'
import { field, listOf, mapOf, struct } from '../iceberg/schema-fields.ts'
import { demoTime, scaled, unevenParts } from './demo-table.ts'
import type { DemoContext, DemoTable } from './demo-table.ts'

const ROWS = 20_000
const FILES = 4

const FIELDS = [
  field(1, 'run_id', 'uuid'),
  field(2, 'model', 'string'),
  field(3, 'started_at', 'timestamptz'),
  field(
    4,
    'config',
    struct(
      field(5, 'optimizer', 'string'),
      field(6, 'learning_rate', 'double'),
      field(7, 'layers', 'int'),
      field(8, 'schedule', struct(field(9, 'kind', 'string'), field(10, 'warmup_steps', 'long'))),
    ),
  ),
  field(
    11,
    'metrics',
    listOf(12, struct(field(13, 'step', 'long'), field(14, 'loss', 'double'), field(15, 'tokens', 'long'))),
  ),
  field(16, 'hyperparameters', mapOf([17, 18], 'string', 'double')),
  field(19, 'cost', 'decimal(38, 10)'),
  field(20, 'checkpoint', 'binary', 'Digest of the last checkpoint'),
  field(21, 'seed', 'long'),
  field(22, 'parent_run_id', 'uuid'),
  field(23, 'tags', listOf(24, 'string')),
  field(25, 'final_loss', 'double', 'NaN where the run diverged'),
] as const

export const runsTable: DemoTable = {
  ident: { namespace: ['models'], name: 'runs' },
  fields: FIELDS,
  comment: 'Training runs with their configuration and metrics',
  createdMs: Date.parse('2026-09-01T07:00:00Z'),
  fill,
}

async function fill(context: DemoContext): Promise<void> {
  const files: DataFile[] = []
  let firstId = 0
  for (const rows of unevenParts(scaled(ROWS, context.scale), FILES)) {
    const file = await context.writer.write({
      sql: runsSql(firstId, rows),
      fields: FIELDS,
      location: `${context.location}/data/${String(files.length).padStart(5, '0')}-0-runs.parquet`,
      partition: {},
      rowGroupRows: 2_048,
    })
    files.push(file)
    firstId += rows
  }
  const half = FILES / 2
  for (const [added, at] of [
    [files.slice(0, half), '2026-09-12T18:00:31.007Z'],
    [files.slice(half), '2026-09-28T18:00:29.644Z'],
  ] as const) {
    const timestampMs = demoTime(Date.parse(at))
    await commitSnapshot(context, context.table, { operation: 'append', added, timestampMs })
  }
}

function runsSql(firstId: number, rows: number): string {
  return `
    SELECT md5('run-' || i)::UUID AS run_id,
      ['grasp-s', 'grasp-l', 'nav-base', 'dock-xl'][(hash(i, 1) % 4)::INT + 1] AS model,
      make_timestamptz(1788220800000000 + i * 117000000 + (hash(i, 2) % 100000000)::BIGINT) AS started_at,
      {'optimizer': ['adamw', 'lion', 'sgd'][(hash(i, 3) % 3)::INT + 1],
        'learning_rate': 1e-5 * (1 + (hash(i, 4) % 300)::DOUBLE),
        'layers': 6 + (hash(i, 5) % 42)::INT,
        'schedule': CASE WHEN hash(i, 6) % 5 = 0 THEN NULL ELSE {
          'kind': ['cosine', 'linear'][(hash(i, 6) % 2)::INT + 1],
          'warmup_steps': (hash(i, 7) % 4000)::BIGINT } END } AS config,
      CASE WHEN hash(i, 8) % 50 = 0 THEN NULL ELSE list_transform(range((hash(i, 8) % 6)::BIGINT), lambda k: {
        'step': (k + 1) * 1000,
        'loss': round(4.0 / (k + 1) + (hash(i, k, 9) % 1000)::DOUBLE / 2000, 6),
        'tokens': (k + 1) * 1048576000 }) END AS metrics,
      map(['dropout', 'weight_decay', 'clip'], [round((hash(i, 10) % 50)::DOUBLE / 100, 2),
        CASE WHEN hash(i, 11) % 7 = 0 THEN NULL ELSE 0.01 * (hash(i, 11) % 10)::DOUBLE END, 1.0]) AS hyperparameters,
      ((hash(i, 12) % 9000000000)::VARCHAR || '.' || lpad((hash(i, 13) % 10000000000)::VARCHAR, 10, '0'))
        ::DECIMAL(38, 10) * CASE WHEN hash(i, 12) % 97 = 0 THEN -1 ELSE 1 END AS cost,
      unhex(md5('checkpoint-' || i) || md5('part-' || i)) AS checkpoint,
      (hash(i, 14) >> 1)::BIGINT AS seed,
      CASE WHEN i > 0 AND hash(i, 15) % 3 = 0 THEN md5('run-' || (hash(i, 15) % i))::UUID END AS parent_run_id,
      list_filter(['nightly', 'ablation', 'größer', ''], lambda t: hash(i, t) % 3 = 0) AS tags,
      CASE WHEN hash(i, 16) % 40 = 0 THEN 'nan'::DOUBLE ELSE round(0.1 + (hash(i, 16) % 900)::DOUBLE / 1000, 6) END
        AS final_loss
    FROM range(${firstId}, ${firstId + rows}) r(i) ORDER BY i`
}
