// What of a bug may be logged: its kind and where it happened. Messages of unexpected errors can quote what was parsed,
// so they stay out.

/** The name of the error and the frames of its stack, without the message. */
export function bugTrace(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return [error.name, ...frames].join('\n')
}
