// What quotas need to know of other replicas: the bytes that a principal's statements read there.

export interface BytesElsewhere {
  /** What this server has read for a principal in an hour (since the epoch) so far. Never waits, never fails. */
  tell(principalId: string, hour: number, byteCount: number): void
  /** Hours, each once or more often, with the bytes read elsewhere, as far as is known. */
  of(principalId: string): Iterable<readonly [hour: number, byteCount: number]>
}

export const NO_BYTES_ELSEWHERE: BytesElsewhere = { tell: () => undefined, of: () => [] }
