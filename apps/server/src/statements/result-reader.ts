// Reads committed results: the manifest that the store points to, and single parts by short-lived sealed endpoints. What
// is not exactly what was written is RESULT_CORRUPT, and nothing of it is given out.
import * as z from 'zod'
import { AppError } from '@lake/core/errors.ts'
import type { ResultEndpoint } from '@lake/core/statements/poll-info.ts'
import {
  manifestFault,
  pointerFault,
  resultManifest,
  resultPart,
  type ResultManifest,
} from '@lake/core/statements/result-manifest.ts'
import type { StatementRecord } from '@lake/core/statements/statement.ts'
import type { Clock } from '../concurrency/clock.ts'
import type { TicketKey } from '../config.ts'
import { LIMITS } from '../limits.ts'
import { createSealer } from '../sealing/sealer.ts'
import type { ResultObjects } from '../storage/result-objects.ts'
import { manifestKey, partKey } from './result-keys.ts'
import { sha256 } from './result-writer.ts'

/** What a ticket for a part begins with, so that do-get knows whom to ask. Anything else is as sealed as other tickets. */
const TICKET_PREFIX = 'part.'

const partClaims = z.object({
  statementId: z.string(),
  fencingToken: z.number(),
  index: z.number(),
  part: resultPart,
  principal: z.string().nullable(),
  expiresAtMs: z.number(),
})

export interface ResultReader {
  /** @throws AppError RESULT_CORRUPT, RESULTS_UNAVAILABLE */
  readManifest(record: StatementRecord, signal: AbortSignal): Promise<ResultManifest>
  endpoints(manifest: ResultManifest, principal: string | null): ResultEndpoint[]
  /**
   * The bytes of a part: an Arrow IPC stream of its own.
   * @throws AppError TICKET_INVALID, TICKET_EXPIRED, RESULT_CORRUPT, RESULTS_UNAVAILABLE
   */
  readPart(ticket: string, principal: string | null, signal: AbortSignal): Promise<Uint8Array>
}

export const isPartTicket = (ticket: string): boolean => ticket.startsWith(TICKET_PREFIX)

export function createResultReader(options: {
  readonly objects: ResultObjects
  readonly keys: readonly TicketKey[]
  readonly clock: Clock
}): ResultReader {
  const { objects, clock } = options
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
    endpoints(manifest, principal) {
      const { statementId, fencingToken } = manifest
      const expiresAtMs = clock.nowMs() + LIMITS.ticketLifetimeMs
      return manifest.parts.map((part, index) => {
        const claims: z.infer<typeof partClaims> = {
          statementId,
          fencingToken,
          index,
          part,
          principal,
          expiresAtMs,
        }
        return { ...part, ticket: TICKET_PREFIX + sealer.seal(JSON.stringify(claims)), expiresAtMs }
      })
    },
    async readPart(ticket, principal, signal) {
      const opened = sealer.open(ticket.slice(TICKET_PREFIX.length))
      const claims = opened.kind === 'opened' ? partClaims.safeParse(JSON.parse(opened.text)).data : undefined
      if (claims === undefined || claims.principal !== principal)
        throw new AppError('TICKET_INVALID', 'The ticket is not one that this server sealed for this use')
      if (claims.expiresAtMs <= clock.nowMs())
        throw new AppError('TICKET_EXPIRED', 'The ticket of the part has expired; poll the statement again')
      const bytes = await objects.read(partKey(claims, claims.index), LIMITS.resultPartBytesMax, signal)
      if (bytes === undefined) throw new AppError('RESULT_CORRUPT', 'A part of the result is missing')
      if (bytes.byteLength !== claims.part.byteCount || sha256(bytes) !== claims.part.sha256)
        throw new AppError(
          'RESULT_CORRUPT',
          'A part of the result is not what was written: its checksum is another',
        )
      return bytes
    },
  }
}

function corrupt(fault: string): AppError {
  return new AppError('RESULT_CORRUPT', `The manifest of the result cannot be used: ${fault}`)
}
