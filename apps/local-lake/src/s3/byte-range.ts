// The Range header of a GET, as RFC 9110 and S3 read it: one range of bytes; anything else is as if it were not there.
import { S3Error } from './s3-error.ts'

/** First byte, and one past the last. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * The range to send of an object of `sizeBytes`; undefined means the whole object.
 * @throws S3Error InvalidRange when the range lies outside of the object
 */
export function parseRange(header: string | undefined, sizeBytes: number): ByteRange | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '')
  const [, first = '', last = ''] = match ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes)
    if (length === 0) throw notSatisfiable()
    return { start: sizeBytes - length, end: sizeBytes }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= sizeBytes) throw notSatisfiable()
  return { start, end: last === '' ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) }
}

function notSatisfiable(): S3Error {
  return new S3Error('InvalidRange', 'The requested range is not satisfiable')
}
