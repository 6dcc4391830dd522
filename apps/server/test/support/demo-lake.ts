// The demo tables that most test files read, made once for all of them: each file has its own copy to change.
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram, type LakeReady } from '../../../../scripts/programs.ts'

const DEMO_SCALE = '0.01'
/** Set by the global set-up for the processes of the test files: a folder for what they share. */
const SHARED_VARIABLE = 'LAKE_TEST_SHARED_DIR'

/** Vitest's global set-up: before the first test file, in the main process. */
export async function setup(): Promise<() => Promise<void>> {
  const shared = await mkdtemp(join(tmpdir(), 'lake-tests-'))
  process.env[SHARED_VARIABLE] = shared
  return async () => await rm(shared, { recursive: true, force: true })
}

/** Puts the demo tables into the new folder of a lake that would make the same ones; elsewhere the lake makes them. */
export async function copyDemoTables(args: readonly string[], directory: string): Promise<void> {
  const shared = process.env[SHARED_VARIABLE]
  const at = args.indexOf('--demo-scale')
  if (shared === undefined || at === -1 || args[at + 1] !== DEMO_SCALE) return
  const made = join(shared, 'demo')
  if (!existsSync(made)) await makeDemoTables(shared, made)
  await cp(made, directory, { recursive: true })
}

/** Files that come at once may each make them; the first one's are taken. */
async function makeDemoTables(shared: string, made: string): Promise<void> {
  const directory = await mkdtemp(join(shared, 'making-'))
  const args = ['--data', directory, '--demo-scale', DEMO_SCALE]
  const lake = await startProgram<LakeReady>('apps/local-lake/src/main.ts', args, { env: {} })
  await lake[Symbol.asyncDispose]()
  // No process runs on what is there under its name.
  await rename(directory, made).catch((error: unknown) => {
    if (!existsSync(made)) throw error
  })
}
