// Whose pages may talk to the server: those that it served itself.
// Without a public address the Host must be its loopback name too, so that no rebound DNS name reaches it.
import type { RequestHandler } from 'express'
import { AppError } from '@lake/core/errors.ts'

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]']
const HTTP_PORT = 80

/** Throws PERMISSION_DENIED for a Host that is not this server, or an Origin that is not that Host. */
export const guardLoopback: RequestHandler = (request, _response, next) => {
  const host = request.headers.host ?? ''
  const [, name = '', port = String(HTTP_PORT)] = /^(.*?)(?::(\d+))?$/.exec(host) ?? []
  // The address that the connection came in on is loopback by configuration, 127.0.0.2 for example.
  const isOwnName = LOOPBACK_NAMES.includes(name) || name === request.socket.localAddress
  if (!isOwnName || port !== String(request.socket.localPort)) {
    throw new AppError('PERMISSION_DENIED', 'This server answers on its loopback address only')
  }
  const { origin } = request.headers
  if (origin !== undefined && origin !== `http://${host}`) {
    throw new AppError('PERMISSION_DENIED', 'Requests from another origin are not answered')
  }
  next()
}

/** Throws PERMISSION_DENIED for an Origin that is not the public one. Who asks is proved by credentials, not by the Host. */
export function guardOrigin(publicOrigin: string): RequestHandler {
  return (request, _response, next) => {
    const { origin } = request.headers
    if (origin !== undefined && origin !== publicOrigin) {
      throw new AppError('PERMISSION_DENIED', 'Requests from another origin are not answered')
    }
    next()
  }
}
