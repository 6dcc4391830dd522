// Secrets as configured: given inline, or by reference and resolved late. The *setting* (with references, never with
// what they resolve to) is what fingerprints are made from, so rotation does not change a client's identity.
import { readFile } from 'node:fs/promises'
import { assertDefined } from '@lake/core/assert.ts'
import { AppError } from '@lake/core/errors.ts'
import { Secret } from '../observability/redaction.ts'
import { createAwsSecrets } from './aws-secrets.ts'

export type SecretSetting =
  | { readonly kind: 'inline'; readonly secret: Secret }
  | { readonly kind: 'reference'; readonly reference: string }

/** Turns a reference such as `file:/run/secrets/x` into the secret. Throws AppError CATALOG_UNAVAILABLE. */
export type SecretResolver = (reference: string, signal: AbortSignal) => Promise<Secret>

/**
 * Reads a setting as written. A JSON object must be exactly `{"secret_ref":"…"}`: any other object is a fault and is
 * never taken for a secret.
 * @returns the setting, or the fault in words (without the value)
 */
export function parseSecretSetting(
  text: string,
): SecretSetting | { readonly kind: 'fault'; readonly fault: string } {
  if (!text.trimStart().startsWith('{')) return { kind: 'inline', secret: new Secret(text) }
  const fault = { kind: 'fault', fault: 'a JSON object here must be exactly {"secret_ref":"…"}' } as const
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return fault
  }
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return fault
  const reference: unknown = Object.entries(value).find(([key]) => key === 'secret_ref')?.[1]
  if (typeof reference !== 'string' || reference === '') return fault
  if (!/^(file|env|aws-sm):[^#]/.test(reference)) {
    return {
      kind: 'fault',
      fault:
        'secret_ref must be file:<path>, env:<variable> or aws-sm:<name or ARN>[#json-key]: nothing here resolves another',
    }
  }
  return { kind: 'reference', reference }
}

/**
 * Resolves `file:<path>` (one trailing line break removed), `env:<name>` from the given environment, and
 * `aws-sm:<name or ARN>` from AWS Secrets Manager, with `#key` one text of a JSON object.
 */
export function createSecretResolver(
  environment: Readonly<Record<string, string | undefined>>,
): SecretResolver {
  const readAwsSecret = createAwsSecrets()
  const readers: Readonly<
    Record<string, (name: string, signal: AbortSignal) => Promise<string | undefined>>
  > = {
    file: readSecretFile,
    env: (name) => Promise.resolve(environment[name]),
    'aws-sm': readAwsSecret,
  }
  return async (reference, signal) => {
    const colon = reference.indexOf(':')
    const read = assertDefined(readers[reference.slice(0, colon)], 'a reference was checked when it was read')
    const text = await read(reference.slice(colon + 1), signal)
    if (text === undefined || text === '') {
      throw new AppError('CATALOG_UNAVAILABLE', `The secret reference ${reference} resolves to nothing`)
    }
    return new Secret(text)
  }
}

async function readSecretFile(path: string, signal: AbortSignal): Promise<string> {
  try {
    return (await readFile(path, { encoding: 'utf8', signal })).replace(/\r?\n$/, '')
  } catch (cause) {
    throw new AppError('CATALOG_UNAVAILABLE', `The secret file ${path} cannot be read`, { cause })
  }
}

/** The secret of a setting, resolved now. */
export async function resolveSecret(
  setting: SecretSetting,
  resolver: SecretResolver,
  signal: AbortSignal,
): Promise<Secret> {
  return setting.kind === 'inline' ? setting.secret : await resolver(setting.reference, signal)
}
