// x
export function startCommitting(_a: unknown, _b: unknown, _c: number, _d: unknown): { stop(): Promise<void> } {
  return { stop: async () => {} }
}
