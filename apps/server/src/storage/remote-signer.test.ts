import { describe, expect, it } from 'vitest'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { LIMITS } from '../limits.ts'
import { createRemoteSigner, type SignableRequest, type SignatureAnswer } from './remote-signer.ts'

const NEVER = new AbortController().signal
const target = { origin: 'https://s3.example', host: 's3.example', path: '/b/t/a%20b.parquet' }
const URI = target.origin + target.path

function setUp(answer: Partial<SignatureAnswer> = {}) {
  const asked: SignableRequest[] = []
  const clock = createManualClock()
  const signer = createRemoteSigner({
    region: 'r',
    clock,
    ask: (request) => {
      asked.push(request)
      const headers = { Authorization: [`signed ${asked.length}`] }
      return Promise.resolve({ uri: URI, headers, isCacheable: false, ...answer })
    },
  })
  const sign = async (range = 'bytes=0-9') =>
    await signer({ method: 'GET', target, headers: { 'accept-encoding': 'identity', range } }, NEVER)
  return { asked, clock, sign }
}

describe('[CR6] a request signed by the catalog', () => {
  it('is asked for with its exact address and the headers to be signed', async () => {
    const { asked, sign } = setUp()
    const signed = await sign()
    expect(asked).toEqual([
      { region: 'r', uri: URI, method: 'GET', headers: { host: ['s3.example'], range: ['bytes=0-9'] } },
    ])
    expect(signed).toEqual({
      origin: target.origin,
      path: target.path,
      headers: {
        authorization: 'signed 1',
        host: 's3.example',
        'accept-encoding': 'identity',
        range: 'bytes=0-9',
      },
    })
  })

  it('is sent as it was signed: its own percent signs and query, and our header before one of the same name', async () => {
    const { sign } = setUp({
      uri: 'https://s3.example/b/t/a%20b%2Eparquet?X-Amz-Signature=1',
      headers: {
        'X-Amz-Date': ['d'],
        Range: ['bytes=5-6'],
        Host: ['evil'],
        'Cache-Control': ['private'],
        'Transfer-Encoding': ['chunked'],
        'X-A': ['1', '2'],
        'bad name\r\n': ['x'],
      },
    })
    const { path, headers } = await sign()
    expect(path).toBe('/b/t/a%20b%2Eparquet?X-Amz-Signature=1')
    expect(headers).toEqual({
      'x-amz-date': 'd',
      'x-a': '1, 2',
      host: 's3.example',
      range: 'bytes=0-9',
      'accept-encoding': 'identity',
    })
  })

  it.each([
    'https://other.example/b/t/a%20b.parquet',
    'http://s3.example/b/t/a%20b.parquet',
    'https://s3.example/b/t/other.parquet',
    'https://s3.example/b/t/../t/a%20b.parquet',
    'https://s3.example.evil/b/t/a%20b.parquet',
    'https://x@s3.example/b/t/a%20b.parquet',
    'https://s3.example',
    '/b/t/a%20b.parquet',
    'https://s3.example/b/t/%ZZ',
    '',
  ])('is refused when it is another one: %s', async (uri) => {
    await expect(setUp({ uri }).sign()).rejects.toMatchObject({ code: 'STORAGE_ACCESS_DENIED' })
  })
})

describe('[CR7] a signature', () => {
  it('is asked for every time unless the signer allows to keep it', async () => {
    const { asked, sign } = setUp()
    await sign()
    await sign()
    expect(asked).toHaveLength(2)
  })

  it('that may be kept serves an equal request for 30 s, and no other range', async () => {
    const { asked, clock, sign } = setUp({ isCacheable: true })
    await sign()
    clock.advance(LIMITS.signedRequestFreshMs - 1)
    expect((await sign()).headers['authorization']).toBe('signed 1')
    expect((await sign('bytes=10-19')).headers['authorization']).toBe('signed 2')
    clock.advance(1)
    expect((await sign()).headers['authorization']).toBe('signed 3')
    expect(asked).toHaveLength(3)
  })

  it('is kept among a bounded number', async () => {
    const { asked, sign } = setUp({ isCacheable: true })
    for (let index = 0; index <= LIMITS.signedRequestsCachedMax; index += 1)
      await sign(`bytes=${index}-${index}`)
    const count = asked.length
    await sign('bytes=1-1')
    expect(asked).toHaveLength(count)
    await sign('bytes=0-0')
    expect(asked).toHaveLength(count + 1)
  })
})
