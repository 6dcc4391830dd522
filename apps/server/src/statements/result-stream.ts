// A kept result as the one stream that running its statement would give: schema, rows, receipt. Made of its parts, each
// checked against the manifest before anything of it leaves; the statement is not run again.
import { AppError } from '@lake/core/errors.ts'
import type { Principal } from '@lake/core/access/principal.ts'
import type { TicketClaims } from '@lake/core/flight/ticket.ts'
import type { ResultManifest } from '@lake/core/statements/result-manifest.ts'
import { encodeMessageBatch, END_OF_STREAM, splitMessages } from '../engine/arrow-messages.ts'
import { errorCodeOf } from '../observability/error-code.ts'
import type { Logger } from '../observability/logger.ts'
import { failureMessage } from '../queries/failure-message.ts'
import type { QueryServices } from '../queries/query-services.ts'
import type { ResultReader } from './result-reader.ts'

interface KeptStream {
  readonly claims: Pick<TicketClaims, 'statementId' | 'sql' | 'pins'>
  readonly manifest: ResultManifest
  readonly results: ResultReader
  readonly principal: Principal
  readonly services: Pick<QueryServices, 'audit' | 'clock'>
  readonly logger: Logger
  readonly requestId: string
}

/**
 * Throws until the schema has been given; a failure after that is the last message of the stream.
 * @throws AppError RESULT_CORRUPT, RESULTS_UNAVAILABLE
 */
export async function* streamResult(kept: KeptStream, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { claims, manifest, principal, services, requestId } = kept
  const { statementId, sql, pins } = claims
  const startedAtMs = services.clock.nowMs()
  const facts = { rowCount: 0 }
  let outcome = 'CANCELLED'
  let schemaMessage: Uint8Array | undefined
  try {
    for (const [index, part] of manifest.parts.entries()) {
      const [schema, ...batches] = messagesOf(await kept.results.readPart(manifest, index, signal))
      if (schema === undefined || (schemaMessage && !Buffer.from(schema).equals(schemaMessage)))
        throw new AppError('RESULT_CORRUPT', 'A part of the result has another schema than the first one')
      if (schemaMessage === undefined) yield (schemaMessage = schema)
      yield* batches
      facts.rowCount += part.rowCount
    }
    if (schemaMessage === undefined) throw new AppError('RESULT_CORRUPT', 'The result has no part')
    outcome = 'ok'
    yield encodeMessageBatch(schemaMessage, { kind: 'receipt', receipt: manifest.receipt })
  } catch (error) {
    outcome = errorCodeOf(error)
    if (schemaMessage === undefined) throw error
    yield encodeMessageBatch(schemaMessage, failureMessage(error, kept))
  } finally {
    const elapsedMs = services.clock.nowMs() - startedAtMs
    const line = { requestId, statementId, principal, sql, tables: pins, ...facts, bytesRead: 0, elapsedMs }
    services.audit.statement({ ...line, outcome })
  }
  yield END_OF_STREAM
}

function messagesOf(part: Uint8Array): Uint8Array[] {
  try {
    return splitMessages(part)
  } catch (cause) {
    throw new AppError('RESULT_CORRUPT', 'A part of the result is no Arrow stream', { cause })
  }
}
