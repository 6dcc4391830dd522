// What failed, from the reports of Vitest and Playwright, for the end of a run: its beginning may be gone by then.
import { stripVTControlCharacters } from 'node:util'

/** Characters kept of one message. */
const MESSAGE_LENGTH_MAX = 1_500

export interface FailedTest {
  readonly name: string
  readonly message: string
}

/** The part of Vitest's JSON report that is read. A file that could not be loaded has a message and no test. */
export interface UnitReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly success: boolean
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message?: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages?: readonly string[] | null
    }[]
  }[]
}

/** The part of Playwright's JSON report that is read. */
export interface BrowserReport {
  readonly stats: {
    readonly expected: number
    readonly unexpected: number
    readonly flaky: number
    readonly skipped: number
  }
  readonly errors: readonly { readonly message?: string }[]
  readonly suites: readonly BrowserSuite[]
}

interface BrowserSuite {
  readonly title: string
  readonly suites?: readonly BrowserSuite[]
  readonly specs?: readonly {
    readonly title: string
    readonly ok: boolean
    readonly tests: readonly {
      readonly results: readonly { readonly errors: readonly { readonly message?: string }[] }[]
    }[]
  }[]
}

/** @param root is left out of the files' names */
export function failedUnits(report: UnitReport, root: string): FailedTest[] {
  return report.testResults.flatMap((file) => {
    const name = file.name.replace(`${root}/`, '')
    const failed = file.assertionResults
      .filter(({ status }) => status === 'failed')
      .map((test) => failedTest(`${name} > ${test.fullName}`, test.failureMessages ?? []))
    if (failed.length > 0 || file.status !== 'failed') return failed
    return [failedTest(name, [file.message ?? ''])]
  })
}

export function failedInBrowser(report: BrowserReport): FailedTest[] {
  const bySuite = (suite: BrowserSuite, names: readonly string[]): FailedTest[] => {
    const path = [...names, suite.title]
    const own = (suite.specs ?? [])
      .filter(({ ok }) => !ok)
      .map(({ title, tests }) => {
        const errors = tests.flatMap(({ results }) => results.flatMap((result) => result.errors))
        return failedTest(
          [...path, title].join(' > '),
          errors.map(({ message }) => message ?? ''),
        )
      })
    return [...own, ...(suite.suites ?? []).flatMap((inner) => bySuite(inner, path))]
  }
  const outside = report.errors.map(({ message }) => failedTest('the run', [message ?? '']))
  return [...outside, ...report.suites.flatMap((suite) => bySuite(suite, ['e2e']))]
}

function failedTest(name: string, messages: readonly string[]): FailedTest {
  const message = stripVTControlCharacters(messages.join('\n'))
  return { name, message: message.slice(0, MESSAGE_LENGTH_MAX) }
}
