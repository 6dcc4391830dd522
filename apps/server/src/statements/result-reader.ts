// Reads committed results: the manifest that the store points to, and single parts by short-lived sealed endpoints. What
// is not exactly what was written is RESULT_CORRUPT, and nothing of it is given out. Whoever may not read the tables any
// more finds nothing here, whatever tickets they hold.
import * as z from 'zod'
import type { Principal } from '@lake/core/access/principal.ts'
import { assertDefined } from '@lake/core/assert.ts'
import { AppError } from '@lake/core/errors.ts'
import type { ResultEndpoint } from '@lake/core/statements/poll-info.ts'
import {
  manifestFault,
  pointerFault,
  resultManifest,
  resultPart,
  type ResultManifest,
  type ResultPart,
} from '@lake/core/statements/result-manifest.ts'
import type { StatementRecord } from '@lake/core/statements/statement.ts'
import type { Authorizer } from '../access/authorizer.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { TicketKey } from '../config.ts'
import { LIMITS } from '../limits.ts'
import { createSealer } from '../sealing/sealer.ts'
import type { ResultObjects } from '../storage/result-objects.ts'
import { manifestKey, partKey } from './result-keys.ts'
import { sha256 } from './result-writer.ts'

/** What a ticket for a part begins with, so that do-get knows whom to ask. Anything else is as sealed as other tickets. */
const TICKET_PREFIX = 'part.'

const tableName = z.object({ namespace: z.array(z.string()), table: z.string() })

const partClaims = z.object({
  statementId: z.string(),
  fencingToken: z.number(),
  index: z.number(),
  part: resultPart,
  /** What the statement read, to be authorized again when the part is read. */
  tables: z.array(tableName),
  principal: z.string().nullable(),
  expiresAtMs: z.number(),
})

export interface ResultReader {
  /** @throws AppError RESULT_CORRUPT, RESULTS_UNAVAILABLE */
  readManifest(record: StatementRecord, signal: AbortSignal): Promise<ResultManifest>
  endpoints(manifest: ResultManifest, principal: Principal): ResultEndpoint[]
  /**
   * The bytes of a part: an Arrow IPC stream of its own.
   * @throws AppError TICKET_INVALID, TICKET_EXPIRED, NO_SUCH_STATEMENT (its tables may not be read any more),
   *   RESULT_CORRUPT, RESULTS_UNAVAILABLE
   */
  openPart(ticket: string, principal: Principal, signal: AbortSignal): Promise<Uint8Array>
  /**
   * As `openPart`, for who has the manifest.
   * @throws AppError RESULT_CORRUPT, RESULTS_UNAVAILABLE
   */
  readPart(manifest: ResultManifest, index: number, signal: AbortSignal): Promise<Uint8Array>
}

/** @throws AppError NO_SUCH_STATEMENT where one of the tables may not be read any more */
export function authorizeTables(
  authorizer: Authorizer,
  principal: Principal,
  tables: readonly { readonly namespace: readonly string[]; readonly table: string }[],
): void {
  try {
    for (const { namespace, table } of tables) authorizer.authorizeTable(principal, namespace, table)
  } catch {
    throw noSuchStatement()
  }
}

/** The same words for one that never was, one of somebody else, and one whose tables may not be read any more. */
export function noSuchStatement(): AppError {
  return new AppError('NO_SUCH_STATEMENT', 'There is no such statement of yours, or it has expired')
}

export const isPartTicket = (ticket: string): boolean => ticket.startsWith(TICKET_PREFIX)

export function createResultReader(options: {
  readonly objects: ResultObjects
  readonly keys: readonly TicketKey[]
  readonly clock: Clock
  readonly authorizer: Authorizer
}): ResultReader {
  const { objects, clock, authorizer } = options
  const sealer = createSealer({ keys: options.keys, purpose: 'result-part' })

  return {
    async readManifest(record, signal) {
      const { manifest: pointer, statementId } = record
      if (pointer === null) throw corrupt('it has none')
      const key = manifestKey({ statementId, fencingToken: pointer.fencingToken })
      const bytes = await objects.read(key, LIMITS.resultManifestBytesMax, signal)
      if (bytes === undefined) throw corrupt('it is missing')
      if (sha256(bytes) !== pointer.sha256) throw corrupt('its checksum is another')
      const manifest = resultManifest.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))
      const fault =
        (manifest.statementId === statementId ? undefined : 'it is of another statement') ??
        manifestFault(manifest) ??
        pointerFault(manifest, pointer)
      if (fault !== undefined) throw corrupt(fault)
      return manifest
    },
    endpoints(manifest, { id: principal }) {
      const { statementId, fencingToken } = manifest
      const names = manifest.receipt.tables.map(({ namespace, table }) => ({ namespace, table }))
      const tables = [...new Map(names.map((name) => [JSON.stringify(name), name])).values()]
      const expiresAtMs = clock.nowMs() + LIMITS.ticketLifetimeMs
      return manifest.parts.map((part, index) => {
        const claims: z.infer<typeof partClaims> = {
          statementId,
          fencingToken,
          index,
          part,
          tables,
          principal,
          expiresAtMs,
        }
        return { ...part, ticket: TICKET_PREFIX + sealer.seal(JSON.stringify(claims)), expiresAtMs }
      })
    },
    async openPart(ticket, principal, signal) {
      const opened = sealer.open(ticket.slice(TICKET_PREFIX.length))
      const claims = opened.kind === 'opened' ? partClaims.safeParse(JSON.parse(opened.text)).data : undefined
      if (claims === undefined || claims.principal !== principal.id)
        throw new AppError('TICKET_INVALID', 'The ticket is not one that this server sealed for this use')
      if (claims.expiresAtMs <= clock.nowMs())
        throw new AppError('TICKET_EXPIRED', 'The ticket of the part has expired; poll the statement again')
      authorizeTables(authorizer, principal, claims.tables)
      return await readChecked(objects, partKey(claims, claims.index), claims.part, signal)
    },
    async readPart(manifest, index, signal) {
      const part = assertDefined(manifest.parts[index], 'a part of the manifest')
      return await readChecked(objects, partKey(manifest, index), part, signal)
    },
  }
}

/** The bytes of a part, if they are those that were written. */
async function readChecked(
  objects: ResultObjects,
  key: string,
  part: ResultPart,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const bytes = await objects.read(key, LIMITS.resultPartBytesMax, signal)
  if (bytes === undefined) throw new AppError('RESULT_CORRUPT', 'A part of the result is missing')
  if (bytes.byteLength === part.byteCount && sha256(bytes) === part.sha256) return bytes
  throw new AppError(
    'RESULT_CORRUPT',
    'A part of the result is not what was written: its checksum is another',
  )
}

function corrupt(fault: string): AppError {
  return new AppError('RESULT_CORRUPT', `The manifest of the result cannot be used: ${fault}`)
}
