// Bounded parallel work over a list.
import { throwIfAborted } from './deadline.ts'

/**
 * Applies `work` to each item, at most `atOnceMax` at a time, and returns the results in the items' order.
 * The first failure aborts the signal given to the others, waits for them, and is thrown.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  atOnceMax: number,
  work: (item: Item, signal: AbortSignal, index: number) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result[]> {
  throwIfAborted(signal)
  const controller = new AbortController()
  const combined = AbortSignal.any([signal, controller.signal])
  const results: Result[] = []
  let nextIndex = 0
  let firstError: { readonly error: unknown } | undefined

  const worker = async (): Promise<void> => {
    while (nextIndex < items.length && firstError === undefined) {
      const index = nextIndex
      nextIndex += 1
      try {
        throwIfAborted(signal)
        results[index] = await work(items[index] as Item, combined, index)
      } catch (error) {
        firstError ??= { error }
        controller.abort(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnceMax, items.length) }, worker))
  if (firstError) throw firstError.error
  return results
}
