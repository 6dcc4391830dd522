// Results in a folder. A file gets its name when it is whole and on disk; what a crash leaves half written has a name
// that `list` shows too, so that retention finds it.
import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { AppError, isAppError } from '@lake/core/errors.ts'
import { throwIfAborted } from '../concurrency/deadline.ts'
import type { ResultObjects } from './result-objects.ts'

export function createFolderResultObjects(directory: string): ResultObjects {
  return {
    async putIfAbsent(key, bytes, signal) {
      throwIfAborted(signal)
      const path = join(directory, key)
      const scratch = `${path}.${randomUUID()}.tmp`
      return await guarded('write', async () => {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        try {
          const file = await open(scratch, 'wx', 0o600)
          try {
            await file.writeFile(bytes, { signal })
            await file.sync()
          } finally {
            await file.close()
          }
          return await linkIfAbsent(scratch, path)
        } finally {
          await rm(scratch, { force: true })
        }
      })
    },
    async read(key, bytesMax, signal) {
      throwIfAborted(signal)
      return await guarded('read', async () => {
        const file = await open(join(directory, key)).catch(undefinedIfMissing)
        if (file === undefined) return undefined
        try {
          const { size } = await file.stat()
          if (size > bytesMax)
            throw new AppError('RESULTS_UNAVAILABLE', 'A stored result is larger than any is written')
          return await file.readFile({ signal })
        } finally {
          await file.close()
        }
      })
    },
    async *list(prefix, signal) {
      throwIfAborted(signal)
      const folder = join(directory, prefix.slice(0, prefix.lastIndexOf('/') + 1))
      const entries =
        (await guarded('list', async () =>
          readdir(folder, { recursive: true, withFileTypes: true }).catch(undefinedIfMissing),
        )) ?? []
      for (const entry of entries) {
        if (!entry.isFile()) continue
        throwIfAborted(signal)
        const path = join(entry.parentPath, entry.name)
        const key = relative(directory, path).split(sep).join('/')
        const info = await stat(path).catch(undefinedIfMissing)
        if (info && key.startsWith(prefix)) yield { key, modifiedAtMs: info.mtimeMs }
      }
    },
    async remove(key, signal) {
      throwIfAborted(signal)
      await guarded('remove', async () => {
        const path = join(directory, key)
        await rm(path, { force: true })
        // Folders that this leaves empty; another writer may fill them again.
        for (let folder = dirname(path); folder !== directory; folder = dirname(folder)) {
          const isRemoved = await rmdir(folder).then(
            () => true,
            () => false,
          )
          if (!isRemoved) break
        }
      })
    },
    [Symbol.asyncDispose]: async () => await Promise.resolve(),
  }
}

async function linkIfAbsent(scratch: string, path: string): Promise<boolean> {
  try {
    await link(scratch, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

function undefinedIfMissing(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
  throw error
}

const FULL_CODES: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT', 'EFBIG']

async function guarded<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (isAppError(cause)) throw cause
    if (cause instanceof Error && cause.name === 'AbortError')
      throw new AppError('CANCELLED', 'The work was stopped', { cause })
    const code = codeOf(cause)
    if (FULL_CODES.includes(code))
      throw new AppError('RESULTS_FULL', 'The disk of results is full', { cause })
    throw new AppError(
      'RESULTS_UNAVAILABLE',
      `The folder of results could not ${what} a file (${code ?? 'unknown failure'})`,
      {
        cause,
      },
    )
  }
}
