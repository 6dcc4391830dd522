import { describe, expect, it } from 'vitest'
import {
  parseTableView,
  PLAIN_VIEW,
  sortedBy,
  tableViewSearch,
  viewOfPart,
  type TableView,
} from './table-view.ts'

const view = (changes: Partial<TableView>): TableView => ({ ...PLAIN_VIEW, ...changes })

describe("[TP1] the URL of a table's page", () => {
  it.each([
    view({}),
    view({ part: 'preview', snapshot: '9007199254740993' }),
    view({ part: 'snapshots', page: 3 }),
    view({
      part: 'files',
      fileSort: 'bytes',
      isDescending: true,
      content: 'deletes',
      find: 'day = 2026 &?#',
      page: 9,
    }),
    view({ part: 'manifests', manifestSort: 'sequence', find: '%' }),
  ])('leads back to what is shown: %j', (state) => {
    expect(parseTableView(tableViewSearch(state))).toEqual(state)
  })

  it('is plain for the page of what is current, and has nothing of parts that are not shown', () => {
    expect(tableViewSearch(PLAIN_VIEW)).toBe('')
    expect(tableViewSearch(view({ find: 'x', page: 2, isDescending: true, content: 'data' }))).toBe('')
  })

  it.each(['?part=colour&snapshot=x&sort=up&page=0', '?page=-1&snapshot=99999999999999999999', '?page=1e9'])(
    'is plain where it says nothing that is known: %s',
    (search) => {
      expect(parseTableView(search)).toEqual(PLAIN_VIEW)
    },
  )

  it('keeps the snapshot from part to part, and nothing else', () => {
    const files = view({ part: 'files', snapshot: '7', find: 'x', page: 2 })
    expect(viewOfPart(files, 'columns')).toEqual(view({ snapshot: '7' }))
  })
})

it('[TP2] sorting again turns the order round, and figures begin with the greatest', () => {
  const byPath = { sort: 'path', isDescending: false }
  expect(sortedBy(byPath, 'path')).toEqual({ sort: 'path', isDescending: true })
  expect(sortedBy(byPath, 'bytes')).toEqual({ sort: 'bytes', isDescending: true })
  expect(sortedBy({ sort: 'bytes', isDescending: true }, 'path')).toEqual(byPath)
})
