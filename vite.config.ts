// The one configuration of Vite and Vitest: the web app's build, and the unit and integration tests of every workspace.
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

const root = import.meta.dirname
const project = (name: string, folder: string) => ({
  test: { name, root: `${root}/${folder}`, include: ['**/*.test.ts', '**/*.test.tsx'], environment: 'node' },
})
/** Of code that starts nothing and keeps nothing: a process for each file would be most of what its tests cost. */
const pureProject = (name: string, folder: string) => ({
  test: { ...project(name, folder).test, isolate: false },
})

export default defineConfig({
  root: `${root}/apps/web`,
  plugins: [react()],
  worker: { format: 'es' },
  build: {
    outDir: `${root}/apps/web/dist`,
    emptyOutDir: true,
    target: 'es2022',
    chunkSizeWarningLimit: 8_000,
  },
  test: {
    root,
    // Tests wait for programs that they start more than they compute; the default leaves a core idle.
    maxWorkers: '100%',
    // Against hangs alone: a busy machine is no failure.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      pureProject('core', 'packages/core'),
      {
        test: {
          ...project('server', 'apps/server').test,
          globalSetup: `${root}/apps/server/test/support/demo-lake.ts`,
        },
      },
      project('local-lake', 'apps/local-lake'),
      // Some of its files put something else in the place of a module, which the next file would see.
      project('web', 'apps/web'),
      { test: { name: 'tidy', root, include: ['*.test.ts', 'scripts/**/*.test.ts'], environment: 'node' } },
    ],
  },
})
