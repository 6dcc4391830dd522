// A real OAuth authorization server on loopback that issues signed JWTs for client credentials, and the check that a
// resource server makes of them.
import { createServer } from 'node:http'
import { generateKeyPairSync, randomUUID, verify } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

export const RESOURCE = 'urn:lake:catalog'
export const TOKEN_LIFETIME_S = 60
/** Both styles of client authentication must carry these characters unharmed. */
export const CLIENTS = {
  body: { id: 'lake-body', secret: 'canary:+&=%25 "secret-secret-secret' },
  basic: { id: 'lake basic', secret: "canary:+&=%25 '(*)-secret-secret" },
} as const

export interface AuthorizationServer extends AsyncDisposable {
  readonly tokenUri: URL
  /** Status of every exchange so far. */
  readonly exchanges: number[]
  /** The claims of a token that this server signed for `RESOURCE`; undefined for any other text. */
  check(token: string): Readonly<Record<string, unknown>> | undefined
}

export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const exchanges: number[] = []
  const server = createServer((request, response) => {
    response.on('finish', () => exchanges.push(response.statusCode))
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const common = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }
  const listener = new Provider(issuer, {
    clients: [
      client(CLIENTS.body, { ...common, token_endpoint_auth_method: 'client_secret_post' }),
      client(CLIENTS.basic, { ...common, token_endpoint_auth_method: 'client_secret_basic' }),
    ],
    scopes: ['catalog'],
    ttl: { ClientCredentials: TOKEN_LIFETIME_S },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'k', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomUUID()] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: 'catalog',
          audience: RESOURCE,
          accessTokenTTL: TOKEN_LIFETIME_S,
          accessTokenFormat: 'jwt',
        }),
      },
    },
  }).callback()
  return {
    tokenUri: new URL(`${issuer}/token`),
    exchanges,
    check(token) {
      const [header = '', payload = '', signature = ''] = token.split('.')
      const isSigned = verify(
        'RSA-SHA256',
        Buffer.from(`${header}.${payload}`),
        publicKey,
        Buffer.from(signature, 'base64url'),
      )
      if (!isSigned) return undefined
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
      return claims['aud'] === RESOURCE ? claims : undefined
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function client({ id, secret }: { id: string; secret: string }, more: object): object {
  return { client_id: id, client_secret: secret, ...more }
}
