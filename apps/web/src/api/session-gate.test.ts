import { describe, expect, it } from 'vitest'
import { openGate, waitForSignIn } from './session-gate.ts'

describe('[SI2] the gate', () => {
  it('lets every waiting request go on when the person has signed in', async () => {
    const { signal } = new AbortController()
    const waiting = [waitForSignIn(signal), waitForSignIn(signal)]
    let isOpen = false
    void Promise.all(waiting).then(() => (isOpen = true))
    await Promise.resolve()
    expect(isOpen).toBe(false)
    openGate()
    await Promise.all(waiting)
    const later = waitForSignIn(signal)
    openGate()
    await later
  })

  it('gives up a request that is given up, and no other', async () => {
    const stopped = new AbortController()
    const first = waitForSignIn(stopped.signal)
    const second = waitForSignIn(new AbortController().signal)
    stopped.abort(new Error('stopped'))
    await expect(first).rejects.toThrow('stopped')
    await expect(waitForSignIn(stopped.signal)).rejects.toThrow('stopped')
    openGate()
    await second
  })
})
