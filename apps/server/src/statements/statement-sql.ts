// The SQL of the store of statements: one statement a function of the store, the same for SQLite and PostgreSQL.
// Parameters that PostgreSQL could not type by themselves are cast.

const COLUMNS = `statement_id, owner, idempotency_key, request_digest, result_digest, sealed_job, state, revision,
  fencing_token, attempt_count, worker_id, lease_expires_at_ms, available_at_ms, submitted_at_ms, started_at_ms,
  ended_at_ms, expires_at_ms, bytes_read, bytes_planned, row_count, sealed_failure, manifest`

const IS_OPEN = `state IN ('queued', 'running', 'cancelling')`
const IS_HELD = `statement_id = :statementId AND fencing_token = CAST(:fencingToken AS bigint)`

const HAS_OPEN_PLACE = `(SELECT count(*) FROM statements WHERE ${IS_OPEN}) < CAST(:openMax AS bigint)
    AND (SELECT count(*) FROM statements WHERE ${IS_OPEN} AND owner = CAST(:owner AS text))
      < CAST(:openOfOwnerMax AS bigint)`

export const INSERT = `
  INSERT INTO statements (statement_id, owner, idempotency_key, request_digest, result_digest, sealed_job, state,
    revision, fencing_token, attempt_count, available_at_ms, submitted_at_ms, bytes_read, bytes_planned, row_count)
  SELECT CAST(:statementId AS text), CAST(:owner AS text), CAST(:idempotencyKey AS text), CAST(:requestDigest AS text),
    CAST(:resultDigest AS text), CAST(:sealedJob AS text), 'queued', 1, 0, 0, CAST(:nowMs AS bigint),
    CAST(:nowMs AS bigint), 0, 0, 0
  WHERE ${HAS_OPEN_PLACE}
    AND (SELECT count(*) FROM statements WHERE owner = CAST(:owner AS text)) < CAST(:keptOfOwnerMax AS bigint)
  ON CONFLICT DO NOTHING
  RETURNING statement_id`

export const MAKE_ROOM = `
  DELETE FROM statements WHERE statement_id IN (
    SELECT statement_id FROM statements
    WHERE owner = CAST(:owner AS text) AND state IN ('failed', 'cancelled')
      AND ${HAS_OPEN_PLACE}
      AND (SELECT count(*) FROM statements WHERE owner = CAST(:owner AS text)) >= CAST(:keptOfOwnerMax AS bigint)
    ORDER BY ended_at_ms, statement_id LIMIT 1)
  RETURNING statement_id`

export const FIND_KEPT = `
  SELECT count(*) AS kept_count, min(expires_at_ms) AS first_expires_at_ms FROM statements WHERE owner = :owner`

export const FIND_RESULTS = `SELECT manifest FROM statements WHERE owner = :owner AND state = 'finished'`

export const FIND = `SELECT ${COLUMNS} FROM statements WHERE statement_id = :statementId`

export const FIND_BY_IDEMPOTENCY_KEY = `
  SELECT ${COLUMNS} FROM statements WHERE owner = :owner AND idempotency_key = :idempotencyKey`

export const FIND_FINISHED = `
  SELECT ${COLUMNS} FROM statements
  WHERE owner = :owner AND result_digest = :resultDigest AND state = 'finished'
    AND expires_at_ms > CAST(:untilMs AS bigint)
  ORDER BY ended_at_ms DESC LIMIT 1`

const SEALED_BYTES = `octet_length(sealed_job) + COALESCE(octet_length(sealed_failure), 0)`

export const LIST = `
  SELECT ${COLUMNS} FROM statements WHERE statement_id IN (
    SELECT statement_id FROM (
      SELECT statement_id, submitted_at_ms,
        sum(${SEALED_BYTES}) OVER (ORDER BY submitted_at_ms DESC, statement_id) - (${SEALED_BYTES}) AS bytes_before
      FROM statements WHERE owner = :owner) AS owned
    WHERE bytes_before < CAST(:bytesMax AS bigint)
    ORDER BY submitted_at_ms DESC, statement_id LIMIT CAST(:countMax AS bigint))
  ORDER BY submitted_at_ms DESC, statement_id`

/** @param skipLocked lets callers that claim at once take different rows rather than wait for one */
export const claimSql = (skipLocked: string): string => `
  UPDATE statements SET state = 'running', revision = revision + 1, fencing_token = fencing_token + 1,
    attempt_count = attempt_count + 1, worker_id = :workerId,
    lease_expires_at_ms = CAST(:leaseExpiresAtMs AS bigint),
    started_at_ms = COALESCE(started_at_ms, CAST(:nowMs AS bigint)), bytes_read = 0, bytes_planned = 0, row_count = 0
  WHERE statement_id = (
    SELECT statement_id FROM statements AS next
    WHERE attempt_count < CAST(:attemptsMax AS bigint)
      AND ((state = 'queued' AND available_at_ms <= CAST(:nowMs AS bigint))
        OR (state = 'running' AND lease_expires_at_ms <= CAST(:nowMs AS bigint)))
    ORDER BY (SELECT count(*) FROM statements AS held
        WHERE held.owner = next.owner AND held.state = 'running'
          AND held.lease_expires_at_ms > CAST(:nowMs AS bigint)),
      submitted_at_ms, statement_id
    LIMIT 1 ${skipLocked})
  RETURNING ${COLUMNS}`

export const RENEW = `
  UPDATE statements SET revision = revision + 1, lease_expires_at_ms = CAST(:leaseExpiresAtMs AS bigint),
    bytes_read = CAST(:bytesRead AS bigint), bytes_planned = CAST(:bytesPlanned AS bigint),
    row_count = CAST(:rowCount AS bigint)
  WHERE ${IS_HELD} AND state IN ('running', 'cancelling')
  RETURNING state`

export const HAND_BACK = `
  UPDATE statements SET state = 'queued', revision = revision + 1, worker_id = NULL, lease_expires_at_ms = NULL,
    available_at_ms = CAST(:availableAtMs AS bigint), attempt_count = attempt_count - CAST(:uncounted AS bigint),
    sealed_failure = COALESCE(CAST(:sealedFailure AS text), sealed_failure)
  WHERE ${IS_HELD} AND state = 'running'
  RETURNING statement_id`

export const END = `
  UPDATE statements SET state = CAST(:state AS text), revision = revision + 1, worker_id = NULL,
    lease_expires_at_ms = NULL, ended_at_ms = CAST(:nowMs AS bigint), expires_at_ms = CAST(:expiresAtMs AS bigint),
    sealed_failure = CAST(:sealedFailure AS text), manifest = CAST(:manifest AS text),
    row_count = COALESCE(CAST(:rowCount AS bigint), row_count)
  WHERE ${IS_HELD} AND (state = 'running' OR (state = 'cancelling' AND CAST(:state AS text) = 'cancelled'))
  RETURNING statement_id`

export const REQUEST_CANCEL = `
  UPDATE statements SET
    ended_at_ms = CASE WHEN state = 'queued' THEN CAST(:nowMs AS bigint) ELSE ended_at_ms END,
    expires_at_ms = CASE WHEN state = 'queued' THEN CAST(:expiresAtMs AS bigint) ELSE expires_at_ms END,
    revision = CASE WHEN state IN ('queued', 'running') THEN revision + 1 ELSE revision END,
    state = CASE state WHEN 'queued' THEN 'cancelled' WHEN 'running' THEN 'cancelling' ELSE state END
  WHERE statement_id = :statementId
  RETURNING state`

export const END_ABANDONED = `
  UPDATE statements SET
    sealed_failure = CASE WHEN state = 'running' THEN COALESCE(sealed_failure, CAST(:sealedFailure AS text))
      ELSE sealed_failure END,
    state = CASE WHEN state = 'cancelling' THEN 'cancelled' ELSE 'failed' END,
    revision = revision + 1, worker_id = NULL, lease_expires_at_ms = NULL, ended_at_ms = CAST(:nowMs AS bigint),
    expires_at_ms = CAST(:expiresAtMs AS bigint)
  WHERE lease_expires_at_ms <= CAST(:nowMs AS bigint) AND (state = 'cancelling'
    OR (state = 'running' AND attempt_count >= CAST(:attemptsMax AS bigint)))
  RETURNING statement_id`

export const REMOVE_EXPIRED = `
  DELETE FROM statements WHERE statement_id IN (
    SELECT statement_id FROM statements
    WHERE expires_at_ms <= CAST(:nowMs AS bigint) AND state IN ('finished', 'failed', 'cancelled')
    ORDER BY expires_at_ms LIMIT CAST(:countMax AS bigint))
  RETURNING statement_id`

/** @param count how many ids; they are the parameters `ida`, `idb`, … as `idParameters` names them */
export const findAllSql = (names: readonly string[]): string =>
  `SELECT ${COLUMNS} FROM statements WHERE statement_id IN (${names.map((name) => `:${name}`).join(', ')})`

export const CHECK = 'SELECT 1 AS one'
