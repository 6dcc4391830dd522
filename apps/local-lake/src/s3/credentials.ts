// Storage credentials that the catalog vends and the store checks. A session token carries its own scope and expiry and
// is authenticated by a key that both sides share, so nothing is stored and a token is good for its table alone.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { S3Error } from './s3-error.ts'

/** What the holder of a session token may do. Prefixes are of keys and end with `/`. */
export interface Scope {
  readonly bucket: string
  readonly prefix: string
  readonly isWritable: boolean
  readonly expiresAtMs: number
}

export interface VendedCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string
  readonly expiresAtMs: number
}

/** A fixed key pair with access to every bucket, for programs that do not ask a catalog. */
export interface RootCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

export class CredentialIssuer {
  readonly #key: string
  readonly #root: RootCredentials | undefined

  constructor(key: string, root: RootCredentials | undefined) {
    this.#key = key
    this.#root = root
  }

  /** Credentials for one prefix of one bucket. Equal scopes give equal credentials. */
  vend(scope: Scope): VendedCredentials {
    const claims = Buffer.from(JSON.stringify(scope), 'utf8').toString('base64url')
    const sessionToken = `${claims}.${this.#mac('token', claims)}`
    return { ...this.#keyPair(sessionToken), sessionToken, expiresAtMs: scope.expiresAtMs }
  }

  /**
   * The secret behind an access key, and the scope of its token; `undefined` as scope means everything.
   * @throws S3Error InvalidAccessKeyId, InvalidToken, ExpiredToken
   */
  resolve(
    accessKeyId: string,
    sessionToken: string | undefined,
    nowMs: number,
  ): { secretAccessKey: string; scope: Scope | undefined } {
    if (sessionToken === undefined) {
      if (this.#root === undefined || this.#root.accessKeyId !== accessKeyId)
        throw new S3Error('InvalidAccessKeyId', 'No such access key')
      return { secretAccessKey: this.#root.secretAccessKey, scope: undefined }
    }
    const scope = this.#openToken(sessionToken)
    const pair = this.#keyPair(sessionToken)
    if (pair.accessKeyId !== accessKeyId)
      throw new S3Error('InvalidAccessKeyId', 'The access key is not that of the session token')
    if (nowMs >= scope.expiresAtMs) throw new S3Error('ExpiredToken', 'The provided token has expired.')
    return { secretAccessKey: pair.secretAccessKey, scope }
  }

  #openToken(token: string): Scope {
    const [claims, mac] = token.split('.')
    if (claims === undefined || mac === undefined || !isSame(mac, this.#mac('token', claims)))
      throw new S3Error('InvalidToken', 'The provided token is malformed or otherwise invalid.')
    return JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as Scope
  }

  #keyPair(sessionToken: string): RootCredentials {
    const id = createHash('sha256').update(sessionToken).digest('hex').slice(0, 16).toUpperCase()
    return { accessKeyId: `ASIA${id}`, secretAccessKey: this.#mac('secret', sessionToken) }
  }

  #mac(purpose: string, text: string): string {
    return createHmac('sha256', this.#key).update(`${purpose}\n${text}`).digest('base64url')
  }
}

/** Compares two strings in a time that does not tell where they differ. */
export function isSame(a: string, b: string): boolean {
  const [x, y] = [Buffer.from(a), Buffer.from(b)]
  return x.length === y.length && timingSafeEqual(x, y)
}
