// `npm run token -- NAME [--file PRINCIPALS.json] [--namespaces a,b.c] [--days N]`: makes an API token. It is printed once,
// on standard output; the file gets its digest, and a server that reads the file takes it within a second.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { createApiToken, digestToken } from '../apps/server/src/access/api-token.ts'
import { parsePrincipals } from '../apps/server/src/access/parse-principals.ts'

const USAGE = 'Usage: npm run token -- NAME [--file principals.json] [--namespaces a,b.c] [--days N]'
const DAY_MS = 86_400_000

interface Entry {
  name: string
  namespaces: (string | string[])[]
  tokens: { sha256: string; expiresAt?: string; note?: string }[]
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { file: { type: 'string' }, namespaces: { type: 'string' }, days: { type: 'string' } },
  })
  const [name] = positionals
  const days = values.days === undefined ? undefined : Number(values.days)
  if (name === undefined || positionals.length > 1 || (days !== undefined && !(days > 0)))
    throw new Error(USAGE)
  const token = createApiToken()
  const entry = {
    sha256: digestToken(token).toString('hex'),
    ...(days === undefined ? {} : { expiresAt: new Date(Date.now() + days * DAY_MS).toISOString() }),
  }
  const namespaces = values.namespaces?.split(',').map((part) => part.trim())
  if (values.file === undefined) {
    process.stderr.write(
      `Add to the principals file: ${JSON.stringify({ name, namespaces: namespaces ?? [], tokens: [entry] })}\n`,
    )
  } else await addToken(values.file, { name, namespaces: namespaces ?? [], tokens: [entry] }, namespaces)
  process.stdout.write(`${token}\n`)
}

/** Adds the token to its principal, or the principal to the file. The file is replaced at once, and only by a good one. */
async function addToken(path: string, added: Entry, namespaces: string[] | undefined): Promise<void> {
  const text = await readFile(path, 'utf8').catch(() => '{"principals":[]}')
  const before = parsePrincipals(text)
  if ('faults' in before) throw new Error(`${path} has faults: ${before.faults.join('; ')}`)
  const file = JSON.parse(text) as { principals: Entry[] }
  const known = file.principals.find(({ name }) => name === added.name)
  if (known === undefined) file.principals.push(added)
  else {
    known.tokens.push(...added.tokens)
    if (namespaces !== undefined) known.namespaces = namespaces
  }
  const after = JSON.stringify(file, undefined, 2)
  const parsed = parsePrincipals(after)
  if ('faults' in parsed) throw new Error(parsed.faults.join('; '))
  const draft = `${path}.${process.pid}.new`
  await writeFile(draft, `${after}\n`, { mode: 0o600 })
  await rename(draft, path)
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
