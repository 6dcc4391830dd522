// All that is known of one column, in words: what its row shows in few, what it is of, and what became of it.
import type { ColumnNode } from '@lake/core/api/contract.ts'
import type { ColumnStatistics, TableStatisticsResponse } from '@lake/core/api/table-contents.ts'
import { bytesText, countText } from '../../ui/format-quantity.ts'
import type { DetailFact } from '../../ui/Disclosure.tsx'
import {
  boundFact,
  countFact,
  deletesText,
  distinctFact,
  overText,
  shareText,
  type ColumnFact,
} from './column-facts.ts'

export interface ColumnDetailsOf {
  column: ColumnNode
  isKey: boolean
  /** Oldest first. */
  history: readonly string[]
  /** Whether the table has numbers of distinct values. */
  hasDistinct: boolean
  /** undefined until they are there, and where there are none. */
  statistics: TableStatisticsResponse | undefined
  figures: ColumnStatistics | undefined
  /** Of all columns. */
  totalBytes: number
}

/** A fact, or that nothing says it. */
const told = (label: string, fact: ColumnFact | null, otherwise: string): DetailFact =>
  fact === null ? { label, text: otherwise } : { label, text: fact.text, note: fact.note }

/** The value as a whole: what the row shows of it may be cut by the page, and has signs of its own. */
const bound = (label: string, fact: ColumnFact | null): DetailFact =>
  fact === null
    ? { label, text: 'no data file says it' }
    : { label, text: fact.value ?? fact.text, isValue: true, note: fact.note }

function figureFacts(of: ColumnDetailsOf & { statistics: TableStatisticsResponse }): DetailFact[] {
  const { column, figures, statistics, totalBytes, hasDistinct } = of
  if (figures === undefined)
    return [
      {
        label: 'figures',
        text:
          column.children.length > 0
            ? 'those of its parts; the manifests have none of the whole'
            : 'the manifests have none of this column',
      },
    ]
  const { dataFileCount, table } = statistics
  const { bytes, nans } = figures
  const over = overText(bytes.fileCount, dataFileCount)
  const deletes = deletesText(statistics)
  return [
    told('NULL', countFact(figures.nulls, figures.values, 'NULL', dataFileCount), 'no data file counts them'),
    ...(nans === null
      ? []
      : [told('NaN', countFact(nans, figures.values, 'NaN', dataFileCount), 'no data file counts them')]),
    ...(hasDistinct
      ? [told('distinct', distinctFact(figures, table.snapshotId), 'no sketch of this column')]
      : []),
    bound('least', boundFact(figures, 'lower', dataFileCount)),
    bound('greatest', boundFact(figures, 'upper', dataFileCount)),
    bytes.fileCount === 0
      ? { label: 'size', text: 'no data file says it' }
      : {
          label: 'size',
          text: bytesText(bytes.count),
          note: `${countText(bytes.count)} bytes in storage, ${shareText(bytes.count, totalBytes)} of what the columns take; ${over}`,
        },
    ...(deletes === null ? [] : [{ label: 'deleted rows', text: deletes }]),
  ]
}

function defaultFacts({ initialDefault, writeDefault }: ColumnNode): DetailFact[] {
  if (initialDefault === null && writeDefault === null) return []
  const older = { text: initialDefault ?? 'NULL', note: 'in rows from before the column was added' }
  const newer = { text: writeDefault ?? 'NULL', note: 'where writers are given nothing' }
  return [
    { label: 'default before', ...older, isValue: true },
    { label: 'default now', ...newer, isValue: true },
  ]
}

export function columnDetails(of: ColumnDetailsOf): readonly DetailFact[] {
  const { column, isKey, history, statistics } = of
  return [
    { label: 'type', text: column.type, isValue: true, note: column.isRequired ? 'required' : 'may be NULL' },
    ...(column.doc === null ? [] : [{ label: 'doc', text: column.doc }]),
    ...(isKey
      ? [{ label: 'identifies', text: 'part of what tells rows apart, as the writers promise' }]
      : []),
    ...defaultFacts(column),
    ...(statistics === undefined ? [] : figureFacts({ ...of, statistics })),
    ...(history.length === 0 ? [] : [{ label: 'history', text: history.join('\n') }]),
  ]
}
