// Whether deletes may be meant for a data file that is known by a path of another store. Pure.
import { AppError } from '../errors.ts'

/**
 * Files by the last segment of their canonical paths, and the kinds of store that they are in. One object may be known by the
 * scheme of two stores (`gs://b/x` is `s3://b/x` at the same service), and a table may have been moved from one to another:
 * passing over deletes of the other path could show a deleted row.
 */
export interface StoresByName {
  add(path: string): void
  /** True where files of its name were added, and none in its own kind of store. */
  isElsewhere(path: string): boolean
}

export function createStoresByName(): StoresByName {
  const stores = new Map<string, Set<string>>()
  const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
  const storeOf = (path: string): string => path.split('://', 1)[0] ?? ''
  return {
    add(path) {
      const known = stores.get(nameOf(path))
      if (known) known.add(storeOf(path))
      else stores.set(nameOf(path), new Set([storeOf(path)]))
    },
    isElsewhere(path) {
      const known = stores.get(nameOf(path))
      return known !== undefined && !known.has(storeOf(path))
    },
  }
}

/** What is to be said where a data file and its deletes may be one by two paths. */
export function deletesElsewhere(path: string): AppError {
  return new AppError(
    'TABLE_UNSUPPORTED',
    `Deletes name ${path} by a path of another store. Where that is the same file, the catalog can say so by lake.path-map`,
    { details: { feature: 'deletes by paths of another store' } },
  )
}
