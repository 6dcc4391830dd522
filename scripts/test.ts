// Every check and test, in one go: format, lint, types, dead code, unit and integration tests, then the browser tests.
// Ends with what failed, if anything did, and one line over all of them: `N passed, N failed, N skipped`. Exits 0 only when nothing failed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  failedInBrowser,
  failedUnits,
  type BrowserReport,
  type FailedTest,
  type UnitReport,
} from './failed-tests.ts'
import { buildWeb, ROOT } from './programs.ts'

interface Tally {
  passed: number
  failed: number
  skipped: number
}

const RESULTS = join(ROOT, 'test-results')
const total: Tally = { passed: 0, failed: 0, skipped: 0 }
const failures: FailedTest[] = []

rmSync(RESULTS, { recursive: true, force: true })
mkdirSync(RESULTS, { recursive: true })

// Each uses one core at most, so together they take half the time; each prints when it is done.
const checks = ['format:check', 'lint', 'typecheck', 'knip'].map(async (check) => {
  const isGood = await run('npm', ['run', '--silent', check], 'collected')
  add({ passed: isGood ? 1 : 0, failed: isGood ? 0 : 1, skipped: 0 })
  if (!isGood) failures.push({ name: `npm run ${check}`, message: 'see what it printed above' })
})
await Promise.all(checks)
await buildWeb()
const units = join(RESULTS, 'unit.json')
await run('npm', [
  'run',
  '--silent',
  'unit',
  '--',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${units}`,
])
add(readUnits(units))
await run('npm', ['run', '--silent', 'e2e'])
add(readBrowser(join(RESULTS, 'e2e.json')))

for (const { name, message } of failures) process.stdout.write(`\nfailed: ${name}\n${message}\n`)
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`)
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1

/** @param output `collected` is printed when the command has ended, so that commands at once do not mix their lines */
async function run(
  command: string,
  args: readonly string[],
  output: 'inherit' | 'collected' = 'inherit',
): Promise<boolean> {
  const title = `\n> ${[command, ...args].join(' ')}\n`
  const isCollected = output === 'collected'
  if (!isCollected) process.stdout.write(title)
  const stdio = isCollected ? 'pipe' : 'inherit'
  const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', stdio, stdio] })
  const parts = [title]
  child.stdout?.on('data', (part: Buffer) => parts.push(part.toString()))
  child.stderr?.on('data', (part: Buffer) => parts.push(part.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  if (isCollected) process.stdout.write(parts.join(''))
  return code === 0
}

function add(tally: Tally): void {
  total.passed += tally.passed
  total.failed += tally.failed
  total.skipped += tally.skipped
}

function readUnits(path: string): Tally {
  const report = readReport(path) as UnitReport | undefined
  if (!report) return { passed: 0, failed: 1, skipped: 0 }
  failures.push(...failedUnits(report, ROOT))
  // A file that fails to load has no failed test of its own, but the run did not succeed.
  const failed = report.success ? report.numFailedTests : Math.max(1, report.numFailedTests)
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests + report.numTodoTests }
}

function readBrowser(path: string): Tally {
  const report = readReport(path) as BrowserReport | undefined
  if (!report) return { passed: 0, failed: 1, skipped: 0 }
  failures.push(...failedInBrowser(report))
  const { expected, unexpected, flaky, skipped } = report.stats
  return { passed: expected, failed: unexpected + flaky + report.errors.length, skipped }
}

function readReport(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    process.stdout.write(`${path} is missing: the run did not finish\n`)
    return undefined
  }
}
