// The storage of one table as its catalog allows: paths in canonical form, and a store that picks the settings of each
// object by its longest credential prefix.
//
// Vended credentials end. They are asked for anew shortly before they do, and once more when storage refuses them as
// expired, after which the read is repeated once. One renewal runs at a time for all reads of the table.
import type { Dispatcher } from 'undici'
import * as z from 'zod'
import { AppError } from '@lake/core/errors.ts'
import type { Clock } from '../concurrency/clock.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import type { IcebergConfig } from '../config.ts'
import { LIMITS } from '../limits.ts'
import type { ObjectStore } from './object-store.ts'
import { createRemoteSigner, type AskSignature } from './remote-signer.ts'
import { createAmbientIdentity, type AmbientIdentity } from './s3-ambient.ts'
import { StorageCredentialsRefused } from './s3-errors.ts'
import { createS3ObjectStore } from './s3-object-store.ts'
import type { S3CredentialSource } from './s3-request.ts'
import { createTablePaths, type TablePaths } from './table-paths.ts'
import { selectS3Settings, type S3Settings, type StorageGrant } from './vended-credentials.ts'

export interface TableStorage {
  readonly store: ObjectStore
  readonly paths: TablePaths
}

/** Asks the catalog for credentials of the same table again. */
type RenewGrant = (signal: AbortSignal) => Promise<StorageGrant>

/** What the catalog does for the storage of one table. */
export interface GrantSource {
  readonly renew: RenewGrant
  readonly askSignature: AskSignature
}

export type OpenTableStorage = (grant: StorageGrant, source: GrantSource) => TableStorage

/** Property of a table's config that maps foreign path prefixes to `s3://` ones, as a JSON object of texts. */
const PATH_MAP_PROPERTY = 'lake.path-map'
const pathMap = z.record(z.string(), z.string())

interface Opened {
  readonly store: ObjectStore
  readonly settings: S3Settings
}

/** @param dispatcher connections shared by all tables; the caller closes it */
export function createTableStorageFactory(options: {
  readonly config: Pick<IcebergConfig, 's3' | 'storageAccess'>
  readonly dispatcher: Dispatcher
  readonly clock: Clock
}): OpenTableStorage {
  const { storageAccess: access, s3: override } = options.config
  const openStore = createStoreOpener(options)

  return (firstGrant, { renew, askSignature }) => {
    let grant = firstGrant
    let grantedAtMs = options.clock.nowMs()
    const stores = new Map<string, ObjectStore>()
    const renewals = createSingleFlight<StorageGrant>()

    const openFor = async (uri: string, signal: AbortSignal): Promise<Opened> => {
      const settings = selectS3Settings(uri, grant, { access, override })
      const key = settingsKey(settings)
      const store = stores.get(key) ?? (await openStore(settings, askSignature, signal))
      stores.set(key, store)
      return { store, settings }
    }
    const renewGrant = async (signal: AbortSignal): Promise<void> => {
      grant = await renewals.run('grant', renew, signal)
      grantedAtMs = options.clock.nowMs()
    }
    const read = async <Result>(
      uri: string,
      work: (store: ObjectStore) => Promise<Result>,
      signal: AbortSignal,
    ): Promise<Result> => {
      let opened = await openFor(uri, signal)
      if (isEnding(opened.settings, grantedAtMs, options.clock.nowMs())) {
        await renewGrant(signal)
        opened = await openFor(uri, signal)
      }
      try {
        return await work(opened.store)
      } catch (error) {
        const isVended = typeof opened.settings.credentials !== 'string'
        if (!isVended || !(error instanceof StorageCredentialsRefused)) throw error
        await renewGrant(signal)
        return await work((await openFor(uri, signal)).store)
      }
    }
    return {
      paths: createTablePaths(readPathMap(firstGrant)),
      store: {
        readObject: async (uri, limits, signal) =>
          await read(uri, async (store) => await store.readObject(uri, limits, signal), signal),
        readRange: async (uri, range, signal) =>
          await read(uri, async (store) => await store.readRange(uri, range, signal), signal),
        statObject: async (uri, signal) =>
          await read(uri, async (store) => await store.statObject(uri, signal), signal),
      },
    }
  }
}

type OpenStore = (
  settings: S3Settings,
  askSignature: AskSignature,
  signal: AbortSignal,
) => Promise<ObjectStore>

function createStoreOpener({ dispatcher, clock }: { dispatcher: Dispatcher; clock: Clock }): OpenStore {
  let ambient: AmbientIdentity | undefined
  const ambientIdentity = (): AmbientIdentity => (ambient ??= createAmbientIdentity())
  return async (settings, askSignature, signal) => {
    const { credentials, endpoint, isPathStyle } = settings
    const ambientRegion =
      settings.region === undefined && credentials === 'ambient'
        ? await ambientIdentity().region(signal)
        : undefined
    const region = settings.region ?? ambientRegion ?? 'us-east-1'
    return createS3ObjectStore({
      ...(endpoint === undefined ? {} : { endpoint }),
      region,
      isPathStyle,
      credentials:
        credentials === 'remote-signing'
          ? { sign: createRemoteSigner({ region, ask: askSignature, clock }) }
          : credentialSource(credentials, ambientIdentity),
      dispatcher,
    })
  }
}

/** The margin shrinks with the life of the credentials, or short-lived ones would be renewed for every read. */
function isEnding({ expiresAtMs }: S3Settings, grantedAtMs: number, nowMs: number): boolean {
  if (expiresAtMs === undefined) return false
  const marginMs = Math.min(LIMITS.storageCredentialsMarginMs, (expiresAtMs - grantedAtMs) / 5)
  return expiresAtMs - nowMs < marginMs
}

function credentialSource(
  credentials: Exclude<S3Settings['credentials'], 'remote-signing'>,
  ambientIdentity: () => AmbientIdentity,
): S3CredentialSource {
  if (credentials === 'anonymous') return 'anonymous'
  if (credentials === 'ambient') return async (signal) => await ambientIdentity().credentials(signal)
  return {
    accessKeyId: credentials.accessKeyId.reveal(),
    secretAccessKey: credentials.secretAccessKey,
    ...(credentials.sessionToken ? { sessionToken: credentials.sessionToken } : {}),
  }
}

/** Two settings with one key read through one store. It lives as long as the table's storage and is never printed. */
function settingsKey({ endpoint, region, isPathStyle, credentials }: S3Settings): string {
  const identity =
    typeof credentials === 'string'
      ? credentials
      : [credentials.accessKeyId.reveal(), credentials.sessionToken?.reveal() ?? '']
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
      {
        cause,
      },
    )
  }
}
