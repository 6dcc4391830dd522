// What every store of results promises: one suite over a folder, a bucket of the local lake, and the one in memory that
// simulations use.
import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolderResultObjects } from '../../src/storage/folder-result-objects.ts'
import { createS3ResultObjects } from '../../src/storage/s3-result-objects.ts'
import type { ResultObjects } from '../../src/storage/result-objects.ts'
import { Secret } from '../../src/observability/redaction.ts'
import { systemClock } from '../../src/concurrency/clock.ts'
import { createMemoryResultObjects } from '../support/memory-result-objects.ts'
import { startTestLake } from '../support/test-stack.ts'

const NEVER = new AbortController().signal
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

interface Subject {
  readonly objects: ResultObjects
  close(): Promise<void>
}

function describeObjects(name: string, open: () => Promise<Subject>): void {
  describe(`[RP5] ${name}`, () => {
    let subject: Subject
    let objects: ResultObjects
    beforeAll(async () => {
      subject = await open()
      objects = subject.objects
    }, 60_000)
    afterAll(async () => {
      await objects?.[Symbol.asyncDispose]()
      await subject?.close()
    })
    const keys = async (prefix: string): Promise<string[]> => {
      const found: string[] = []
      for await (const { key, modifiedAtMs } of objects.list(prefix, NEVER)) {
        expect(Math.abs(modifiedAtMs - Date.now())).toBeLessThan(60_000)
        found.push(key)
      }
      return found.sort()
    }

    it('writes an object once, however many try, and leaves it as it is', async () => {
      const tries = Array.from({ length: 6 }, async (_, index) =>
        objects.putIfAbsent('a/1/part', bytesOf(`try ${index}`), NEVER),
      )
      expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1)
      const first = await objects.read('a/1/part', 100, NEVER)
      expect(await objects.putIfAbsent('a/1/part', bytesOf('later'), NEVER)).toBe(false)
      expect(await objects.read('a/1/part', 100, NEVER)).toEqual(first)
    })

    it('gives back every byte, and nothing for what is not there', async () => {
      const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31) & 255)
      expect(await objects.putIfAbsent('b/1/part', bytes, NEVER)).toBe(true)
      const read = await objects.read('b/1/part', bytes.length, NEVER)
      expect(Buffer.from(read ?? []).equals(Buffer.from(bytes))).toBe(true)
      expect(await objects.read('b/1/none', 10, NEVER)).toBeUndefined()
      expect(await objects.read('none/1/none', 10, NEVER)).toBeUndefined()
    })

    it('lists what begins with a prefix, and removes it', async () => {
      for (const key of ['c/1/x', 'c/2/y', 'cc/1/z']) await objects.putIfAbsent(key, bytesOf(key), NEVER)
      expect(await keys('c/')).toEqual(['c/1/x', 'c/2/y'])
      expect(await keys('')).toEqual(expect.arrayContaining(['c/1/x', 'c/2/y', 'cc/1/z']))
      expect(await keys('none/')).toEqual([])
      await objects.remove('c/1/x', NEVER)
      await objects.remove('c/1/x', NEVER)
      expect(await keys('c/')).toEqual(['c/2/y'])
      expect(await objects.read('c/1/x', 10, NEVER)).toBeUndefined()
      expect(await objects.putIfAbsent('c/1/x', bytesOf('again'), NEVER)).toBe(true)
    })
  })
}

describeObjects('results in memory', async () =>
  Promise.resolve({ objects: createMemoryResultObjects(systemClock), close: async () => Promise.resolve() }),
)

describeObjects('results in a folder', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lake-results-'))
  const objects = createFolderResultObjects(join(directory, 'results'))
  return { objects, close: async () => rm(directory, { recursive: true }) }
})

describeObjects('results in a bucket', async () => {
  const lake = await startTestLake(['--no-demo', '--s3-access-key', 'root', '--s3-secret-key', 'secret'])
  const config = {
    bucket: 'lake',
    prefix: 'some/where',
    endpoint: new URL(lake.ready.s3Endpoint),
    region: 'us-east-1',
    isPathStyle: true,
  }
  const objects = createS3ResultObjects(config, {
    accessKeyId: 'root',
    secretAccessKey: new Secret('secret'),
  })
  return { objects, close: async () => lake[Symbol.asyncDispose]() }
})

/** Mounts a file system of 1 MiB; false where that is not allowed. */
function mountSmall(directory: string): boolean {
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe('a folder', () => {
  it('[RP5] on a disk that is full says so, and keeps nothing of what did not fit', async (context) => {
    const directory = await mkdtemp(join(tmpdir(), 'lake-small-'))
    const isMounted = mountSmall(directory)
    try {
      if (!isMounted) context.skip('a small file system cannot be mounted here')
      const objects = createFolderResultObjects(join(directory, 'results'))
      const failure = objects.putIfAbsent('s/1/part', new Uint8Array(2_000_000), NEVER)
      await expect(failure).rejects.toMatchObject({ code: 'RESULTS_FULL' })
      for await (const { key } of objects.list('', NEVER)) expect.fail(key)
      expect(await objects.putIfAbsent('s/1/part', new Uint8Array(200_000), NEVER)).toBe(true)
    } finally {
      if (isMounted) execFileSync('/bin/umount', [directory])
      await rm(directory, { recursive: true })
    }
  })

  it('[RP5] keeps no half of a file that a crash left, and no folder without files', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'lake-results-'))
    const objects = createFolderResultObjects(directory)
    await objects.putIfAbsent('s/1/part', bytesOf('x'), NEVER)
    expect(await readdir(join(directory, 's/1'))).toEqual(['part'])
    await writeFile(join(directory, 's/1/part2.uuid.tmp'), 'half')
    for await (const { key } of objects.list('', NEVER)) await objects.remove(key, NEVER)
    expect(await readdir(directory)).toEqual([])
    await rm(directory, { recursive: true })
  })
})
