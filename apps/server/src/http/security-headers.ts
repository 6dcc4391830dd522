// What every answer tells the browser: no foreign or inline script, no frame around it, no referrer from it, none of the
// machine's devices, and, behind TLS, never plain HTTP again.
import type { RequestHandler } from 'express'
import helmet from 'helmet'

const YEAR_S = 31_536_000
/** Nothing here uses them, so no script that got in could. */
const FEATURES_OFF =
  'accelerometer camera display-capture geolocation gyroscope hid idle-detection magnetometer microphone midi payment ' +
  'publickey-credentials-get screen-wake-lock serial usb xr-spatial-tracking'

/** @param publicUrl where people open the workbench; `https:` behind TLS */
export function securityHeaders(publicUrl: URL | undefined): RequestHandler {
  const isBehindTls = publicUrl?.protocol === 'https:'
  const permissions = FEATURES_OFF.split(' ')
    .map((feature) => `${feature}=()`)
    .join(', ')
  const protect = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        // The editor's workers are files of ours as well.
        scriptSrc: ["'self'"],
        workerSrc: ["'self'"],
        // The editor and the grid set styles on elements; scripts are never inline.
        styleSrc: ["'self'", "'unsafe-inline'"],
        fontSrc: ["'self'", 'data:'],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        ...(isBehindTls ? { upgradeInsecureRequests: [] } : {}),
      },
    },
    strictTransportSecurity: isBehindTls && { maxAge: YEAR_S, includeSubDomains: false },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
  })
  return (request, response, next) => {
    response.setHeader('permissions-policy', permissions)
    protect(request, response, next)
  }
}
