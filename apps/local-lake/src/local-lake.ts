// Puts the local lake together: database, object files, S3 store, REST catalog, demo tables. Both servers listen on the
// loopback address alone. Everything that lasts is below the data folder, and a second start finds it again.
import { mkdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Catalog, LAKE_BUCKET } from './catalog/catalog.ts'
import { CatalogDatabase } from './catalog/catalog-database.ts'
import { CORPUS_BUCKET, CorpusCatalog } from './catalog/corpus-catalog.ts'
import { createRestApp } from './catalog/rest-app.ts'
import { startCommitting } from './demo/commit-regularly.ts'
import { createDemoTables, DEMO_NAMESPACES } from './demo/demo-tables.ts'
import { CredentialIssuer } from './s3/credentials.ts'
import type { RootCredentials } from './s3/credentials.ts'
import { ObjectFiles } from './s3/object-files.ts'
import type { Bucket } from './s3/object-files.ts'
import { createS3Server } from './s3/s3-server.ts'

const WAREHOUSE = 'demo'
const LOOPBACK = '127.0.0.1'

export interface LocalLakeOptions {
  /** Folder for everything that lasts; made when absent. */
  readonly dataFolder: string
  /** 0 or absent: any free port. */
  readonly restPort?: number
  readonly s3Port?: number
  /** Folder of third-party test tables to serve as well, read-only. */
  readonly corpusFolder?: string | undefined
  /** Demo tables are made when absent; 1 is the full size, 0 makes none. Default 0. */
  readonly demoScale?: number
  /** Appends some rows to analytics.episodes this often. */
  readonly commitEverySeconds?: number | undefined
  /** Default true. */
  readonly isVendingCredentials?: boolean
  /** Whether tables are loaded with the store's address (`s3.endpoint` and its kin). Default true. */
  readonly isStorageAddressServed?: boolean
  /** Unsigned reads of the store are allowed. Default false. */
  readonly isAnonymousAllowed?: boolean
  /** A fixed key pair with access to every bucket. */
  readonly rootCredentials?: RootCredentials | undefined
  /** For expiry and clock skew. Default: the clock of the machine. */
  readonly clock?: () => number
  readonly log?: (message: string) => void
}

export interface LocalLake {
  /** What `LAKE_ICEBERG_REST_ENDPOINT` is set to; ends with a slash. */
  readonly restEndpoint: string
  readonly s3Endpoint: string
  readonly warehouse: string
  /** Namespaces with demo or corpus tables. */
  readonly namespaces: readonly string[]
  /** The bearer token of the catalog. The same at every start over one data folder. */
  readonly token: string
  /** Stops both servers; requests that run are cut off. */
  close(): Promise<void>
}

/** Starts catalog and store, and makes the demo tables where they are absent. Resolves when all can be used. */
export async function startLocalLake(options: LocalLakeOptions): Promise<LocalLake> {
  const { dataFolder, clock = Date.now, log = () => {}, demoScale = 0 } = options
  const objects = await openObjects(options)
  const db = new CatalogDatabase(join(dataFolder, 'catalog.sqlite'))
  const corpus =
    options.corpusFolder === undefined ? undefined : await CorpusCatalog.open(options.corpusFolder)
  const catalog = new Catalog(db, objects, clock)
  const issuer = new CredentialIssuer(db.secret('credential-key'), options.rootCredentials)
  const token = db.secret('bearer-token')
  const isAnonymousAllowed = options.isAnonymousAllowed ?? false
  const s3 = createS3Server({ objects, issuer, isAnonymousAllowed, clock, log })
  const s3Endpoint = await listen(s3, options.s3Port ?? 0)
  const access = {
    endpoint: s3Endpoint,
    issuer,
    isVending: options.isVendingCredentials ?? true,
    isAddressServed: options.isStorageAddressServed ?? true,
    clock,
  }
  const rest = createServer(createRestApp({ catalog, corpus, access, warehouse: WAREHOUSE, token, log }))
  const close = async (): Promise<void> => {
    await Promise.all([stop(rest), stop(s3)])
    db.close()
  }
  try {
    if (demoScale > 0) await createDemoTables(catalog, objects, { scale: demoScale, log })
    const restEndpoint = `${await listen(rest, options.restPort ?? 0)}/`
    const every = options.commitEverySeconds
    const committing = every === undefined ? undefined : startCommitting(catalog, objects, every, log)
    return {
      restEndpoint,
      s3Endpoint,
      warehouse: WAREHOUSE,
      namespaces: [...(demoScale > 0 ? DEMO_NAMESPACES : []), ...(corpus?.namespaces() ?? [])],
      token,
      close: async () => {
        await committing?.stop()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function openObjects({ dataFolder, corpusFolder }: LocalLakeOptions): Promise<ObjectFiles> {
  const folder = join(dataFolder, 'objects', LAKE_BUCKET)
  const scratch = join(dataFolder, 'scratch')
  // What a crash left half written has no name yet, and nothing will ask for it.
  await rm(scratch, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const buckets: Bucket[] = [{ name: LAKE_BUCKET, folder, isReadOnly: false, naming: 'escaped' }]
  if (corpusFolder !== undefined)
    buckets.push({ name: CORPUS_BUCKET, folder: corpusFolder, isReadOnly: true, naming: 'literal' })
  return new ObjectFiles(buckets, scratch)
}

async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, LOOPBACK, resolve)
  })
  return `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
