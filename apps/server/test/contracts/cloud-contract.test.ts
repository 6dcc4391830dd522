// Google Cloud Storage and Azure Storage under the suite of object stores: servers that LAKE_TEST_GCS_… and LAKE_TEST_ADLS_…
// name, which `npm run test:clouds` starts. Objects are written by plain requests of each service's own protocol.
import { Secret } from '../../src/observability/redaction.ts'
import { createAzureObjectStore } from '../../src/storage/azure-object-store.ts'
import { createGcsObjectStore } from '../../src/storage/gcs-object-store.ts'
import { describeObjectStore } from './object-store-contract.ts'

const named = (name: string): string => process.env[`LAKE_TEST_${name}`] ?? ''
const titleOf = (store: string, variable: string): string =>
  named(variable) === ''
    ? `${store} (skipped: LAKE_TEST_${variable} is not set)`
    : `${store} of LAKE_TEST_${variable}`

async function send(method: string, url: string, headers: Record<string, string>, body: Uint8Array) {
  const response = await fetch(url, { method, headers, body: new Uint8Array(body) })
  if (!response.ok) throw new Error(`writing failed with ${response.status}: ${await response.text()}`)
}

describeObjectStore(
  titleOf('Google Cloud Storage', 'GCS_ENDPOINT'),
  () => {
    const endpoint = named('GCS_ENDPOINT')
    const bucket = named('GCS_BUCKET')
    const token = new Secret(named('GCS_TOKEN'))
    return Promise.resolve({
      put: async (key, body) => {
        const url = `${endpoint}/upload/storage/v1/b/${bucket}/o?uploadType=media&name=${encodeURIComponent(key)}`
        await send('POST', url, { authorization: `Bearer ${token.reveal()}` }, body)
      },
      uriOf: (key) => `gs://${bucket}/${key}`,
      missingBucketUri: 'gs://no-such-bucket-here/key',
      open: () => createGcsObjectStore({ endpoint, token }),
      openWrong:
        named('GCS_CHECKS_TOKENS') === 'true'
          ? [() => createGcsObjectStore({ endpoint, token: new Secret('not-it') })]
          : [],
      [Symbol.asyncDispose]: () => Promise.resolve(),
    })
  },
  { skip: named('GCS_ENDPOINT') === '' },
)

describeObjectStore(
  titleOf('Azure Storage', 'ADLS_ENDPOINT'),
  () => {
    const endpoint = named('ADLS_ENDPOINT')
    const container = named('ADLS_CONTAINER')
    const hostOf = `${named('ADLS_ACCOUNT')}.dfs.core.windows.net`
    const sas = named('ADLS_SAS')
    const open = (query: string) => createAzureObjectStore({ endpoint, sas: new Secret(query) })
    const wrong = [
      sas.replace(/sig=[^&]*/, `sig=${encodeURIComponent(Buffer.alloc(32, 7).toString('base64'))}`),
      named('ADLS_SAS_ENDED'),
      named('ADLS_SAS_OF_ANOTHER_BLOB'),
    ]
    return Promise.resolve({
      put: async (key, body) => {
        const path = key.split('/').map(encodeURIComponent).join('/')
        const headers = { 'x-ms-blob-type': 'BlockBlob', 'x-ms-version': '2020-10-02' }
        await send('PUT', `${endpoint}/${container}/${path}?${named('ADLS_WRITE_SAS')}`, headers, body)
      },
      uriOf: (key) => `abfss://${container}@${hostOf}/${key}`,
      missingBucketUri: `abfss://no-such-bucket-here@${hostOf}/key`,
      open: () => open(sas),
      openWrong: wrong.map((query) => () => open(query)),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    })
  },
  { skip: named('ADLS_ENDPOINT') === '' },
)
