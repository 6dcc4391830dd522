// The part of autocannon that is used here; it has no types of its own.
declare module 'autocannon' {
  interface Result {
    readonly duration: number
    readonly '2xx': number
    readonly errors: number
    readonly timeouts: number
    /** Milliseconds, of all answers. */
    readonly latency: { readonly p50: number; readonly p97_5: number; readonly p99: number }
    readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>
  }
  export default function autocannon(options: {
    readonly url: string
    readonly connections: number
    /** Seconds. */
    readonly duration: number
    readonly timeout: number
    readonly method: 'GET' | 'POST'
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
  }): Promise<Result>
}
