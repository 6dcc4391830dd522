// The state of a table's page as the query of its URL: which part is shown, as of which snapshot, and where in its list. What
// is as it is by default is left out, so the plain path is the page of what is current.
import type { TableFilesQuery, TableManifestsQuery } from '@lake/core/api/table-contents.ts'

export const TABLE_PARTS = ['columns', 'preview', 'snapshots', 'files', 'manifests', 'details'] as const
export type TablePart = (typeof TABLE_PARTS)[number]

export type FileSort = TableFilesQuery['sort']
export type ManifestSort = TableManifestsQuery['sort']
export type FileContent = TableFilesQuery['content']

const FILE_SORTS: readonly FileSort[] = ['path', 'partition', 'rows', 'bytes', 'sequence']
const MANIFEST_SORTS: readonly ManifestSort[] = ['list', 'path', 'bytes', 'files', 'rows', 'sequence']
const FILE_CONTENTS: readonly FileContent[] = ['all', 'data', 'deletes']

export interface TableView {
  part: TablePart
  /** An id; null: what is current. */
  snapshot: string | null
  /** Of the shown list. */
  fileSort: FileSort
  manifestSort: ManifestSort
  isDescending: boolean
  content: FileContent
  find: string
  /** From 0. */
  page: number
}

export const PLAIN_VIEW: TableView = {
  part: 'columns',
  snapshot: null,
  fileSort: 'path',
  manifestSort: 'list',
  isDescending: false,
  content: 'all',
  find: '',
  page: 0,
}

const oneOf = <T extends string>(known: readonly T[], text: string | null, otherwise: T): T =>
  known.find((each) => each === text) ?? otherwise

/** Whatever is not understood is as by default. @param search with or without `?` */
export function parseTableView(search: string): TableView {
  const query = new URLSearchParams(search)
  const snapshot = query.get('snapshot')
  const page = query.get('page')
  const part = oneOf(TABLE_PARTS, query.get('part'), PLAIN_VIEW.part)
  const sortOf = (list: TablePart): string | null => (part === list ? query.get('sort') : null)
  return {
    part,
    snapshot: snapshot !== null && /^-?\d{1,19}$/.test(snapshot) ? snapshot : null,
    fileSort: oneOf(FILE_SORTS, sortOf('files'), PLAIN_VIEW.fileSort),
    manifestSort: oneOf(MANIFEST_SORTS, sortOf('manifests'), PLAIN_VIEW.manifestSort),
    isDescending: query.get('order') === 'desc',
    content: oneOf(FILE_CONTENTS, query.get('content'), PLAIN_VIEW.content),
    find: (query.get('find') ?? '').slice(0, 200),
    page: page !== null && /^[1-9]\d{0,6}$/.test(page) ? Number(page) - 1 : 0,
  }
}

/** With `?`; empty for the plain view. Only what the shown part has is in it. */
export function tableViewSearch(view: TableView): string {
  const query = new URLSearchParams()
  const set = (key: string, value: string, plain: string): void => {
    if (value !== plain) query.set(key, value)
  }
  set('part', view.part, PLAIN_VIEW.part)
  set('snapshot', view.snapshot ?? '', '')
  const isList = view.part === 'files' || view.part === 'manifests'
  if (view.part === 'files') {
    set('sort', view.fileSort, PLAIN_VIEW.fileSort)
    set('content', view.content, PLAIN_VIEW.content)
  }
  if (view.part === 'manifests') set('sort', view.manifestSort, PLAIN_VIEW.manifestSort)
  if (isList) set('order', view.isDescending ? 'desc' : 'asc', 'asc')
  if (isList) set('find', view.find, '')
  if (isList || view.part === 'snapshots') set('page', String(view.page + 1), '1')
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

/** Another part of the page, from its beginning; the snapshot stays. */
export const viewOfPart = ({ snapshot }: TableView, part: TablePart): TableView => ({
  ...PLAIN_VIEW,
  part,
  snapshot,
})

/** Sorting by the column that is sorted by turns it round; figures begin with the greatest. */
export function sortedBy<Sort extends string>(
  present: { sort: Sort; isDescending: boolean },
  sort: Sort,
): { sort: Sort; isDescending: boolean } {
  if (present.sort === sort) return { sort, isDescending: !present.isDescending }
  return {
    sort,
    isDescending: sort === 'rows' || sort === 'bytes' || sort === 'files' || sort === 'sequence',
  }
}
