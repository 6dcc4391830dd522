// How pruning came to its files, in words and steps: the same before a run (an estimate) and after it (a receipt).
import type {
  FilterReport,
  PruningReport,
  ScanReport,
  TableReceipt,
  UnusedReason,
} from '@lake/core/flight/receipt.ts'
import { bytesText, countedText, countText } from '../ui/format-quantity.ts'

/** One level of the waterfall: what it took away, or what is left. */
export interface ScanStep {
  label: string
  kind: 'all' | 'skipped' | 'left'
  files: number
  /** Files that the levels before it left; the bar starts at `left` and is `files` long. */
  left: number
  note?: string
}

/** From all data files to those that are read; levels that took nothing away are kept, since that says something too. */
export function scanSteps(scan: ScanReport, pruning: PruningReport): ScanStep[] {
  const steps: ScanStep[] = [{ label: 'All data files', kind: 'all', files: scan.filesTotal, left: 0 }]
  let left = scan.filesTotal
  const skip = (label: string, files: number, note?: string): void => {
    left -= files
    steps.push({ label, kind: 'skipped', files, left, ...(note === undefined ? {} : { note }) })
  }
  const manifestsSkipped = scan.manifestsTotal - scan.manifestsRead
  skip(
    'Skipped by the manifest list',
    pruning.manifests,
    manifestsSkipped === 0
      ? undefined
      : `${countText(manifestsSkipped)} of ${countedText(scan.manifestsTotal, 'manifest')} not opened`,
  )
  skip('Skipped by partition', pruning.partitions)
  skip('Skipped by statistics', pruning.metrics)
  steps.push({ label: 'Planned', kind: 'left', files: scan.filesPlanned, left: 0 })
  if (scan.filesRead > 0 || scan.isMetadataOnly) {
    const note = scan.isMetadataOnly ? 'answered by the manifests: no file was needed' : rowGroupsText(scan)
    steps.push({ label: 'Read', kind: 'left', files: scan.filesRead, left: 0, note })
  }
  return steps
}

function rowGroupsText({ rowGroupsRead, rowGroupsTotal, bytesRead }: ScanReport): string {
  return `${countText(rowGroupsRead)} of ${countedText(rowGroupsTotal, 'row group')}, ${bytesText(bytesRead)}`
}

/** What one filter did, in a sentence. */
export function filterSentence(filter: FilterReport, filesPlanned: number): string {
  const { manifests, partitions, metrics, withoutMetrics } = filter
  const parts = [
    manifests > 0 && `${countedText(manifests, 'file')} by the manifest list`,
    partitions > 0 && `${countedText(partitions, 'file')} by partition`,
    metrics > 0 && `${countedText(metrics, 'file')} by statistics`,
  ].filter((part) => part !== false)
  if (parts.length > 0) return `Excludes ${parts.join(', ')}.`
  if (filesPlanned === 0) return 'Excludes nothing that the other filters leave.'
  if (withoutMetrics === filesPlanned)
    return 'Excludes nothing: the manifests hold no statistics of its column.'
  const overlap =
    withoutMetrics === 0
      ? `in each of the ${countedText(filesPlanned, 'file')}`
      : `in ${countedText(filesPlanned - withoutMetrics, 'file')}, and ${countText(withoutMetrics)} have no statistics of its column`
  return `Excludes no file: a matching value is possible ${overlap}. Sorting or partitioning the table by it would help.`
}

const UNUSED_SENTENCES: Readonly<Record<UnusedReason, string>> = {
  function:
    'A calculation stands around the column, so statistics prove nothing. Compare the bare column with a constant.',
  columns: 'It compares columns with each other, which no statistics of a file can decide.',
  nested: 'It looks inside a nested value, of which no statistics are used.',
  'several-scans':
    'The statement reads the table more than once, and one reading needs every row. Filter each of them.',
  other: 'It is none of the conditions that statistics can decide.',
}

export const unusedSentence = (reason: UnusedReason): string => UNUSED_SENTENCES[reason]

/**
 * Size of all data files. Skipped manifests were not opened, so then it is only as the snapshot's writer summed it up;
 * that figure is marked as not checked.
 */
export function totalBytesText(
  { summary }: Pick<TableReceipt, 'summary'>,
  { manifestsRead, manifestsTotal, bytesTotal }: ScanReport,
): string {
  if (manifestsRead === manifestsTotal) return bytesText(bytesTotal)
  const stated = Number(summary['total-files-size'])
  return stated >= bytesTotal ? `~${bytesText(stated)}` : `more than ${bytesText(bytesTotal)}`
}
