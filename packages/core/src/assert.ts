// Checks of our own assumptions. A failed assertion is a bug in this program, never a fault of input: it is answered
// as INTERNAL and never retried.

/** Thrown when an assumption of ours does not hold. Not an AppError on purpose: callers cannot act on it. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

/** Throws AssertionError when `condition` is false. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message)
}

/** Returns `value`, or throws AssertionError when it is absent. */
export function assertDefined<T>(value: T | null | undefined, message: string): T {
  if (value === null || value === undefined) throw new AssertionError(message)
  return value
}

/** Marks a branch that the types rule out, so that a forgotten union member is a compile error. */
export function assertNever(value: never): never {
  throw new AssertionError(`unexpected value: ${String(value)}`)
}
