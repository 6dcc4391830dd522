// The stack on a lake that serves the corpus, for the tests of one file.
import { afterAll, beforeAll } from 'vitest'
import { CORPUS_DIRECTORY, CORPUS_MISSING } from './corpus.ts'
import { startTestLake, startTestStack, type TestLake, type TestStack } from './test-stack.ts'

export interface CorpusStack {
  /** Throws where there is no corpus; its tests are skipped then. */
  readonly stack: TestStack
}

/** Starts the stack before the tests of the calling file and ends it after them; `report` is printed then. */
export function withCorpusStack(report?: () => string): CorpusStack {
  let lake: TestLake | undefined
  let stack: TestStack | undefined

  beforeAll(async () => {
    if (CORPUS_MISSING !== undefined) return
    lake = await startTestLake(['--no-demo', '--corpus', CORPUS_DIRECTORY])
    stack = await startTestStack(lake)
  }, 120_000)

  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]()
    await lake?.[Symbol.asyncDispose]()
    if (CORPUS_MISSING === undefined && report) process.stdout.write(`${report()}\n`)
  })

  return {
    get stack() {
      if (!stack) throw new Error('there is no corpus')
      return stack
    },
  }
}
