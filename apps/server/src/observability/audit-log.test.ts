import { createHash } from 'node:crypto'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { LIMITS } from '../limits.ts'
import {
  createAuditLog,
  createStreamSink,
  openAuditFile,
  type AuditSink,
  type StatementAudit,
} from './audit-log.ts'
import { createLogger } from './logger.ts'

const ENTRY: StatementAudit = {
  requestId: 'r',
  statementId: 's',
  principal: { id: 'file:ada', name: 'ada', grants: [['secret']] },
  sql: "SELECT 'canary'\n FROM t",
  tables: [{ namespace: ['a', 'b'], table: 't', snapshotId: '7505300640432048841' }],
  rowCount: 3,
  bytesRead: 4,
  elapsedMs: 5,
  outcome: 'ok',
}

function setUp(sink: AuditSink, sqlMode: 'full' | 'hash' | 'none' = 'hash') {
  const lost: number[] = []
  const clock = createManualClock(Date.parse('2026-11-30T10:00:00Z'))
  const said: string[] = []
  const logger = createLogger('info', { write: (line) => said.push(line) })
  const onLost = (count: number) => lost.push(count)
  return {
    lost,
    said: () => said.map((line) => JSON.parse(line) as unknown),
    log: createAuditLog({ sink, sqlMode, clock, logger, onLost }),
  }
}

describe('[AL1] a line', () => {
  it.each([
    ['full', { sql: ENTRY.sql }],
    ['hash', { sqlSha256: createHash('sha256').update(ENTRY.sql).digest('hex') }],
    ['none', {}],
  ] as const)('is whole, with SQL as %s', async (mode, sql) => {
    const lines: string[] = []
    const { log } = setUp(async (text) => void lines.push(text), mode)
    log.statement(ENTRY)
    await log[Symbol.asyncDispose]()
    expect(lines).toHaveLength(1)
    expect(lines[0]?.split('\n')).toHaveLength(2)
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      time: '2026-11-30T10:00:00.000Z',
      event: 'statement',
      principalId: 'file:ada',
      principal: 'ada',
      requestId: 'r',
      statementId: 's',
      tables: ENTRY.tables,
      rowCount: 3,
      bytesRead: 4,
      elapsedMs: 5,
      outcome: 'ok',
      ...sql,
    })
    if (mode !== 'full') expect(lines[0]).not.toContain('canary')
  })
})

describe('[AL2] a sink', () => {
  it('that hangs holds up nobody, and loses what its queue has no room for', async () => {
    const { promise: hung, resolve: release } = Promise.withResolvers<void>()
    const written: string[] = []
    const { log, lost, said } = setUp(async (text) => {
      await hung
      written.push(text)
    }, 'full')
    const sql = 'x'.repeat(1_048_576)
    for (let count = 0; count < 20; count += 1) log.statement({ ...ENTRY, sql })
    const fitting = Math.floor(LIMITS.auditWaitingCharsMax / (sql.length + 400))
    // One batch is on its way.
    expect(lost.length).toBe(20 - fitting - 1)
    const begins = { msg: expect.stringContaining('lost') as string, reason: 'the sink is too slow' }
    expect(said()).toMatchObject([begins])
    release()
    await log[Symbol.asyncDispose]()
    expect(said()).toMatchObject([begins, { msg: 'the audit log is written again' }])
    expect(written.join('').split('\n').length - 1).toBe(fitting + 1)
  })

  it('that hangs holds up the end of the server for a moment only', async () => {
    const limits = LIMITS as { auditEndMs: number }
    const { auditEndMs } = limits
    const { log, lost, said } = setUp(async () => await new Promise(() => undefined))
    for (let count = 0; count < 3; count += 1) log.statement(ENTRY)
    limits.auditEndMs = 20
    await log[Symbol.asyncDispose]()
    limits.auditEndMs = auditEndMs
    expect(lost).toEqual([3])
    expect(said()).toMatchObject([{ reason: 'the server ended' }])
  })

  it('that fails loses its lines, counted and said once, and goes on when it is mended', async () => {
    let isBroken = true
    const written: string[] = []
    const sink: AuditSink = async (text) => {
      if (isBroken) throw Object.assign(new Error('canary'), { code: 'ENOSPC' })
      written.push(text)
    }
    const { log, lost, said } = setUp(sink)
    for (let count = 0; count < 2; count += 1) {
      log.statement(ENTRY)
      await log[Symbol.asyncDispose]()
    }
    isBroken = false
    log.statement(ENTRY)
    await log[Symbol.asyncDispose]()
    expect(lost).toEqual([1, 1])
    expect(written).toHaveLength(1)
    expect(said()).toMatchObject([
      { reason: 'ENOSPC', msg: expect.stringContaining('lost') as string },
      { msg: 'the audit log is written again' },
    ])
    expect(JSON.stringify(said())).not.toContain('canary')
  })

  it('that is a stream whose reader has gone loses its lines, and ends nothing', async () => {
    const gone = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
    const { log, lost } = setUp(createStreamSink(gone))
    for (let count = 0; count < 2; count += 1) {
      log.statement(ENTRY)
      await log[Symbol.asyncDispose]()
    }
    expect(lost).toEqual([1, 1])
  })

  it('that is a file is readable by its owner only, may be moved away, and must be writable at start', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'lake-audit-'))
    try {
      const path = join(directory, 'audit.jsonl')
      const sink = await openAuditFile(path)
      expect((await stat(path)).mode & 0o777).toBe(0o600)
      await sink('one\n')
      await rename(path, `${path}.1`)
      await sink('two\n')
      expect([await readFile(`${path}.1`, 'utf8'), await readFile(path, 'utf8')]).toEqual(['one\n', 'two\n'])
      await truncate(path)
      await sink('three\n')
      expect(await readFile(path, 'utf8')).toBe('three\n')
      await promisify(execFile)('mkfifo', [join(directory, 'pipe')])
      for (const name of ['no/such/folder', 'pipe', '.'])
        await expect(openAuditFile(join(directory, name))).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })

  it('that is a file which ends within a line begins another one', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'lake-audit-'))
    try {
      const path = join(directory, 'audit.jsonl')
      await writeFile(path, '{"half":')
      const sink = await openAuditFile(path)
      await sink('one\n')
      await sink('two\n')
      expect(await readFile(path, 'utf8')).toBe('{"half":\none\ntwo\n')
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  })
})
