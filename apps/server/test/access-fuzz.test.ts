// Random principals, grants, routes and names against a model of a few lines: what a request loads is what its principal
// may read, whatever the spelling.
import { createHash } from 'node:crypto'
import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { API_PREFIX, NAMESPACE_SEPARATOR, ROUTES } from '@lake/core/api/contract.ts'
import { startTestEngine, type TestEngine } from './engine-support.ts'
import { createRandom } from './support/random-queries.ts'
import { startRecordingApp, type RecordingApp } from './support/recording-app.ts'
import { GUARDED_ROUTES, requestTo } from './support/route-requests.ts'

const CASES = 20_000
const PRINCIPALS = 60
/** One case in so many asks the engine to parse a statement, which takes longer than all the rest. */
const STATEMENTS_EVERY = 40

const DEPLOYMENT: string[][] = [
  ['analytics'],
  ['models'],
  ['models', 'v2'],
  ['models', 'v2', 'eval'],
  ['models2'],
  ['x.y', 'z'],
  ['ünï', 'cödé'],
  ['per%63ent', '%2e%2e'],
  ['sp ace', 'qu"ote', "ap'os"],
  ['sla/sh', 'back\\slash'],
  ['*'],
  ['a:1,b'],
  ['..x', '.'],
  ['select'],
  ['日本', '表'],
]
const TABLES = [
  't',
  'T',
  'robots',
  'x.y',
  'sla/sh',
  '..',
  '%41',
  'snap$shots',
  "o'k",
  'naïve',
  't$files',
  ' ',
]

// The model: names as texts that only a name above is a beginning of, and both sides asked.
const textOf = (levels: readonly string[]): string =>
  levels.map((level) => `${level.length}:${level},`).join('')
const isReadable = (grants: readonly string[][], namespace: readonly string[]): boolean =>
  DEPLOYMENT.some((levels) => textOf(levels) === textOf(namespace)) &&
  grants.some((grant) => textOf(namespace).startsWith(textOf(grant)))
const namespaceOfSql = (name: string): string[] | undefined => DEPLOYMENT.find((l) => l.join('.') === name)
const namespaceOfPath = (segment: string): string[] => decodeURIComponent(segment).split(NAMESPACE_SEPARATOR)

let engine: TestEngine
let app: RecordingApp
let pool: Pool
const random = createRandom(20_261_130)
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!
const chance = (share: number): boolean => random() < share

/** A namespace of the deployment, one that may be read rather often, or one that looks like it. */
function anyNamespace(readable: readonly string[][] = []): string[] {
  const levels = [...pick(readable.length > 0 && chance(0.5) ? readable : DEPLOYMENT)]
  const at = Math.floor(random() * levels.length)
  const level = levels[at]!
  const changed = pick([
    () => level.toUpperCase(),
    () => `${level} `,
    () => level.slice(0, -1) || 'x',
    () => `${level}\u0000`,
    () => encodeURIComponent(level),
    () => level.normalize('NFD'),
    () => '..',
    () => level.replaceAll('e', 'е'), // a Cyrillic letter
  ])
  if (chance(0.25)) levels[at] = changed()
  if (chance(0.1)) levels.push(pick(['x', 'v2', 'eval', '..']))
  if (chance(0.1)) levels.shift()
  if (chance(0.05)) return [levels.join('.') || 'x']
  return levels.length === 0 ? ['x'] : levels
}

/** Some grants, each of which covers one namespace and those below, or everything. */
function anyGrants(): string[][] {
  const count = Math.floor(random() * 4)
  return Array.from({ length: count }, () =>
    chance(0.1) ? [] : chance(0.3) ? pick(DEPLOYMENT).slice(0, 1) : anyNamespace(),
  )
}

/** As one path segment, with more escapes than are needed now and then. */
function segmentOf(text: string): string {
  const plain = encodeURIComponent(text)
  if (!chance(0.2)) return plain
  const escape = (letter: string): string => (chance(0.5) ? `%${letter.charCodeAt(0).toString(16)}` : letter)
  return plain.replaceAll(/%[0-9A-F]{2}|[a-z]/g, (part) =>
    part.startsWith('%') ? (chance(0.5) ? part.toLowerCase() : part) : escape(part),
  )
}

const holders = Array.from({ length: PRINCIPALS }, (_, index) => {
  const grants = anyGrants()
  const readable = DEPLOYMENT.filter((levels) => isReadable(grants, levels))
  return { name: `p${index}`, token: `token-${index}`, grants, readable }
})
type Holder = (typeof holders)[number]

beforeAll(async () => {
  engine = await startTestEngine({ threads: 1 })
  const principals = holders.map(({ name, token, grants }) => ({
    name,
    namespaces: grants.map((grant) => (grant.length === 0 ? '*' : grant)),
    tokens: [{ sha256: createHash('sha256').update(token).digest('hex') }],
  }))
  app = await startRecordingApp({
    engine: engine.engine,
    deployment: DEPLOYMENT,
    principals: JSON.stringify({ principals }),
  })
  pool = new Pool(app.url, { connections: 1, pipelining: 1 })
}, 60_000)

afterAll(async () => {
  await pool?.destroy()
  await app?.[Symbol.asyncDispose]()
  await engine?.[Symbol.asyncDispose]()
})

interface Case {
  readonly sent: ReturnType<typeof requestTo>
  /** What may be loaded, and the codes that the answer may have. */
  readonly expectedLoads: readonly string[][]
  readonly codes: readonly string[]
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
const PARTS = { namespaceSegment: 'x', tableSegment: 't', sql: 'SELECT 1', ticket: 'x' }

function pathCase(name: (typeof GUARDED_ROUTES)[number], { grants, readable }: Holder): Case {
  const namespaceSegment = segmentOf(anyNamespace(readable).join(NAMESPACE_SEPARATOR))
  const tableSegment = segmentOf(pick(TABLES))
  const sent = requestTo(name, { ...PARTS, namespaceSegment, tableSegment })
  const namespace = namespaceOfPath(namespaceSegment)
  const isTable = ROUTES[name].requires === 'table'
  if (namespace.includes('')) return { sent, expectedLoads: [], codes: ['INVALID_REQUEST'] }
  const load = isTable ? [...namespace, decodeURIComponent(tableSegment)] : namespace
  const isAllowed = isReadable(grants, namespace)
  const refused = isTable ? 'NO_SUCH_TABLE' : 'NO_SUCH_NAMESPACE'
  return { sent, expectedLoads: isAllowed ? [load] : [], codes: isAllowed ? ['ok', refused] : [refused] }
}

function statementCase(name: (typeof GUARDED_ROUTES)[number], { grants, readable }: Holder): Case {
  const mentions = Array.from({ length: chance(0.3) ? 2 : 1 }, () => ({
    schema: anyNamespace(readable).join('.').replaceAll('\u0000', '0'),
    table: pick(TABLES),
  }))
  const from = mentions.map(
    ({ schema, table }, index) => `iceberg.${quoted(schema)}.${quoted(table)} AS a${index}`,
  )
  const sent = requestTo(name, { ...PARTS, sql: `SELECT 1 FROM ${from.join(', ')}` })
  const isAllowed = mentions.every(({ schema }) => {
    const namespace = namespaceOfSql(schema)
    return namespace !== undefined && isReadable(grants, namespace)
  })
  const loads = mentions.map(({ schema, table }) => [...(namespaceOfSql(schema) ?? []), table])
  const isPlanned = isAllowed && name !== 'analyze'
  // Two names that differ in case only, and odd metadata tables, are refused as such.
  const codes = isAllowed ? ['ok', 'NO_SUCH_TABLE', 'SQL_UNSUPPORTED'] : ['NO_SUCH_TABLE', 'SQL_UNSUPPORTED']
  return { sent, expectedLoads: isPlanned ? loads : [], codes }
}

function ticketCase(name: (typeof GUARDED_ROUTES)[number], holder: Holder): Case {
  const owner = chance(0.7) ? holder : pick(holders)
  const namespace = anyNamespace(owner.readable)
  const table = pick(TABLES)
  const ticket = app.sealer.seal({
    statementId: 's',
    sql: 'SELECT 1',
    pins: [{ namespace, table, tableUuid: null, snapshotId: null, schemaId: 0 }],
    principal: `file:${owner.name}`,
    issuedAtMs: app.clock.nowMs(),
    expiresAtMs: app.clock.nowMs() + 60_000,
  })
  const sent = requestTo(name, { ...PARTS, ticket })
  if (owner !== holder) return { sent, expectedLoads: [], codes: ['TICKET_INVALID'] }
  if (name === 'cancelFlightInfo') return { sent, expectedLoads: [], codes: ['ok'] }
  const isAllowed = isReadable(holder.grants, namespace)
  return { sent, expectedLoads: isAllowed ? [[...namespace, table]] : [], codes: ['NO_SUCH_TABLE'] }
}

function anyCase(index: number, holder: Holder): Case {
  const isStatement = index % STATEMENTS_EVERY === 0
  const name = pick(
    GUARDED_ROUTES.filter((route) => (ROUTES[route].requires === 'statement') === isStatement),
  )
  switch (ROUTES[name].requires) {
    case 'statement':
      return statementCase(name, holder)
    case 'ticket':
      return ticketCase(name, holder)
    case 'principal':
      return { sent: requestTo(name, PARTS), expectedLoads: [], codes: ['ok'] }
    default:
      return pathCase(name, holder)
  }
}

interface Answer {
  readonly code: string
  readonly json: unknown
}

async function send({ method, path, body }: Case['sent'], token: string): Promise<Answer> {
  const answer = await pool.request({
    method,
    path: `${API_PREFIX}${path}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const json = (await answer.body.json()) as { error?: { code: string } }
  return { code: json.error?.code ?? 'ok', json }
}

/** True where the request loaded what the model allows, and was answered as if by it. */
function isAsModelled(
  { sent, expectedLoads, codes }: Case,
  holder: Holder,
  index: number,
  answer: Answer,
): boolean {
  if (!codes.includes(answer.code)) return false
  if (sent.path === ROUTES.namespaces.path) {
    return JSON.stringify(answer.json) === JSON.stringify({ namespaces: holder.readable })
  }
  if (index % STATEMENTS_EVERY !== 0) return JSON.stringify(app.loads) === JSON.stringify(expectedLoads)
  // A statement may be refused before its last table, and the name of a metadata table may be a table's own.
  const namespaces = new Set(expectedLoads.map((load) => JSON.stringify(load.slice(0, -1))))
  return app.loads.every((load) => namespaces.has(JSON.stringify(load.slice(0, -1))))
}

describe('[AU1] what is loaded', () => {
  it(`is what the model allows, in ${CASES} cases`, async () => {
    let allowed = 0
    for (let index = 0; index < CASES; index += 1) {
      const holder = pick(holders)
      // A list that was loaded a moment ago is not loaded again.
      app.clock.advance(60_000)
      const asked = anyCase(index, holder)
      app.loads.length = 0
      const answer = await send(asked.sent, holder.token)
      if (!isAsModelled(asked, holder, index, answer))
        expect.fail(JSON.stringify({ index, ...asked, grants: holder.grants, answer, loads: app.loads }))
      if (asked.expectedLoads.length > 0) allowed += 1
    }
    // The names are near enough to each other that both answers are common.
    expect(allowed / CASES).toBeGreaterThan(0.1)
    expect(allowed / CASES).toBeLessThan(0.6)
  }, 120_000)
})
