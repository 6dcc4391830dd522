// Secrets in AWS Secrets Manager, read with the ambient identity. The SDK is loaded with the first reference that needs it.
// Nothing is cached here: who holds a secret decides when to ask again.
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { AppError } from '@lake/core/errors.ts'
import { abortError, startDeadline } from '../concurrency/deadline.ts'
import { LIMITS } from '../limits.ts'

/**
 * Reads `<name or ARN>`, or with `#key` one text of its JSON object; undefined where there is no such text.
 * Throws AppError CATALOG_UNAVAILABLE naming the reference and the reason, never a value; DEADLINE_EXCEEDED; CANCELLED.
 */
export type ReadAwsSecret = (name: string, signal: AbortSignal) => Promise<string | undefined>

export function createAwsSecrets(): ReadAwsSecret {
  const clients = new Map<string | undefined, Promise<SecretsManagerClient>>()
  return async (name, signal) => {
    const hash = name.indexOf('#')
    const secretId = hash < 0 ? name : name.slice(0, hash)
    using deadline = startDeadline(signal, LIMITS.secretResolveTimeoutMs, 'Reading a secret')
    try {
      const region = /^arn:[^:]+:secretsmanager:([a-z0-9-]+):/.exec(secretId)?.[1]
      const client = clients.get(region) ?? createClient(region)
      clients.set(region, client)
      const { GetSecretValueCommand } = await import('@aws-sdk/client-secrets-manager')
      const answer = await (
        await client
      ).send(new GetSecretValueCommand({ SecretId: secretId }), { abortSignal: deadline.signal })
      return hash < 0 ? answer.SecretString : readKey(answer.SecretString, name.slice(hash + 1))
    } catch (error) {
      if (deadline.signal.aborted) throw abortError(deadline.signal)
      // The error itself is left out: it carries the signed request.
      const { name: kind, message } = error instanceof Error ? error : { name: 'failure', message: '' }
      const reason = message === 'Region is missing' ? 'set AWS_REGION, or write its ARN' : kind
      throw new AppError('CATALOG_UNAVAILABLE', `The secret aws-sm:${name} cannot be read (${reason})`)
    }
  }
}

async function createClient(region: string | undefined): Promise<SecretsManagerClient> {
  const { SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager')
  return new SecretsManagerClient({ maxAttempts: 1, ...(region === undefined ? {} : { region }) })
}

function readKey(text: string | undefined, key: string): string | undefined {
  const value: unknown = text === undefined ? undefined : JSON.parse(text)
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  const found: unknown = Object.entries(value).find(([name]) => name === key)?.[1]
  return typeof found === 'string' ? found : undefined
}
