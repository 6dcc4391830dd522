// Calls to the local lake's own catalog, as another engine would make them.
import type { TestLake } from './test-stack.ts'

export interface LakeCatalog {
  /** @param body an object, or JSON text where it holds integers of 64 bits */
  call(method: string, path: string, body: unknown): Promise<void>
  /** Commits updates to a table, as JSON text. */
  commit(namespace: string, table: string, updates: string): Promise<void>
}

export function createLakeCatalog({ ready }: Pick<TestLake, 'ready'>): LakeCatalog {
  const base = new URL(ready.restEndpoint)
  const headers = { authorization: `Bearer ${ready.token}`, 'content-type': 'application/json' }
  const call: LakeCatalog['call'] = async (method, path, body) => {
    const answer = await fetch(new URL(`v1/config?warehouse=${ready.warehouse}`, base), { headers })
    const { overrides } = (await answer.json()) as { overrides: { prefix?: string } }
    const prefix = overrides.prefix === undefined ? '' : `/${overrides.prefix}`
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(new URL(`v1${prefix}${path}`, base), { method, headers, body: text })
    if (!response.ok) throw new Error(await response.text())
  }
  return {
    call,
    async commit(namespace, table, updates) {
      const body = `{"requirements":[],"updates":${updates}}`
      await call('POST', `/namespaces/${namespace}/tables/${table}`, body)
    },
  }
}
