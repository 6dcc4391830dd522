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
import { LIMITS } from '../limits.ts'
import type { ObjectStore } from './object-store.ts'
import { createRemoteSigner, type AskSignature } from './remote-signer.ts'
import { createAmbientIdentity, type AmbientIdentity } from './s3-ambient.ts'
import { createAzureObjectStore } from './azure-object-store.ts'
import { createGcsObjectStore } from './gcs-object-store.ts'
import type { StorageOutcome } from './http-object-store.ts'
import { createS3ObjectStore } from './s3-object-store.ts'
import type { S3CredentialSource } from './s3-request.ts'
import { StorageCredentialsRefused } from './storage-errors.ts'
import { createTablePaths, type TablePaths } from './table-paths.ts'
import {
  selectSettings,
  type S3Settings,
  type StorageGrant,
  type StorageOverrides,
  type StorageSettings,
} from './vended-credentials.ts'

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

/** Property of a table's config that maps foreign path prefixes to those of stores, as a JSON object of texts. */
const PATH_MAP_PROPERTY = 'lake.path-map'
const pathMap = z.record(z.string(), z.string())

interface Opened {
  readonly grant: StorageGrant
  readonly store: ObjectStore
  readonly settings: StorageSettings
}

/** @param dispatcher connections shared by all tables; the caller closes it */
export function createTableStorageFactory(options: {
  readonly config: StorageOverrides
  readonly dispatcher: Dispatcher
  readonly clock: Clock
  readonly onOutcome: StorageOutcome
}): OpenTableStorage {
  const openStore = createStoreOpener(options)

  return (firstGrant, { renew, askSignature }) => {
    let grant = firstGrant
    let grantedAtMs = options.clock.nowMs()
    let isRenewed = false
    const stores = new Map<string, ObjectStore>()
    const renewals = createSingleFlight<StorageGrant>()

    const openFor = async (uri: string, signal: AbortSignal): Promise<Opened> => {
      const used = grant
      const settings = selectSettings(uri, used, options.config)
      const key = settingsKey(settings)
      const store = stores.get(key) ?? (await openStore(settings, askSignature, signal))
      stores.set(key, store)
      return { grant: used, store, settings }
    }
    const renewGrant = async (signal: AbortSignal): Promise<void> => {
      grant = await renewals.run('grant', renew, signal)
      grantedAtMs = options.clock.nowMs()
      isRenewed = true
    }
    const isEnding = ({ expiresAtMs }: StorageSettings): boolean => {
      // What has ended when it comes anew tells of clocks that differ; storage says when it has ended indeed.
      if (expiresAtMs === undefined || (isRenewed && expiresAtMs <= grantedAtMs)) return false
      return expiresAtMs - options.clock.nowMs() < marginOf(expiresAtMs - grantedAtMs)
    }
    const read = async <Result>(
      uri: string,
      work: (store: ObjectStore) => Promise<Result>,
      signal: AbortSignal,
    ): Promise<Result> => {
      let opened = await openFor(uri, signal)
      if (isEnding(opened.settings)) {
        await renewGrant(signal)
        opened = await openFor(uri, signal)
      }
      try {
        return await work(opened.store)
      } catch (error) {
        if (!isVended(opened.settings) || !(error instanceof StorageCredentialsRefused)) throw error
        // Another read may have met the end of the same ones before.
        if (grant === opened.grant) await renewGrant(signal)
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
  settings: StorageSettings,
  askSignature: AskSignature,
  signal: AbortSignal,
) => Promise<ObjectStore>

function createStoreOpener(parts: {
  readonly dispatcher: Dispatcher
  readonly clock: Clock
  readonly onOutcome: StorageOutcome
}): OpenStore {
  const { dispatcher, clock, onOutcome } = parts
  let ambient: AmbientIdentity | undefined
  const ambientIdentity = (): AmbientIdentity => (ambient ??= createAmbientIdentity())
  return async (settings, askSignature, signal) => {
    const shared = { dispatcher, onOutcome }
    if (settings.kind === 'gcs') return createGcsObjectStore({ ...settings, ...shared })
    if (settings.kind === 'azure') return createAzureObjectStore({ ...settings, ...shared })
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
      ...shared,
    })
  }
}

function isVended(settings: StorageSettings): boolean {
  return settings.kind !== 's3' || typeof settings.credentials !== 'string'
}

/** The margin shrinks with the life of the credentials, or short-lived ones would be renewed for every read. */
function marginOf(lifetimeMs: number): number {
  return Math.min(LIMITS.storageCredentialsMarginMs, lifetimeMs / 5)
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
function settingsKey(settings: StorageSettings): string {
  switch (settings.kind) {
    case 'gcs':
      return JSON.stringify(['gcs', settings.endpoint, settings.userProject, settings.token.reveal()])
    case 'azure':
      return JSON.stringify(['azure', settings.endpoint, settings.sas.reveal()])
    case 's3': {
      const { endpoint, region, isPathStyle, credentials } = settings
      const identity =
        typeof credentials === 'string'
          ? credentials
          : [credentials.accessKeyId.reveal(), credentials.sessionToken?.reveal() ?? '']
      return JSON.stringify(['s3', endpoint, region, isPathStyle, identity])
    }
  }
}

/** @throws AppError CATALOG_UNAVAILABLE where it is no map of texts */
export function readPathMap(grant: StorageGrant): ReadonlyMap<string, string> {
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
