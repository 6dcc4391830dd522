// Calls to the local lake's catalog as another engine would make them: commits, renames.
import type { TestLake } from './test-stack.ts'

/** @param body JSON text, where numbers are too long for JavaScript */
export async function catalogCall(
  lake: TestLake,
  method: string,
  path: string,
  body: unknown,
): Promise<void> {
  const base = new URL(lake.ready.restEndpoint)
  const headers = { authorization: `Bearer ${lake.ready.token}`, 'content-type': 'application/json' }
  const config = (await (
    await fetch(new URL(`v1/config?warehouse=${lake.ready.warehouse}`, base), { headers })
  ).json()) as {
    overrides: { prefix?: string }
  }
  const prefix = config.overrides.prefix === undefined ? '' : `/${config.overrides.prefix}`
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(new URL(`v1${prefix}${path}`, base), { method, headers, body: text })
  if (!response.ok) throw new Error(await response.text())
}
