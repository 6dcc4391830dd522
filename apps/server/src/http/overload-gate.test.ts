import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { Agent, request as send } from 'undici'
import { afterEach, describe, expect, it } from 'vitest'
import { API_PREFIX, errorBody } from '@lake/core/api/contract.ts'
import { heldTime } from '../../test/support/held-time.ts'
import { LIMITS } from '../limits.ts'
import { createOverloadGate, type OverloadGate } from './overload-gate.ts'

const HELD_MS = 500
const PLANNING = `${API_PREFIX}/flight-info`
const LISTING = `${API_PREFIX}/statements`
const RUNNING = `${API_PREFIX}/do-get`

let server: Server | undefined
const agents: Agent[] = []
afterEach(async () => {
  server?.closeAllConnections()
  server?.close()
  await Promise.all(agents.splice(0).map(async (agent) => await agent.destroy()))
})

/** A gate before a handler that answers when it is told to. */
async function setUp(limits: Partial<Record<'planning' | 'refusals' | 'held', number>> = {}) {
  const entered: { readonly url: string; readonly response: ServerResponse }[] = []
  let refusedCount = 0
  const { time, pass, waitCount } = heldTime()
  const gate: OverloadGate = createOverloadGate({
    handle(request, response) {
      if (request.method === 'GET' && request.url !== LISTING) response.end('ok')
      else entered.push({ url: request.url ?? '', response })
    },
    createId: () => 'the-id',
    runningAtOnceMax: 2,
    onRefused: () => (refusedCount += 1),
    limits: {
      planningAtOnceMax: limits.planning ?? 2,
      readingAtOnceMax: 2,
      listingAtOnceMax: 2,
      requestsAtOnceMax: 4,
      refusalsPerSecondMax: limits.refusals ?? 1_000,
      requestHeldMs: HELD_MS,
      requestsHeldMax: limits.held ?? 10,
    },
    time,
  })
  server = createServer(gate.listener)
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const ask = async (
    path: string,
    options: { token?: string; agent?: Agent; method?: 'GET' | 'POST' } = {},
  ) => {
    const agent = options.agent ?? connectionOf()
    const authorization = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }
    const answer = await send(`http://127.0.0.1:${port}${path}`, {
      method: options.method ?? (path === LISTING ? 'GET' : 'POST'),
      headers: authorization,
      dispatcher: agent,
    })
    const text = await answer.body.text()
    const { statusCode: status, headers } = answer
    return { status, text, headers }
  }
  const enteredCount = (path: string): number => entered.filter(({ url }) => url === path).length
  /** Makes requests that take their places and keep them. */
  const occupy = async (count: number, path: string, token?: string): Promise<void> => {
    const before = enteredCount(path)
    for (let index = 0; index < count; index += 1)
      void ask(path, token === undefined ? {} : { token }).catch(() => 'the test is over')
    await expect.poll(() => enteredCount(path)).toBe(before + count)
  }
  return { gate, ask, occupy, entered, port, pass, waitCount, refused: () => refusedCount }
}

/** One connection, kept. */
function connectionOf(): Agent {
  const agent = new Agent({ connections: 1 })
  agents.push(agent)
  return agent
}

describe('[OV3] a request for which there is no place', () => {
  it('is refused by the contract, and is let in when another has ended', async () => {
    const { ask, occupy, entered, refused } = await setUp()
    await occupy(2, PLANNING)
    const answer = await ask(PLANNING)
    expect(answer.status).toBe(429)
    expect(answer.headers).toMatchObject({ 'retry-after': '1', 'x-request-id': 'the-id' })
    expect(errorBody.parse(JSON.parse(answer.text)).error).toMatchObject({
      code: 'BUSY',
      requestId: 'the-id',
    })
    expect(refused()).toBe(1)
    entered[0]?.response.end()
    await occupy(1, PLANNING)
  })

  it('is of one kind of work: others go on, and probes always do', async () => {
    const { ask, occupy } = await setUp()
    await occupy(2, PLANNING)
    await occupy(2, RUNNING)
    await occupy(4, `${API_PREFIX}/cancel-flight-info`)
    for (const path of [PLANNING, RUNNING, `${API_PREFIX}/cancel-flight-info`, '/'])
      expect((await ask(path)).status, path).toBe(429)
    expect((await ask('/livez', { method: 'GET' })).text).toBe('ok')
  })

  it('is found however its target is written', async () => {
    const { ask, occupy, port } = await setUp()
    await occupy(2, PLANNING)
    expect((await ask(`${PLANNING}?x=1`)).status).toBe(429)
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST http://127.0.0.1:${port}${PLANNING}#x HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`,
    )
    const text = await new Promise<string>((resolve) =>
      socket.once('data', (data: Buffer) => {
        resolve(String(data))
      }),
    )
    socket.destroy()
    expect(text).toMatch(/^HTTP\/1\.1 (429|400)/)
  })

  it('frees its place when its client goes away, and when it needs none', async () => {
    const { gate, ask, occupy, entered } = await setUp()
    const agent = connectionOf()
    const left = ask(RUNNING, { agent }).catch(() => 'left')
    await expect.poll(() => entered.length).toBe(1)
    await occupy(1, RUNNING)
    expect((await ask(RUNNING)).status).toBe(429)
    await agent.destroy()
    expect(await left).toBe('left')
    await occupy(1, RUNNING)
    const turns: boolean[] = []
    for (let count = 0; count < 3; count += 1) {
      turns.push(gate.turnToReading(entered.at(-1)!.response.req))
      await occupy(1, RUNNING)
    }
    // As many read what is kept as there are places for that.
    expect(turns).toEqual([true, true, false])
    expect((await ask(RUNNING)).status).toBe(429)
    // Lists have others.
    await occupy(2, LISTING)
    expect((await ask(LISTING)).status).toBe(429)
  })
})

describe('[OV3] one client', () => {
  it('takes half of the places, however many connections it has', async () => {
    const { ask, occupy } = await setUp({ planning: 6 })
    await occupy(3, PLANNING, 'ada')
    expect((await ask(PLANNING, { token: 'ada' })).status).toBe(429)
    await occupy(3, PLANNING, 'bob')
    expect((await ask(PLANNING, { token: 'eve' })).status).toBe(429)
  })
})

describe('[OV3] one principal', () => {
  it('takes half of the places, however the credentials are spelt', async () => {
    const { gate, occupy, entered } = await setUp({ planning: 4 })
    for (const spelling of ['ada', 'ADA', 'Ada']) await occupy(1, PLANNING, spelling)
    const shares = entered.map(({ response }) => gate.isWithinShare(response.req, 'file:ada'))
    expect(shares).toEqual([true, true, false])
    await occupy(1, PLANNING, 'bob')
    expect(gate.isWithinShare(entered.at(-1)!.response.req, 'file:bob')).toBe(true)
  })
})

describe('[OV3] who does not listen', () => {
  it('waits where it comes back too soon, and is let in then where there is a place', async () => {
    const { ask, occupy, entered, pass, waitCount, refused } = await setUp()
    await occupy(2, PLANNING)
    const agent = connectionOf()
    // Time stands still: an answer is one that nobody waited for.
    expect((await ask(PLANNING, { agent })).status).toBe(429)
    const again = ask(PLANNING, { agent })
    await expect.poll(waitCount).toBe(1)
    pass(HELD_MS - 1)
    expect([waitCount(), refused()]).toEqual([1, 1])
    pass(1)
    expect((await again).status).toBe(429)
    const held = ask(PLANNING, { agent })
    await expect.poll(waitCount).toBe(1)
    const { response } = entered[0]!
    const left = once(response, 'close')
    response.end()
    await left
    pass(HELD_MS)
    await expect.poll(() => entered.length).toBe(3)
    entered[2]?.response.end()
    expect((await held).status).toBe(200)
  })

  it('no longer waits when it has gone away', async () => {
    const { ask, occupy, pass, waitCount, refused } = await setUp()
    await occupy(2, PLANNING)
    const agent = connectionOf()
    await ask(PLANNING, { agent })
    const again = ask(PLANNING, { agent }).catch(() => 'gone')
    await expect.poll(waitCount).toBe(1)
    await agent.destroy()
    expect(await again).toBe('gone')
    await expect.poll(waitCount).toBe(0)
    pass(HELD_MS)
    expect(refused()).toBe(1)
  })

  it('holds up nobody else behind the same proxy', async () => {
    const { ask, occupy, waitCount } = await setUp({ planning: 4 })
    await occupy(2, PLANNING, 'ada')
    const agent = connectionOf()
    expect((await ask(PLANNING, { agent, token: 'ada' })).status).toBe(429)
    expect((await ask('/', { agent, token: 'bob', method: 'GET' })).status).toBe(200)
    expect(waitCount()).toBe(0)
  })

  it('waits over new connections too where very many are refused, up to a bound', async () => {
    const { ask, occupy, pass, waitCount } = await setUp({ refusals: 2, held: 3 })
    await occupy(2, PLANNING)
    const statuses: number[] = []
    const asked = Array.from({ length: 10 }, async () => statuses.push((await ask(PLANNING)).status))
    // Two are refused at once, three wait, and with those as many as may, the rest is refused at once.
    await expect.poll(() => [statuses.length, waitCount()]).toEqual([7, 3])
    pass(HELD_MS)
    await Promise.all(asked)
    expect(statuses).toEqual(Array<number>(10).fill(429))
  })
})

it('the limits let whatever is let in wait for the analysis', () => {
  expect(LIMITS.analysisQueueMax).toBeGreaterThan(LIMITS.planningAtOnceMax + LIMITS.engineQueueMax * 2)
})
