// Where durable statements are kept. One interface over SQLite (one server) and PostgreSQL (replicas that share it).
//
// What every implementation promises:
//
// - Each function is one atomic change. Two that touch one statement happen one after the other.
// - `insert` makes at most one statement of an owner's idempotency key, ever, and none above the given bounds. Bounds
//   are exact in SQLite; in PostgreSQL inserts that overlap do not see each other, so they may pass it together.
// - `claim` gives a statement to one caller and raises its fencing token in the same change. Nobody else gets that
//   token.
// - `renew`, `handBack` and `end` compare and set: they change a statement only while it is held under the fencing token
//   that they carry, and say whether they did. A worker that was overtaken changes nothing, whenever its write arrives.
// - `end` happens once. A caller that does not hear of it may repeat it: it is told that nothing changed and can look.
// - Times come from the caller. Replicas whose clocks differ claim each other's statements too early or late, which costs
//   work and never an answer.
// - A change that was answered survives a crash of the server and of the machine.
//
// Every function throws AppError STATEMENTS_UNAVAILABLE when the store does not answer or refuses; then it may or may not
// have happened.
import type {
  AttemptProgress,
  ManifestPointer,
  StatementRecord,
  StatementState,
} from '@lake/core/statements/statement.ts'

export interface NewStatement {
  readonly statementId: string
  readonly owner: string
  readonly idempotencyKey: string | null
  readonly requestDigest: string
  readonly resultDigest: string | null
  readonly sealedJob: string
}

export interface Claim {
  readonly statementId: string
  readonly fencingToken: number
}

export type StatementEnd =
  | { readonly state: 'finished'; readonly manifest: ManifestPointer }
  | { readonly state: 'failed'; readonly sealedFailure: string }
  | { readonly state: 'cancelled' }

export interface StatementBounds {
  readonly openOfOwnerMax: number
  readonly keptOfOwnerMax: number
  readonly openMax: number
}

/** When something happened, and until when it is kept. */
export interface EndTimes {
  readonly nowMs: number
  readonly expiresAtMs: number
}

export interface StatementStore extends AsyncDisposable {
  /**
   * Adds a queued statement. Nothing is added where the owner's idempotency key is taken, where the owner has
   * `openOfOwnerMax` statements that have not ended, or `keptOfOwnerMax` at all, or all owners together `openMax` open ones.
   * @returns whether it was added
   */
  insert(statement: NewStatement, bounds: StatementBounds & { readonly nowMs: number }): Promise<boolean>
  /**
   * Where an owner has `keptOfOwnerMax` statements and nothing else keeps another one out: removes the one of theirs that
   * failed or was cancelled first.
   * @returns whether it did
   */
  makeRoom(owner: string, bounds: StatementBounds): Promise<boolean>
  /** How many statements of the owner there are, and when the first of them expires. */
  findKept(owner: string): Promise<{ readonly count: number; readonly firstExpiresAtMs: number | null }>
  find(statementId: string): Promise<StatementRecord | undefined>
  findByIdempotencyKey(owner: string, idempotencyKey: string): Promise<StatementRecord | undefined>
  /** The newest finished one of the owner with this digest that does not expire before `untilMs`. */
  findFinished(owner: string, resultDigest: string, untilMs: number): Promise<StatementRecord | undefined>
  /** The owner's, newest first, as many as begin within so many bytes of what is sealed. */
  list(
    owner: string,
    bounds: { readonly countMax: number; readonly bytesMax: number },
  ): Promise<StatementRecord[]>
  /** Of all results of the owner. */
  keptBytes(owner: string): Promise<number>
  /** Of those ids that are there. */
  findAll(statementIds: readonly string[]): Promise<StatementRecord[]>

  /** Claims the next one: of the owner with the fewest running, the one submitted first. By the rules of core/claim. */
  claim(claim: {
    readonly workerId: string
    readonly nowMs: number
    readonly leaseExpiresAtMs: number
    readonly attemptsMax: number
  }): Promise<StatementRecord | undefined>
  /** Prolongs the lease and notes the progress. @returns its state, `undefined` when it is not held under this token */
  renew(
    claim: Claim,
    lease: { readonly leaseExpiresAtMs: number; readonly progress: AttemptProgress },
  ): Promise<StatementState | undefined>
  /** Puts a running statement back into the queue. @returns whether it was held under this token and running */
  handBack(
    claim: Claim,
    next: {
      readonly availableAtMs: number
      readonly isAttemptCounted: boolean
      readonly sealedFailure: string | null
    },
  ): Promise<boolean>
  /**
   * Ends a held statement: a running one in any way, one that is being cancelled as `cancelled` only.
   * @returns whether it did
   */
  end(claim: Claim, how: StatementEnd, times: EndTimes): Promise<boolean>
  /** Asks for the end of a statement, by core/claim. @returns its state then; undefined where there is none */
  requestCancel(statementId: string, times: EndTimes): Promise<StatementState | undefined>
  /**
   * Ends the statements whose workers are gone and that are not run again: as cancelled where that was asked for, else
   * as failed, with the cause of their last failed attempt or this one.
   * @returns how many
   */
  endAbandoned(sealedFailure: string, times: EndTimes & { readonly attemptsMax: number }): Promise<number>
  /** Removes ended statements whose time is over. @returns their ids, at most `countMax` */
  removeExpired(nowMs: number, countMax: number): Promise<string[]>
  /** Throws STATEMENTS_UNAVAILABLE unless the store answers. */
  check(): Promise<void>
}
