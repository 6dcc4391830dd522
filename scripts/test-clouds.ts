// `npm run test:clouds`: the suite of the object store against emulators of Google Cloud Storage and Azure Storage. Opt-in: needs
// Go, npm and the network (docs/testing.md). Ends what it started.
import { say, show } from './interop/commands.ts'
import { startAzure, startGcs, whyNoGcs } from './interop/clouds.ts'

await using stack = new AsyncDisposableStack()
const environment: Record<string, string> = {}
const reason = whyNoGcs()
if (reason === undefined) Object.assign(environment, stack.use(await startGcs()).environment)
else say(`Google Cloud Storage skipped: ${reason}`)
Object.assign(environment, stack.use(await startAzure()).environment)
const isRight = await show(
  'npm',
  ['run', '--silent', 'unit', '--', '--project', 'server', 'cloud-contract'],
  environment,
)
process.exitCode = isRight && reason === undefined ? 0 : 1
