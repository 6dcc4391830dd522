// Shapes of the catalog's answers, read leniently: unknown fields are ignored, absent lists are empty.
// Source: Iceberg REST OpenAPI (CatalogConfig, ListNamespacesResponse, ListTablesResponse, LoadTableResult).
import * as z from 'zod'
import { AppError } from '@lake/core/errors.ts'
import { parseLosslessJson } from '@lake/core/iceberg/lossless-json.ts'

/** Property maps: null values are dropped, as the reference client does. */
const properties = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((map) =>
    Object.fromEntries(
      Object.entries(map ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
  )

export const configAnswer = z.object({
  defaults: properties,
  overrides: properties,
  endpoints: z.array(z.string()).nullish(),
})
export type ConfigAnswer = z.infer<typeof configAnswer>

export const listTablesAnswer = z.object({
  identifiers: z.array(z.object({ namespace: z.array(z.string()), name: z.string() })).nullish(),
  // It goes into an address.
  'next-page-token': z
    .string()
    .refine((token) => token.isWellFormed())
    .nullish(),
})

const storageCredentials = z.array(z.object({ prefix: z.string(), config: properties })).nullish()

export const loadCredentialsAnswer = z.object({ 'storage-credentials': storageCredentials })

export const loadTableAnswer = z.looseObject({
  'metadata-location': z.string().nullish(),
  metadata: z.unknown().optional(),
  config: properties,
  'storage-credentials': storageCredentials,
  'read-restrictions': z.unknown().optional(),
  'remote-signing-config': z
    .object({ properties, headers: z.record(z.string(), z.array(z.string())).nullish() })
    .nullish(),
})
export type LoadTableAnswer = z.infer<typeof loadTableAnswer>

const wrappedError = z.object({
  error: z.object({ message: z.string().nullish(), type: z.string().nullish() }),
})
const bareError = z.object({ message: z.string().nullish(), type: z.string().nullish() })

/** Parses a success body. The content type is not asked: catalogs get it wrong. */
export function parseAnswer<T>(schema: z.ZodType<T>, text: string, what: string): T {
  let json: unknown
  try {
    json = parseLosslessJson(text)
  } catch (cause) {
    throw new AppError('CATALOG_UNAVAILABLE', `The catalog's ${what} is not JSON`, { cause })
  }
  const result = schema.safeParse(json)
  if (result.success) return result.data
  const path = result.error.issues[0]?.path.map(String).join('.') ?? ''
  throw new AppError(
    'CATALOG_UNAVAILABLE',
    `The catalog's ${what} does not fit the protocol (at ${path || 'its root'})`,
  )
}

/** What an error body says, as far as it can be read; it may be empty, HTML or a bare error model. */
export function parseErrorBody(text: string): { message: string | undefined; type: string | undefined } {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { message: undefined, type: undefined }
  }
  const wrapped = wrappedError.safeParse(json)
  const model = wrapped.success ? wrapped.data.error : bareError.safeParse(json).data
  return { message: model?.message?.slice(0, 500), type: model?.type ?? undefined }
}
