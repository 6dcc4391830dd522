// What the routes need from the rest of the server.
import type { VerifyStorageAccessResponse } from '@lake/core/api/contract.ts'
import type { Authenticator } from '../access/authenticator.ts'
import type { Quotas } from '../access/quotas.ts'
import type { Sessions } from '../access/sessions.ts'
import type { SignIn } from '../access/sign-in.ts'
import type { Authorizer } from '../access/authorizer.ts'
import type { CatalogBrowser } from '../catalog/catalog-browser.ts'
import type { TableIdent } from '../catalog/rest-catalog.ts'
import type { Estimate } from '../flight/estimates.ts'
import type { FlightService } from '../flight/flight-service.ts'
import type { AuditLog } from '../observability/audit-log.ts'
import type { Logger } from '../observability/logger.ts'
import type { Metrics } from '../observability/metrics.ts'
import type { TableContents } from '../queries/table-contents/table-contents.ts'
import type { StatementService } from '../statements/statement-service.ts'

export interface HttpServices {
  readonly authenticator: Authenticator
  readonly sessions: Sessions
  /** undefined where no authentication is configured. */
  readonly signIn: SignIn | undefined
  readonly authorizer: Authorizer
  readonly quotas: Quotas
  readonly audit: AuditLog
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[]
  /** Engine processes that run statements. */
  readonly enginesMax: number
  readonly browser: CatalogBrowser
  readonly contents: TableContents
  readonly flight: FlightService
  readonly estimate: Estimate
  /** undefined where no store of background statements is configured. */
  readonly statements: StatementService | undefined
  readonly verifyStorageAccess: (
    ident: TableIdent,
    signal: AbortSignal,
  ) => Promise<VerifyStorageAccessResponse>
  readonly logger: Logger
  readonly metrics: Metrics
  readonly discovery: 'exact' | 'list'
  readonly version: string
  /** Folder of the built web app; undefined serves the API alone. */
  readonly webDirectory: string | undefined
  readonly createId: () => string
  /** Where people open the workbench, behind whatever stands before it; undefined: on this server's loopback address. */
  readonly publicUrl: URL | undefined
  /** What keeps statements from running as configured, in words; empty when ready. */
  readonly findProblems: () => Promise<readonly string[]>
}
