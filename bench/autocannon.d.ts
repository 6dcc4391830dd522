// The part of autocannon that is used here; it has no types of its own.
declare module 'autocannon' {
  interface Instance extends Promise<{ readonly errors: number; readonly timeouts: number }> {
    on(
      event: 'response',
      listener: (client: unknown, status: number, byteCount: number, elapsedMs: number) => void,
    ): this
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
  }): Instance
}
