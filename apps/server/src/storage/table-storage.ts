// The storage of one table as one load of it allows: its paths in canonical form, and a store that picks the settings
// for each object by its longest credential prefix.
import type { Dispatcher } from 'undici'
import * as z from 'zod'
import { AppError } from '@lake/core/errors.ts'
import type { IcebergConfig } from '../config.ts'
import type { ObjectStore } from './object-store.ts'
import { createAmbientIdentity, type AmbientIdentity } from './s3-ambient.ts'
import { createS3ObjectStore } from './s3-object-store.ts'
import type { S3CredentialSource } from './s3-request.ts'
import { createTablePaths, type TablePaths } from './table-paths.ts'
import { selectS3Settings, type S3Settings, type StorageGrant } from './vended-credentials.ts'

export interface TableStorage {
  readonly store: ObjectStore
  readonly paths: TablePaths
}

/** Property of a table's config that maps foreign path prefixes to `s3://` ones, as a JSON object of texts. */
const PATH_MAP_PROPERTY = 'lake.path-map'

const pathMap = z.record(z.string(), z.string())

export type OpenTableStorage = (grant: StorageGrant) => TableStorage

/** @param dispatcher connections shared by all tables; the caller closes it */
export function createTableStorageFactory(options: {
  readonly config: Pick<IcebergConfig, 's3' | 'storageAccess'>
  readonly dispatcher: Dispatcher
}): OpenTableStorage {
  let ambient: AmbientIdentity | undefined
  const ambientIdentity = (): AmbientIdentity => (ambient ??= createAmbientIdentity())
  return (grant) => {
    const stores = new Map<string, ObjectStore>()
    const storeFor = async (uri: string, signal: AbortSignal): Promise<ObjectStore> => {
      const { storageAccess: access, s3: override } = options.config
      const settings = selectS3Settings(uri, grant, { access, override })
      const key = settingsKey(settings)
      const known = stores.get(key)
      if (known) return known
      const isAmbient = settings.credentials === 'ambient'
      const region =
        settings.region ?? (isAmbient ? await ambientIdentity().region(signal) : undefined) ?? 'us-east-1'
      const store = createS3ObjectStore({
        ...(settings.endpoint === undefined ? {} : { endpoint: settings.endpoint }),
        region,
        isPathStyle: settings.isPathStyle,
        credentials: credentialSource(settings, ambientIdentity),
        dispatcher: options.dispatcher,
      })
      stores.set(key, store)
      return store
    }
    return {
      paths: createTablePaths(readPathMap(grant)),
      store: {
        readObject: async (uri, limits, signal) =>
          await (await storeFor(uri, signal)).readObject(uri, limits, signal),
        readRange: async (uri, range, signal) =>
          await (await storeFor(uri, signal)).readRange(uri, range, signal),
        statObject: async (uri, signal) => await (await storeFor(uri, signal)).statObject(uri, signal),
      },
    }
  }
}

function credentialSource(settings: S3Settings, ambientIdentity: () => AmbientIdentity): S3CredentialSource {
  const { credentials } = settings
  if (credentials === 'anonymous') return 'anonymous'
  if (credentials === 'ambient') return async (signal) => await ambientIdentity().credentials(signal)
  return {
    accessKeyId: credentials.accessKeyId.reveal(),
    secretAccessKey: credentials.secretAccessKey,
    ...(credentials.sessionToken ? { sessionToken: credentials.sessionToken } : {}),
  }
}

/** Two settings with one key read through one store; it lives as long as the table's load and is never printed. */
function settingsKey({ endpoint, region, isPathStyle, credentials }: S3Settings): string {
  const identity = typeof credentials === 'string' ? credentials : credentials.accessKeyId.reveal()
  return JSON.stringify([endpoint, region, isPathStyle, identity])
}

function readPathMap(grant: StorageGrant): ReadonlyMap<string, string> {
  const text = grant.config.get(PATH_MAP_PROPERTY)?.reveal()
  if (text === undefined) return new Map()
  try {
    return new Map(Object.entries(pathMap.parse(JSON.parse(text))))
  } catch (cause) {
    throw new AppError(
      'CATALOG_UNAVAILABLE',
      `The catalog's ${PATH_MAP_PROPERTY} is not a JSON object of texts`,
      { cause },
    )
  }
}
