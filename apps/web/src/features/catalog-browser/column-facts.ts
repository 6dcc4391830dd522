// What the statistics of a column say, in few words that claim no more than the manifests do.
import type { ColumnStatistics, TableStatisticsResponse } from '@lake/core/api/table-contents.ts'
import { countedText, countText } from '../../ui/format-quantity.ts'

/** What is shown, and what it is of. */
export interface ColumnFact {
  text: string
  /** The whole value, where the text need not be it. */
  value?: string
  note: string
}

/** `12.3%`; what is there at all is not shown as none, nor less than all as all. */
export function shareText(part: number, whole: number): string {
  if (part === 0) return '0%'
  if (part === whole) return '100%'
  const percent = (100 * part) / whole
  if (percent < 0.1) return '<0.1%'
  if (percent > 99.9) return '>99.9%'
  return `${percent.toFixed(1)}%`
}

/** Where only some files say it: which ones. */
export const overText = (fileCount: number, total: number): string =>
  fileCount === total
    ? `in ${total === 1 ? 'the one data file' : `all ${countText(total)} data files`}`
    : `in ${countText(fileCount)} of ${countedText(total, 'data file')}; the others do not say`

/** Null where no file says it. */
export function countFact(
  part: { count: number; fileCount: number } | null,
  values: { count: number; fileCount: number },
  what: string,
  fileTotal: number,
): ColumnFact | null {
  if (part === null || part.fileCount === 0) return null
  const { count, fileCount } = part
  const isWhole = fileCount === fileTotal && values.fileCount === fileTotal && values.count > 0
  const note = `${countedText(count, what)} of ${countedText(values.count, 'value')}, ${overText(fileCount, fileTotal)}`
  if (isWhole) return { text: shareText(count, values.count), note }
  return { text: fileCount === fileTotal ? countText(count) : `≥ ${countText(count)}`, note }
}

/** A bound, with the sign of what it is where it need be no value; null where no file has one. */
export function boundFact(
  { lower, upper }: Pick<ColumnStatistics, 'lower' | 'upper'>,
  which: 'lower' | 'upper',
  fileTotal: number,
): ColumnFact | null {
  const bound = which === 'lower' ? lower : upper
  if (bound === null) return null
  const shown = bound.text === '' ? '""' : bound.text
  const sign = which === 'lower' ? '≥' : '≤'
  const cut = bound.mayBeCut ? `; text may be cut, so no value need be this one: all are ${sign} it` : ''
  return {
    text: bound.mayBeCut ? `${sign} ${shown}…` : shown,
    value: shown,
    note: `${overText(bound.fileCount, fileTotal)}${cut}`,
  }
}

/** `about 1,204`, and of when. */
export function distinctFact({ distinct }: ColumnStatistics, snapshotId: string | null): ColumnFact | null {
  if (distinct === null) return null
  const isEarlier = distinct.snapshotId !== snapshotId
  return {
    text: `≈ ${countText(BigInt(distinct.count))}`,
    note: `different values, estimated by a sketch of ${isEarlier ? `snapshot ${distinct.snapshotId}, an earlier one` : 'this snapshot'}`,
  }
}

/** Why the figures are not those of the rows that a query sees; null where they are. */
export function deletesText({ deletes }: Pick<TableStatisticsResponse, 'deletes'>): string | null {
  const { positionFileCount, vectorCount, positionCount, equalityFileCount } = deletes
  const kinds = [
    positionFileCount > 0 ? countedText(positionFileCount, 'position delete file') : '',
    vectorCount > 0 ? countedText(vectorCount, 'deletion vector') : '',
    equalityFileCount > 0 ? countedText(equalityFileCount, 'equality delete file') : '',
  ].filter((kind) => kind !== '')
  if (kinds.length === 0) return null
  const known =
    equalityFileCount === 0
      ? `at most ${countedText(positionCount, 'row')}`
      : 'a number of rows that only reading them tells'
  const verb = positionFileCount + vectorCount + equalityFileCount === 1 ? 'takes' : 'take'
  return `${kinds.join(' and ')} ${verb} away ${known}. Counts include those rows, so they are upper limits; a least or greatest value may be one of theirs.`
}
