import { startTestLake } from '../support/test-stack.ts'
import { describeObjectStore } from './object-store-contract.ts'
import { s3Store } from './s3-contract.ts'

const LAKE_KEYS = { accessKeyId: 'ROOT', secretAccessKey: 'root-secret' }

describeObjectStore('the local lake as object storage', async () => {
  const { accessKeyId, secretAccessKey } = LAKE_KEYS
  const flags = ['--no-demo', '--s3-access-key', accessKeyId, '--s3-secret-key', secretAccessKey]
  const lake = await startTestLake(flags)
  return s3Store({
    endpoint: lake.ready.s3Endpoint,
    bucket: 'lake',
    keys: LAKE_KEYS,
    temporary: undefined,
    [Symbol.asyncDispose]: async () => {
      await lake[Symbol.asyncDispose]()
    },
  })
})

const external = (name: string): string => process.env[`LAKE_TEST_S3_${name}`] ?? ''
const isNamed = external('ENDPOINT') !== ''
describeObjectStore(
  isNamed
    ? 'the object storage of LAKE_TEST_S3_ENDPOINT'
    : 'another object storage (skipped: LAKE_TEST_S3_ENDPOINT is not set)',
  () =>
    Promise.resolve(
      s3Store({
        endpoint: external('ENDPOINT'),
        bucket: external('BUCKET'),
        keys: { accessKeyId: external('ACCESS_KEY'), secretAccessKey: external('SECRET_KEY') },
        temporary:
          external('TEMPORARY_TOKEN') === ''
            ? undefined
            : {
                accessKeyId: external('TEMPORARY_ACCESS_KEY'),
                secretAccessKey: external('TEMPORARY_SECRET_KEY'),
                sessionToken: external('TEMPORARY_TOKEN'),
              },
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
    ),
  { skip: !isNamed },
)
