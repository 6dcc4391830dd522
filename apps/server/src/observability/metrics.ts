// Bounded counters and histograms for Prometheus. Labels come from closed lists only: never a namespace, table,
// endpoint, warehouse, SQL, principal, URI or credential.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

interface EngineUsage {
  readonly heldCount: number
  readonly waitingCount: number
}

export interface Metrics {
  catalogCall(outcome: string): void
  oauthRenewal(outcome: string): void
  snapshotCache(outcome: string): void
  chunkCache(outcome: string): void
  /** A read of an object, its retry included. */
  storageRead(outcome: string): void
  statementEnded(outcome: string, facts: { elapsedMs: number; rowCount: number; bytesRead: number }): void
  /** An attempt at a background statement. */
  attemptEnded(outcome: string): void
  exportEnded(format: string, outcome: string): void
  httpAnswered(route: string, status: number): void
  statementsRunning(count: number): void
  auditLost(lineCount: number): void
  /** Where the use of the engine is looked up at each scrape. */
  watchEngine(read: () => EngineUsage): void
  /** The exposition text and its content type. */
  render(): Promise<{ text: string; contentType: string }>
}

function createInstruments(registry: Registry) {
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> =>
    new Counter({ name, help, labelNames, registers })

  const catalogCalls = counter('lake_catalog_calls_total', 'Calls to the catalog by outcome.', ['outcome'])
  const renewals = counter('lake_oauth_renewals_total', 'Renewals of the catalog session by outcome.', [
    'outcome',
  ])
  const snapshotCache = counter('lake_snapshot_cache_total', 'Reads of the snapshot cache by outcome.', [
    'outcome',
  ])
  const chunkCache = counter('lake_chunk_cache_total', 'Reads of the column chunk cache by outcome.', [
    'outcome',
  ])
  const storageReads = counter(
    'lake_storage_reads_total',
    'Reads from object storage by outcome: ok or an error code.',
    ['outcome'],
  )
  const statements = counter('lake_statements_total', 'Statements ended, by outcome: ok or an error code.', [
    'outcome',
  ])
  const exports = counter('lake_exports_total', 'Exports by format and outcome.', ['format', 'outcome'])
  const rows = counter('lake_result_rows_total', 'Rows sent.', [])
  const bytes = counter('lake_data_bytes_read_total', 'Bytes of data files read.', [])
  const attempts = counter(
    'lake_background_attempts_total',
    'Attempts at background statements by outcome.',
    ['outcome'],
  )
  const http = counter('lake_http_requests_total', 'HTTP requests by route and status.', ['route', 'status'])
  const auditLost = counter('lake_audit_lost_total', 'Lines of the audit log that were lost.', [])
  const running = new Gauge({ name: 'lake_statements_running', help: 'Statements streaming now.', registers })
  const seconds = new Histogram({
    name: 'lake_statement_seconds',
    help: 'From the redeeming of a ticket to the last row.',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers,
  })

  return {
    catalogCalls,
    renewals,
    snapshotCache,
    chunkCache,
    storageReads,
    statements,
    exports,
    rows,
    bytes,
    attempts,
    http,
    auditLost,
    running,
    seconds,
  }
}

const DELAY_LOOK_MS = 10

/** Those that are looked up at each scrape. */
function createGauges(registers: Registry[], usage: () => EngineUsage): void {
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  gauge(
    'lake_engines_held',
    'Engine processes that statements hold now, in the background too.',
    () => usage().heldCount,
  )
  gauge(
    'lake_statements_waiting',
    'Statements that wait for an engine process now.',
    () => usage().waitingCount,
  )
  gauge('lake_resident_bytes', 'Memory of the server, without its engine processes.', () =>
    process.memoryUsage.rss(),
  )
  gauge('lake_heap_used_bytes', 'Used of the heap of the server.', () => process.memoryUsage().heapUsed)
  gauge(
    'lake_event_loop_handles',
    'Sockets, timers, pipes and the like that keep the server going.',
    () => process.getActiveResourcesInfo().length,
  )
  const delay = monitorEventLoopDelay({ resolution: DELAY_LOOK_MS })
  delay.enable()
  gauge(
    'lake_event_loop_delay_seconds',
    'The longest that the event loop was held up since the last scrape.',
    () => {
      // What it measures is the time between two looks.
      const longestS = Math.max(0, delay.max / 1e9 - DELAY_LOOK_MS / 1e3)
      delay.reset()
      return longestS
    },
  )
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const metrics = createInstruments(registry)
  let readUsage = (): EngineUsage => ({ heldCount: 0, waitingCount: 0 })
  createGauges([registry], () => readUsage())
  return {
    catalogCall(outcome) {
      metrics.catalogCalls.inc({ outcome })
    },
    oauthRenewal(outcome) {
      metrics.renewals.inc({ outcome })
    },
    snapshotCache(outcome) {
      metrics.snapshotCache.inc({ outcome })
    },
    chunkCache(outcome) {
      metrics.chunkCache.inc({ outcome })
    },
    storageRead(outcome) {
      metrics.storageReads.inc({ outcome })
    },
    statementEnded(outcome, facts) {
      metrics.statements.inc({ outcome })
      metrics.rows.inc(facts.rowCount)
      metrics.bytes.inc(facts.bytesRead)
      metrics.seconds.observe(facts.elapsedMs / 1_000)
    },
    attemptEnded(outcome) {
      metrics.attempts.inc({ outcome })
    },
    exportEnded(format, outcome) {
      metrics.exports.inc({ format, outcome })
    },
    httpAnswered(route, status) {
      metrics.http.inc({ route, status: String(status) })
    },
    statementsRunning(count) {
      metrics.running.set(count)
    },
    auditLost(lineCount) {
      metrics.auditLost.inc(lineCount)
    },
    watchEngine(read) {
      readUsage = read
    },
    render: async () => ({ text: await registry.metrics(), contentType: registry.contentType }),
  }
}
