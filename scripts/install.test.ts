// What `npm start` runs ends with it, also where the shell that npm puts between dies alone.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './programs.ts'

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('a program whose shell was killed ends', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lake-start-'))
  try {
    const program = join(directory, 'stay.ts')
    await writeFile(program, 'console.log(process.pid); setInterval(() => undefined, 1_000)')
    const starter = join(directory, 'start.mjs')
    await writeFile(
      starter,
      `import { runProgram } from ${JSON.stringify(join(ROOT, 'scripts/install.mjs'))}
       process.exitCode = await runProgram(${JSON.stringify(relative(ROOT, program))}, [])`,
    )
    const shell = spawn('sh', ['-c', `"${process.execPath}" "${starter}"; true`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(shell.stdout, 'data')) as [Buffer]
    const pid = Number(line.toString())
    expect(isRunning(pid)).toBe(true)
    shell.kill('SIGTERM')
    await expect.poll(() => isRunning(pid)).toBe(false)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
