// A real OpenID provider on loopback: whoever types a name is that person, and the groups are those given here.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

const CLIENT = { id: 'lake-workbench', secret: 'canary-oidc-client-secret' } as const
/** A client of the API, which gets bearer tokens for AUDIENCE; its groups are those of the person of this name. */
export const API_CLIENT = { id: 'pipeline', secret: 'canary-oidc-pipeline-secret' } as const
const AUDIENCE = 'urn:lake:workbench'

export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string
  /** The variables that make a server use it. */
  readonly environment: Readonly<Record<string, string>>
  /** A signed token of API_CLIENT for `audience`. */
  bearerToken(audience?: string): Promise<string>
}

/** @param groups by the name that people type */
export async function startIdentityProvider(options: {
  readonly groups: Readonly<Record<string, readonly string[]>>
  /** Where the workbench is. */
  readonly publicUrl: string
  readonly tokenLifetimeS?: number
}): Promise<IdentityProvider> {
  const { groups } = options
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const server = createServer((request, response) => {
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const accountOf = (name: string) => ({
    accountId: name,
    claims: () => ({ sub: name, email: `${name}@example.com`, groups: groups[name] ?? [] }),
  })
  const listener = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${options.publicUrl}/api/v1/sign-in/callback`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
      {
        client_id: API_CLIENT.id,
        client_secret: API_CLIENT.secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    claims: { openid: ['sub'], email: ['email'], groups: ['groups'] },
    scopes: ['openid', 'email', 'groups', 'read'],
    // As providers of companies do, claims are in the id token.
    conformIdTokenClaims: false,
    findAccount: (_context: unknown, name: string) => accountOf(name),
    extraTokenClaims: () => ({ groups: groups[API_CLIENT.id] ?? [] }),
    pkce: { required: () => true },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'k', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: [randomUUID()] },
    ttl: { ClientCredentials: options.tokenLifetimeS ?? 60 },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context: unknown, audience: string) => ({
          scope: 'read',
          audience,
          accessTokenTTL: options.tokenLifetimeS ?? 60,
          accessTokenFormat: 'jwt',
        }),
      },
    },
  }).callback()
  return {
    issuer,
    environment: {
      LAKE_OIDC_ISSUER: issuer,
      LAKE_OIDC_CLIENT_ID: CLIENT.id,
      LAKE_OIDC_CLIENT_SECRET: CLIENT.secret,
      LAKE_OIDC_SCOPE: 'openid email groups',
      LAKE_OIDC_AUDIENCE: AUDIENCE,
    },
    async bearerToken(audience = AUDIENCE) {
      const answer = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${API_CLIENT.id}:${API_CLIENT.secret}`).toString('base64')}`,
        },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience, scope: 'read' }),
      })
      const { access_token: token } = (await answer.json()) as { access_token?: string }
      if (token === undefined) throw new Error(`no token: ${answer.status}`)
      return token
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A browser without a window: follows redirects, keeps cookies by host, fills in the provider's two forms. */
export function createCookieBrowser() {
  const jars = new Map<string, Map<string, string>>()

  const request = async (url: URL, init: RequestInit = {}): Promise<Response> => {
    const jar = jars.get(url.host) ?? new Map<string, string>()
    jars.set(url.host, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === '' ? {} : { cookie }) }
    const answer = await fetch(url, { ...init, redirect: 'manual', headers })
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ''] = set.split(';')
      const [name = '', ...rest] = pair.split('=')
      if (/expires=Thu, 01 Jan 1970/i.test(set)) jar.delete(name)
      else jar.set(name, rest.join('='))
    }
    return answer
  }

  return {
    request,
    cookiesOf: (url: string): ReadonlyMap<string, string> => jars.get(new URL(url).host) ?? new Map(),
    /** From `start` through the provider's forms as `name`, up to the address that comes back to `home`. */
    async signIn(start: string, name: string, home: string): Promise<URL> {
      let url = new URL(start)
      let init: RequestInit = {}
      for (let step = 0; step < 20; step += 1) {
        const answer = await request(url, init)
        init = {}
        const location = answer.headers.get('location')
        if (location !== null) {
          url = new URL(location, url)
          if (url.origin === home && url.pathname.endsWith('/callback')) return url
          continue
        }
        const page = await answer.text()
        const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1]
        const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
        if (action === undefined || prompt === undefined) throw new Error(`no form: ${answer.status} ${page}`)
        url = new URL(action, url)
        init = { method: 'POST', body: new URLSearchParams({ prompt, login: name, password: 'x' }) }
      }
      throw new Error('the sign-in goes in circles')
    },
  }
}
