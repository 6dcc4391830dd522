// x
export const DEMO_NAMESPACES = ['analytics', 'models']
export async function createDemoTables(_a: unknown, _b: unknown, _c: unknown): Promise<void> {}
