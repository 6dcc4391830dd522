// Where objects are asked for, of every kind of store: endpoints that are safe to send credentials to, and keys in paths. A key's
// characters are encoded exactly once and never normalised, so `//`, `.` and `..` reach the store as they are written.
import { AppError } from '@lake/core/errors.ts'

const LOOPBACK_HOST = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

export const isLoopback = ({ hostname }: URL): boolean => LOOPBACK_HOST.test(hostname)

/** RFC 3986 encoding of each character once, slashes kept, as SigV4 wants it. */
export function encodeKey(key: string): string {
  return encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** @throws AppError TABLE_UNSUPPORTED for anything but a plain https URL (http only for numeric loopback) */
export function parseStorageEndpoint(text: string): URL {
  const url = URL.parse(text)
  if (url === null) throw unusedFeature('storage endpoint that is not a URL')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw unusedFeature('storage endpoint with credentials or parameters in its URL')
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url)))
    throw unusedFeature('storage endpoint without https')
  return url
}

/** A setting of storage that is refused by name. */
export function unusedFeature(feature: string): AppError {
  return new AppError('TABLE_UNSUPPORTED', `The table uses a ${feature}, which is not used`, {
    details: { feature },
  })
}
