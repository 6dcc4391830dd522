// What planning and running a query need from the rest of the server. Built by server.ts, the composition root.
import type { PruningSwitches } from '@lake/core/scan/table-scan.ts'
import type { Authorizer } from '../access/authorizer.ts'
import type { Quotas } from '../access/quotas.ts'
import type { AuditLog } from '../observability/audit-log.ts'
import type { LoadedTable, RestCatalog } from '../catalog/rest-catalog.ts'
import type { SnapshotCache } from '../catalog/snapshot-cache.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { Engine } from '../engine/engine.ts'
import type { FooterGuesses } from '../parquet/footer-guess.ts'
import type { TableStorage } from '../storage/table-storage.ts'
import type { RangeCache } from '../storage/column-chunk-cache.ts'

export interface QueryServices {
  readonly authorizer: Authorizer
  readonly quotas: Quotas
  readonly audit: AuditLog
  readonly catalog: RestCatalog
  readonly snapshotCache: SnapshotCache
  readonly engine: Engine
  readonly clock: Clock
  /** Storage of one table with the credentials of this load. */
  readonly openStorage: (table: LoadedTable) => TableStorage
  readonly chunkCache: RangeCache | undefined
  readonly footerGuesses: FooterGuesses
  readonly scanBytesMax: number
  /** Levels of pruning, all where absent; for tests that prove answers do not depend on them. */
  readonly pruning?: PruningSwitches
}
