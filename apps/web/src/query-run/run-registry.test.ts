import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { FlightInfoRequest } from '@lake/core/api/contract.ts'
import { dropRun, onRunChange, startRuns, stopTab } from './run-registry.ts'
import type { QueryRun, RunSource } from './query-run.ts'
import { isRunning } from './run-state.ts'

const source = (sql: string): RunSource => ({ tabId: 'tab', sql, startOffset: 0, startLine: 1, pins: [] })
const ended: string[] = []
const asked: string[] = []
let answer: (sql: string) => Promise<Response>

onRunChange(({ source, snapshot }: QueryRun) => {
  if (!isRunning(snapshot.state)) ended.push(`${source.sql} ${snapshot.state.kind}`)
})

const refusal = () =>
  Response.json({ error: { code: 'SQL_SYNTAX', message: 'no', requestId: 'r' } }, { status: 400 })

beforeEach(() => {
  ended.length = 0
  asked.length = 0
  answer = () => Promise.resolve(refusal())
  vi.stubGlobal('fetch', (_url: string, init: { body: string }) => {
    const { sql } = JSON.parse(init.body) as FlightInfoRequest
    asked.push(sql)
    return answer(sql)
  })
})

afterEach(() => {
  dropRun('tab')
  vi.unstubAllGlobals()
})

describe('[ED1] statements of one text', () => {
  it('are not started after one that failed', async () => {
    startRuns([source('one'), source('two')])
    await expect.poll(() => ended).toEqual(['one failed'])
    expect(asked).toEqual(['one'])
  })

  it('are left out when the tab is stopped', async () => {
    answer = () => new Promise(() => undefined)
    startRuns([source('one'), source('two')])
    await expect.poll(() => asked).toEqual(['one'])
    stopTab('tab')
    await expect.poll(() => ended).toEqual(['one stopped'])
    expect(asked).toEqual(['one'])
  })

  it('give way to a new run of the same tab', async () => {
    answer = () => new Promise(() => undefined)
    startRuns([source('one'), source('two')])
    startRuns([source('three')])
    await expect.poll(() => ended).toEqual(['one stopped'])
    expect(asked).toEqual(['one', 'three'])
  })

  it('none of them starts nothing', () => {
    startRuns([])
    expect(asked).toEqual([])
  })
})
