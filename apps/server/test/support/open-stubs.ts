// Stub catalogs of one test file, each ended after its test.
import { afterEach } from 'vitest'
import { startStubCatalog } from './stub-catalog.ts'

/** @returns how a test starts one, and where it puts what else is to be ended with it */
export function openStubs(): { setUp: typeof startStubCatalog; opened: AsyncDisposable[] } {
  const opened: AsyncDisposable[] = []
  afterEach(async () => {
    for (const part of opened.splice(0)) await part[Symbol.asyncDispose]()
  })
  return {
    opened,
    setUp: async (...options) => {
      const started = await startStubCatalog(...options)
      opened.push(started)
      return started
    },
  }
}
