// The demo tables that most test files read, made once for all of them: each file has its own copy to change.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram, type LakeReady } from '../../../../scripts/programs.ts'

const DEMO_SCALE = '0.01'
/** Set by the global set-up for the processes of the test files: the folder of a lake that no process runs on. */
const DIRECTORY_VARIABLE = 'LAKE_TEST_DEMO_DIR'

/** Vitest's global set-up: before the first test file, in the main process. */
export async function setup(): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'lake-demo-'))
  const args = ['--data', directory, '--demo-scale', DEMO_SCALE]
  const lake = await startProgram<LakeReady>('apps/local-lake/src/main.ts', args, { env: {} })
  await lake[Symbol.asyncDispose]()
  process.env[DIRECTORY_VARIABLE] = directory
  return async () => await rm(directory, { recursive: true, force: true })
}

/** Puts the demo tables into the new folder of a lake that would make the same ones; elsewhere the lake makes them. */
export async function copyDemoTables(args: readonly string[], directory: string): Promise<void> {
  const made = process.env[DIRECTORY_VARIABLE]
  const at = args.indexOf('--demo-scale')
  if (made !== undefined && at !== -1 && args[at + 1] === DEMO_SCALE)
    await cp(made, directory, { recursive: true })
}
