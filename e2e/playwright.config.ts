// End-to-end tests: a real Chromium against the real stack on demo tables. No retries: a test that needs a second try is a
// fault. Two workers, each with a stack of its own. Screens of each state land in test-results/screens, the summary in
// test-results/e2e.json.
import { defineConfig } from '@playwright/test'
import { stackUrl } from './support/stack.ts'

const root = `${import.meta.dirname}/..`

export default defineConfig({
  testDir: import.meta.dirname,
  testMatch: '*.spec.ts',
  outputDir: `${root}/test-results/e2e`,
  globalSetup: `${import.meta.dirname}/support/stack.ts`,
  fullyParallel: false,
  workers: process.env['LAKE_E2E_URL'] === undefined ? 2 : 1,
  retries: 0,
  // Against hangs alone: a busy machine is no failure.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: [['list'], ['json', { outputFile: `${root}/test-results/e2e.json` }]],
  use: {
    browserName: 'chromium',
    viewport: { width: 1440, height: 900 },
    colorScheme: 'light',
    locale: 'en-US',
    // Set by the global setup before any worker reads this file.
    baseURL: stackUrl(Number(process.env['TEST_PARALLEL_INDEX'] ?? 0)),
    // A recording costs a quarter of all that the tests do, and is thrown away where they pass.
    trace: process.env['LAKE_E2E_TRACE'] === undefined ? 'off' : 'retain-on-failure',
    screenshot: 'only-on-failure',
    video: 'off',
    permissions: ['clipboard-read', 'clipboard-write'],
    launchOptions: {
      executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})
