// `npm run test:s3`: the suite of the object store against a real S3 server, Ceph's radosgw, with keys of a session from
// its token service. Opt-in: needs Ceph's packages and root (docs/testing.md). Ends what it started.
import { assumeRole, createBucket } from '../apps/server/test/support/s3-admin.ts'
import { say, show } from './interop/commands.ts'
import { startCeph, whyNoCeph } from './interop/ceph.ts'

const reason = whyNoCeph()
if (reason === undefined) {
  await using ceph = await startCeph()
  say(`${ceph.name} at ${ceph.endpoint}`)
  await createBucket(ceph, 'workbench')
  const temporary = await assumeRole(ceph, ceph.roleArn)
  say(`keys of a session by AssumeRole, with a token of ${temporary.sessionToken?.length} characters`)
  const isRight = await show('npm', ['run', '--silent', 'unit', '--', '--project', 'server', 's3-contract'], {
    LAKE_TEST_S3_ENDPOINT: ceph.endpoint,
    LAKE_TEST_S3_BUCKET: 'workbench',
    LAKE_TEST_S3_ACCESS_KEY: ceph.keys.accessKeyId,
    LAKE_TEST_S3_SECRET_KEY: ceph.keys.secretAccessKey,
    LAKE_TEST_S3_TEMPORARY_ACCESS_KEY: temporary.accessKeyId,
    LAKE_TEST_S3_TEMPORARY_SECRET_KEY: temporary.secretAccessKey,
    LAKE_TEST_S3_TEMPORARY_TOKEN: temporary.sessionToken ?? '',
  })
  process.exitCode = isRight ? 0 : 1
} else {
  say(`skipped: ${reason}`)
  process.exitCode = 1
}
