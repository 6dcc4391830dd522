// Third-party test tables served as they are, where they are at hand.
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asObject, asObjects, asString, parseJson } from '../src/catalog/json.ts'
import type { JsonObject } from '../src/catalog/json.ts'
import { openTestLake, s3Client } from './support/lake.ts'
import type { TestLake } from './support/lake.ts'

const corpusFolder = process.env['LAKE_CORPUS_DIR'] ?? join(import.meta.dirname, '../../../../shared/corpus')

describe.skipIf(!existsSync(join(corpusFolder, '_computed/counts.json')))('the corpus', () => {
  let test: TestLake
  beforeAll(async () => {
    test = await openTestLake({ corpusFolder })
  })
  afterAll(async () => {
    await test[Symbol.asyncDispose]()
  })

  it('serves every listed table with its metadata unchanged, or says why not', async () => {
    const counts = asObject(
      parseJson(await readFile(join(corpusFolder, '_computed/counts.json'), 'utf8')),
      'counts',
    )
    for (const [path, entry] of Object.entries(counts)) {
      const [repository, name] = path.split('/')
      const answer = await test.call('GET', `/namespaces/${repository}/tables/${name}`)
      expect([path, answer.status]).toEqual([path, 200])
      const file = await readFile(
        join(corpusFolder, path, asString(asObject(entry, path)['metadata'], 'metadata')),
      )
      if (file[0] === 0x7b) expect(answer.text.includes(file.toString('utf8'))).toBe(true)
    }
  })

  it('maps foreign prefixes to where the files are, also outside of the table folder', async () => {
    const headers = { 'x-iceberg-access-delegation': 'vended-credentials' }
    const answer = await test.call(
      'GET',
      '/namespaces/duckdb-iceberg/tables/column_mapping__my_table',
      undefined,
      headers,
    )
    const map = JSON.parse(
      asString((answer.body['config'] as JsonObject)['lake.path-map'], 'path-map'),
    ) as Record<string, string>
    expect(map['data/persistent/column_mapping/warehouse/example/']).toBe(
      's3://corpus/duckdb-iceberg/column_mapping_data/',
    )
    const credentials = asObjects(answer.body['storage-credentials'], 'storage-credentials')
    const data = credentials.find((entry) =>
      asString(entry['prefix'], 'prefix').endsWith('/column_mapping_data/'),
    )
    const s3 = s3Client(test.lake, data?.['config'] as Record<string, string>)
    const Key = 'duckdb-iceberg/column_mapping_data/mock_data.parquet'
    const got = await s3.send(new GetObjectCommand({ Bucket: 'corpus', Key, Range: 'bytes=0-3' }))
    expect(await got.Body?.transformToString()).toBe('PAR1')
    await expect(s3.send(new PutObjectCommand({ Bucket: 'corpus', Key, Body: '' }))).rejects.toThrow('Denied')
    s3.destroy()
  })

  it('is read-only and stays within its folder', async () => {
    const create = await test.call('POST', '/namespaces/impala/tables', { name: 'x' })
    expect([create.status, (create.body['error'] as JsonObject)['type']]).toEqual([403, 'ForbiddenException'])
    expect((await test.call('DELETE', '/namespaces/impala/tables/airports_parquet')).status).toBe(403)
    expect((await test.call('GET', '/namespaces/impala/tables/_stated')).status).toBe(404)
    await using open = await openTestLake({ corpusFolder, isAnonymousAllowed: true })
    const { port } = new URL(open.lake.s3Endpoint)
    for (const path of [
      '/corpus/%2e%2e/%2e%2e/etc/passwd',
      '/corpus/..%2f..%2fetc/passwd',
      '/corpus//etc/passwd',
    ])
      expect((await rawGet(Number(port), path)).startsWith('HTTP/1.1 404')).toBe(true)
  })
})

/** A GET whose path no URL parser has touched. */
async function rawGet(port: number, path: string): Promise<string> {
  const { connect } = await import('node:net')
  const socket = connect(port, '127.0.0.1')
  socket.end(`GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  let text = ''
  for await (const piece of socket) text += String(piece)
  return text
}
