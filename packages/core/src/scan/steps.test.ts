// How much one step of planning does, however many manifests and files there are.
import { expect, test } from 'vitest'
import { ALWAYS_TRUE } from '../expr/predicate.ts'
import type { DataFile, ManifestEntry, ManifestFile } from '../iceberg/manifest.ts'
import { UNPARTITIONED } from '../iceberg/partition-spec.ts'
import type { Schema } from '../iceberg/types.ts'
import { finishSteps, STEP_ITEMS } from './steps.ts'
import { createTableScan } from './table-scan.ts'

const schema: Schema = { schemaId: 0, fields: [], identifierFieldIds: [] }
const scan = createTableScan({ specs: [UNPARTITIONED], schema, predicate: ALWAYS_TRUE })

// What planning looks at here, and no more.
const manifest = (content: ManifestFile['content']) =>
  ({ path: 'm', partitionSpecId: UNPARTITIONED.specId, content }) as ManifestFile
const entry = (file: Partial<DataFile>) =>
  ({
    status: 'added',
    sequenceNumber: 1n,
    file: { specId: UNPARTITIONED.specId, partition: new Map(), fileSizeBytes: 1, recordCount: 1, ...file },
  }) as ManifestEntry

test('[SP9] manifests are selected in steps', () => {
  const manifests = Array.from({ length: 3 * STEP_ITEMS + 1 }, () => manifest('data'))
  const selecting = scan.selectManifests(manifests)
  let stepCount = 0
  let step = selecting.next()
  for (; step.done !== true; step = selecting.next()) stepCount += 1
  expect(stepCount).toBe(4)
  expect(step.value.read).toHaveLength(manifests.length)
})

test('[SP9] data files and delete files are planned in steps', () => {
  const files = Array.from({ length: 5 * STEP_ITEMS }, (_, index) =>
    entry({ content: 'data', path: `f${index}` }),
  )
  const deletes = Array.from({ length: 2 * STEP_ITEMS }, (_, index) =>
    entry({
      content: 'position-deletes',
      format: 'parquet',
      path: `d${index}`,
      referencedDataFile: `f${index}`,
    }),
  )
  const selected = finishSteps(scan.selectManifests([manifest('data'), manifest('deletes')]))
  const selections = [
    scan.selectFiles(manifest('data'), files),
    scan.selectFiles(manifest('deletes'), deletes),
  ]
  let pathCount = 0
  const planning = scan.planFileScanTasks(selected, selections, (path) => {
    pathCount += 1
    return path
  })
  const pathsPerStep: number[] = []
  let step = planning.next()
  for (; step.done !== true; step = planning.next()) {
    pathsPerStep.push(pathCount)
    pathCount = 0
  }
  // Each delete file names one file, each data file is looked at as itself and as what deletes name.
  expect(pathsPerStep).toEqual([
    ...Array.from({ length: 2 }, () => STEP_ITEMS),
    ...Array.from({ length: 5 }, () => 2 * STEP_ITEMS),
  ])
  expect(step.value.tasks.filter((task) => task.deletes.length === 1)).toHaveLength(deletes.length)
})
