import { expect, it } from 'vitest'
import { failedInBrowser, failedUnits, type BrowserReport, type UnitReport } from './failed-tests.ts'

it('names each failed test with its message, and a file that could not be loaded', () => {
  const report: UnitReport = {
    numPassedTests: 1,
    numFailedTests: 1,
    numPendingTests: 0,
    numTodoTests: 0,
    success: false,
    testResults: [
      {
        name: '/project/a/one.test.ts',
        status: 'failed',
        message: '',
        assertionResults: [
          { fullName: 'adds up', status: 'passed', failureMessages: [] },
          {
            fullName: 'takes away',
            status: 'failed',
            failureMessages: ['\u001B[31mexpected 1\u001B[39m to be 2'],
          },
          { fullName: 'waits', status: 'pending', failureMessages: null },
        ],
      },
      { name: '/project/a/two.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
      { name: '/project/a/three.test.ts', status: 'passed', assertionResults: [] },
    ],
  }
  expect(failedUnits(report, '/project')).toEqual([
    { name: 'a/one.test.ts > takes away', message: 'expected 1 to be 2' },
    { name: 'a/two.test.ts', message: 'no such module' },
  ])
})

it('names what failed in the browser, by file and group, and what failed outside of any test', () => {
  const report: BrowserReport = {
    stats: { expected: 1, unexpected: 1, flaky: 0, skipped: 0 },
    errors: [{ message: 'no browser' }],
    suites: [
      {
        title: 'grid.spec.ts',
        specs: [{ title: 'scrolls', ok: true, tests: [] }],
        suites: [
          {
            title: 'wide',
            specs: [
              { title: 'pins', ok: false, tests: [{ results: [{ errors: [{ message: 'not seen' }] }] }] },
            ],
          },
        ],
      },
    ],
  }
  expect(failedInBrowser(report)).toEqual([
    { name: 'the run', message: 'no browser' },
    { name: 'e2e > grid.spec.ts > wide > pins', message: 'not seen' },
  ])
})

it('keeps a long message short', () => {
  const file = { name: 'x', status: 'failed', message: 'm'.repeat(1_000_000), assertionResults: [] }
  const report = { testResults: [file] } as unknown as UnitReport
  expect(failedUnits(report, '/')[0]!.message.length).toBeLessThan(10_000)
})
