import { describe, expect, it } from 'vitest'
import { bugTrace } from './bug-trace.ts'

describe('[SX1] the trace of a bug', () => {
  it('has the place and not the message, which may quote what was parsed', () => {
    let caught: unknown
    try {
      JSON.parse('{"canary-statement": SELECT}')
    } catch (error) {
      caught = error
    }
    const trace = bugTrace(caught)
    expect(trace).toMatch(/^SyntaxError\n\s+at /)
    expect(trace).toContain('bug-trace.test.ts')
    expect(trace).not.toContain('canary')
    expect(bugTrace(new Error('canary\nof two lines'))).not.toContain('canary')
    expect(bugTrace('canary')).toBe('string')
  })
})
