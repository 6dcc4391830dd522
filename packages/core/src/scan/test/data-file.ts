// A file as a manifest lists it, for tests: nothing is known of it but what a test says.
import type { DataFile } from '../../iceberg/manifest.ts'

export function dataFile(path: string, changes: Partial<DataFile> = {}): DataFile {
  return {
    content: 'data',
    path,
    format: 'parquet',
    specId: 0,
    partition: new Map(),
    recordCount: 0,
    fileSizeBytes: 0,
    columnSizes: undefined,
    valueCounts: undefined,
    nullValueCounts: undefined,
    nanValueCounts: undefined,
    lowerBounds: undefined,
    upperBounds: undefined,
    hasKeyMetadata: false,
    equalityIds: undefined,
    firstRowId: undefined,
    referencedDataFile: undefined,
    contentOffset: undefined,
    contentSizeBytes: undefined,
    ...changes,
  }
}
