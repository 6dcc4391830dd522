// Who is answered, and where.
import { isLoopbackHost, type Address, type Reader } from './reader.ts'

export interface AccessConfig {
  readonly http: Address
  /** Where people open the workbench; undefined: on this server's own loopback address. */
  readonly publicUrl: URL | undefined
  /** undefined: no authentication. */
  readonly principalsFile: string | undefined
}

/** Beyond loopback there is authentication, and TLS before it. */
export function readAccess(reader: Reader): AccessConfig {
  const http = reader.address('LAKE_HTTP_ADDR') ?? { host: '127.0.0.1', port: 8321 }
  const publicUrl = reader.url('LAKE_PUBLIC_URL')
  const principalsFile = reader.text('LAKE_PRINCIPALS')
  if (publicUrl && publicUrl.pathname !== '/') reader.fault('LAKE_PUBLIC_URL', 'must have no path')
  if (principalsFile === undefined) {
    if (!isLoopbackHost(http.host))
      reader.fault('LAKE_HTTP_ADDR', 'must be a loopback address: no authentication is configured')
    if (publicUrl) reader.fault('LAKE_PUBLIC_URL', 'needs authentication: set LAKE_PRINCIPALS')
  } else if (!isLoopbackHost(http.host) && reader.text('LAKE_PUBLIC_URL') === undefined) {
    reader.fault(
      'LAKE_PUBLIC_URL',
      'is required beyond loopback: the https: address of the proxy before this server',
    )
  }
  return { http, publicUrl, principalsFile }
}
