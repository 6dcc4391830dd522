// A principals file for tests, with a token per principal.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiToken, digestToken } from '../../src/access/api-token.ts'

export type WrittenGrant = string | readonly string[]

export interface TestPrincipals<Name extends string> extends AsyncDisposable {
  readonly path: string
  readonly tokens: Readonly<Record<Name, string>>
  /** Writes other grants, or faulty text, into the file. */
  write(content: Readonly<Partial<Record<Name, readonly WrittenGrant[]>>> | string): Promise<void>
}

export async function createTestPrincipals<Name extends string>(
  grants: Readonly<Record<Name, readonly WrittenGrant[]>>,
): Promise<TestPrincipals<Name>> {
  const directory = await mkdtemp(join(tmpdir(), 'lake-principals-'))
  const path = join(directory, 'principals.json')
  const names = Object.keys(grants) as Name[]
  const tokens = Object.fromEntries(names.map((name) => [name, createApiToken()])) as Record<Name, string>
  const write: TestPrincipals<Name>['write'] = async (content) => {
    const text =
      typeof content === 'string'
        ? content
        : JSON.stringify({
            principals: Object.entries(content).map(([name, namespaces]) => ({
              name,
              namespaces,
              tokens: [{ sha256: digestToken(tokens[name as Name]).toString('hex') }],
            })),
          })
    await writeFile(path, text)
  }
  await write(grants)
  return {
    path,
    tokens,
    write,
    [Symbol.asyncDispose]: async () => {
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })
