// Where results of background statements are kept: objects that are written once and never change. Keys are ours, of
// letters, digits, `-`, `.` and `/`. Knows nothing of statements.
//
// Every method throws AppError: RESULTS_UNAVAILABLE, RESULTS_FULL (writing), and what `signal` was aborted with.

export interface ResultObjects extends AsyncDisposable {
  /**
   * Writes an object that is not there yet, whole or not at all.
   * @returns false where it is there; it is left as it is
   */
  putIfAbsent(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<boolean>
  /** The whole object; undefined where there is none. RESULTS_UNAVAILABLE where it is larger than `bytesMax`. */
  read(key: string, bytesMax: number, signal: AbortSignal): Promise<Uint8Array | undefined>
  /** Every object whose key starts with `prefix`, in no order. */
  list(
    prefix: string,
    signal: AbortSignal,
  ): AsyncIterable<{ readonly key: string; readonly modifiedAtMs: number }>
  /** Removing what is not there is no error. */
  remove(key: string, signal: AbortSignal): Promise<void>
}
