// The manifest of a result: an immutable list of its parts, written once when all of them are. A result exists when the
// store of statements points to its manifest, and not before. Parts are Arrow IPC streams of their own, each with the
// schema, so they can be read in any order.
import * as z from 'zod'
import { receipt } from '../flight/receipt.ts'
import type { ManifestPointer } from './statement.ts'

const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.number().int().nonnegative()

export const resultPart = z.object({
  /** First row of the part in the result, from 0. */
  rowStart: count,
  rowCount: count,
  byteCount: z.number().int().positive(),
  /** Of the part's bytes. */
  sha256: sha256Hex,
})
export type ResultPart = z.infer<typeof resultPart>

export const resultColumn = z.object({ name: z.string(), type: z.string() })

export const resultManifest = z.object({
  formatVersion: z.literal(1),
  statementId: z.string(),
  /** The attempt that wrote it. */
  fencingToken: count,
  schema: z.array(resultColumn),
  /** In order of rows; at least one, so that a result without rows still has its schema. */
  parts: z.array(resultPart).min(1),
  rowCount: count,
  byteCount: count,
  receipt,
})
export type ResultManifest = z.infer<typeof resultManifest>

/**
 * What does not fit together in a manifest, for its writer before it is written and its reader before it is believed.
 * @returns undefined where all fits
 */
export function manifestFault(manifest: ResultManifest): string | undefined {
  let rowEnd = 0
  let byteCount = 0
  for (const [index, part] of manifest.parts.entries()) {
    if (part.rowStart !== rowEnd) return `part ${index} starts at row ${part.rowStart}, not at ${rowEnd}`
    rowEnd += part.rowCount
    byteCount += part.byteCount
  }
  if (rowEnd !== manifest.rowCount) return `the parts have ${rowEnd} rows, not ${manifest.rowCount}`
  if (byteCount !== manifest.byteCount) return `the parts have ${byteCount} bytes, not ${manifest.byteCount}`
  if (manifest.receipt.rowCount !== manifest.rowCount)
    return `the receipt has ${manifest.receipt.rowCount} rows, the parts ${manifest.rowCount}`
  if (manifest.receipt.statementId !== manifest.statementId) return 'the receipt is of another statement'
  return undefined
}

/** @returns undefined where the manifest is the one that the store points to */
export function pointerFault(manifest: ResultManifest, pointer: ManifestPointer): string | undefined {
  const { fencingToken, parts, rowCount, byteCount } = manifest
  const isSame =
    fencingToken === pointer.fencingToken &&
    parts.length === pointer.partCount &&
    rowCount === pointer.rowCount &&
    byteCount === pointer.byteCount
  return isSame ? undefined : 'it is not the manifest that was committed'
}
