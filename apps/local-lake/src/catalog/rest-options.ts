// What the routes of the catalog work with.
import type { Catalog } from './catalog.ts'
import type { CorpusCatalog } from './corpus-catalog.ts'
import type { StorageAccess } from './table-response.ts'

export interface RestOptions {
  readonly catalog: Catalog
  readonly corpus: CorpusCatalog | undefined
  readonly access: StorageAccess
  /** Name of the one warehouse, which is also the prefix of every path. */
  readonly warehouse: string
  readonly token: string
  readonly log: (message: string) => void
}
