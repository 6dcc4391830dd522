// All that manifests and their list say of one file and of one manifest, in words.
import type { SnapshotInfo } from '@lake/core/api/contract.ts'
import type { TableFile, TableManifest } from '@lake/core/api/table-contents.ts'
import type { DetailFact } from '../../ui/Disclosure.tsx'
import { bytesText, countedText, countText, instantText } from '../../ui/format-quantity.ts'

export const CONTENT_WORDS: Record<TableFile['content'], string> = {
  data: 'data',
  'position-deletes': 'position deletes',
  'equality-deletes': 'equality deletes',
  'deletion-vector': 'deletion vector',
}

/** Deletion vectors of several data files lie in one file. */
export const fileKey = ({ path, referencedDataFile }: TableFile): string => `${path} ${referencedDataFile}`

const partitionFact = (partition: string | null, specId: number): DetailFact => ({
  label: 'partition',
  text: partition ?? 'none',
  note: `partition spec ${specId}`,
  isValue: partition !== null,
})

const bytesFact = (bytes: number): DetailFact => ({
  label: 'size',
  text: bytesText(bytes),
  note: `${countText(bytes)} bytes`,
})

const rowsNote = ({ content, rowGroupCount }: TableFile): string => {
  if (content !== 'data') return 'that it takes away'
  return rowGroupCount === null
    ? 'the writer does not say in how many row groups'
    : `in ${countedText(rowGroupCount, 'row group')}, as the writer’s split offsets say`
}

/** The snapshot that added it, whole. */
function addedFact(snapshotId: string | null, snapshots: readonly SnapshotInfo[]): DetailFact {
  if (snapshotId === null) return { label: 'added by', text: 'the manifest does not say' }
  const snapshot = snapshots.find((each) => each.snapshotId === snapshotId)
  const note =
    snapshot === undefined
      ? 'which the table does not have any more'
      : `${snapshot.operation ?? 'committed'} of ${instantText(snapshot.committedAtMs)}`
  return { label: 'added by', text: snapshotId, isValue: true, note }
}

export function fileDetails(file: TableFile, snapshots: readonly SnapshotInfo[]): readonly DetailFact[] {
  const { content, equalityColumns, referencedDataFile, sortOrderId } = file
  return [
    { label: 'path', text: file.path, isValue: true },
    { label: 'content', text: CONTENT_WORDS[content], note: file.format },
    ...(equalityColumns === null ? [] : [{ label: 'deletes by', text: equalityColumns.join(', ') }]),
    ...(referencedDataFile === null
      ? []
      : [{ label: 'deletes of', text: referencedDataFile, isValue: true }]),
    partitionFact(file.partition, file.specId),
    {
      label: content === 'equality-deletes' ? 'keys' : content === 'data' ? 'rows' : 'positions',
      text: countText(file.recordCount),
      note: rowsNote(file),
    },
    bytesFact(file.bytes),
    ...(content === 'data'
      ? [
          {
            label: 'sort order',
            text: sortOrderId === null ? 'not said' : sortOrderId === 0 ? 'none' : String(sortOrderId),
          },
        ]
      : []),
    addedFact(file.snapshotId, snapshots),
    { label: 'sequence', text: file.sequenceNumber },
  ]
}

export function manifestDetails(
  manifest: TableManifest,
  snapshots: readonly SnapshotInfo[],
): readonly DetailFact[] {
  const { addedFiles, existingFiles, deletedFiles } = manifest
  const count = (files: number | null): string => (files === null ? 'not said' : countText(files))
  return [
    { label: 'path', text: manifest.path, isValue: true },
    partitionFact(manifest.partitions, manifest.specId),
    {
      label: 'files',
      text: `${count(addedFiles)} new, ${count(existingFiles)} from before, ${count(deletedFiles)} removed`,
      note: manifest.content === 'data' ? 'data files' : 'delete files',
    },
    bytesFact(manifest.bytes),
    addedFact(manifest.snapshotId, snapshots),
    { label: 'sequence', text: manifest.sequenceNumber },
  ]
}
