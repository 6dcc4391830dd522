// Added and removed files and rows, partition by partition.
import { Fragment } from 'react'
import { COMPARED_PARTITIONS_MAX } from '../../limits.ts'
import { bytesText, countText } from '../../ui/format-quantity.ts'
import { partitionText, totalChange, type PartitionChange } from './file-changes.ts'

const signed = (sign: '+' | '−', count: bigint): string => (count === 0n ? '' : `${sign}${countText(count)}`)
const signedBytes = (sign: '+' | '−', bytes: bigint): string =>
  bytes === 0n ? '' : `${sign}${bytesText(Number(bytes))}`

/** Each has a figure that was added and one that was removed. */
const MEASURES = [
  { label: 'rows', key: 'rows', text: signed },
  { label: 'data files', key: 'files', text: signed },
  { label: 'size', key: 'bytes', text: signedBytes },
  { label: 'delete files', key: 'deleteFiles', text: signed },
] as const
type Measure = (typeof MEASURES)[number]

function Cells({ change, measures }: { change: PartitionChange; measures: readonly Measure[] }) {
  return measures.map(({ label, key, text }) => (
    <Fragment key={label}>
      <td className="numeric added">{text('+', change[`${key}Added`])}</td>
      <td className="numeric deleted">{text('−', change[`${key}Removed`])}</td>
    </Fragment>
  ))
}

export function PartitionChanges({ changes }: { changes: readonly PartitionChange[] }) {
  if (changes.length === 0)
    return <p className="page-note">Both snapshots have the same files: no row differs.</p>
  const shown = changes.slice(0, COMPARED_PARTITIONS_MAX)
  const isCut = shown.length < changes.length
  // Most tables have no delete files: columns without a value are left out.
  const measures = MEASURES.filter(({ key }) =>
    shown.some((change) => change[`${key}Added`] !== 0n || change[`${key}Removed`] !== 0n),
  )
  return (
    <>
      <div className="data-table-frame">
        <table className="data-table">
          <thead>
            <tr>
              <th scope="col">partition</th>
              {measures.map(({ label }) => (
                <Fragment key={label}>
                  <th scope="col" className="numeric">
                    {label} added
                  </th>
                  <th scope="col" className="numeric">
                    removed
                  </th>
                </Fragment>
              ))}
            </tr>
          </thead>
          <tbody>
            {!isCut && shown.length > 1 && (
              <tr className="total-row">
                <th scope="row">All partitions</th>
                <Cells change={totalChange(shown)} measures={measures} />
              </tr>
            )}
            {shown.map((change) => (
              <tr key={change.partition}>
                <th scope="row" className="mono">
                  {partitionText(change.partition)}
                </th>
                <Cells change={change} measures={measures} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isCut && (
        <p className="page-note">
          The {countText(shown.length)} partitions with the most changed rows. The statement gives them all.
        </p>
      )}
    </>
  )
}
