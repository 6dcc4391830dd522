// What other tests measure the engine by.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { countEngineWork, engineProcesses, untilEngineWorks } from './support/engine-processes.ts'

it('the work of engine processes is that of those which were there, and not the start of others', async () => {
  const before = countEngineWork()
  const busy = spawn(process.execPath, ['-e', 'for (;;);', 'engine-process'], { stdio: 'ignore' })
  try {
    await expect.poll(engineProcesses).toContain(busy.pid)
    const since = countEngineWork()
    await untilEngineWorks()
    expect(before()).toBe(0)
    expect(since()).toBeGreaterThan(0)
  } finally {
    busy.kill('SIGKILL')
    await once(busy, 'exit')
  }
})
