// Counts what code asks for by number: typed arrays, buffers and lists of a given length. A reader that believes a hostile
// length takes its memory in this way, whatever it then does, so the count tells without a clock or a collector of garbage.

const TYPED = ['Uint8Array', 'Int8Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'Float64Array'] as const
const LISTS = ['Array'] as const
const BUFFERS = ['ArrayBuffer'] as const
const LIST_ITEM_BYTES = 8

type Constructor = (new (...values: never[]) => object) & { readonly BYTES_PER_ELEMENT?: number }
type Globals = Record<string, Constructor>

/** Runs `work`; `bytes` is what it asked for, and what it gave back is weighed with it. */
export async function countAllocations(
  work: () => unknown,
  bytesMax: number,
): Promise<{ readonly bytes: number; readonly error: unknown }> {
  let bytes = 0
  let tooMuch: TooMuchMemory | undefined
  const globals = globalThis as unknown as Globals
  const originals = [...TYPED, ...LISTS, ...BUFFERS].map((name) => [name, globals[name]!] as const)
  for (const [name, original] of originals) {
    const itemBytes = name === 'Array' ? LIST_ITEM_BYTES : (original.BYTES_PER_ELEMENT ?? 1)
    globals[name] = counted(original, (count) => {
      bytes += count * itemBytes
      if (bytes <= bytesMax) return
      // Kept, since whoever asked may catch it.
      tooMuch ??= new TooMuchMemory(`asks for ${bytes} bytes`)
      throw tooMuch
    })
  }
  let result: unknown
  let error: unknown
  try {
    result = await work()
  } catch (caught) {
    error = caught
  } finally {
    for (const [name, original] of originals) globals[name] = original
  }
  if (tooMuch) return { bytes, error: tooMuch }
  bytes += weigh(result, bytesMax)
  if (bytes > bytesMax) return { bytes, error: new TooMuchMemory(`gives back ${bytes} bytes`) }
  return { bytes, error }
}

class TooMuchMemory extends Error {}

function counted(original: Constructor, add: (count: number) => void): Constructor {
  return new Proxy(original, {
    construct(target, values, newTarget) {
      const [first] = values as readonly unknown[]
      if (typeof first === 'number' && values.length === 1) add(first)
      return Reflect.construct(target, values, newTarget) as object
    },
    get(target, key) {
      const value: unknown = Reflect.get(target, key)
      if (key !== 'from') return value
      return (source: { readonly length?: unknown }, ...rest: readonly unknown[]): unknown => {
        if (typeof source.length === 'number') add(source.length)
        return (value as (...values: unknown[]) => unknown).call(target, source, ...rest)
      }
    },
  })
}

/** Bytes that a value takes, about; ends early beyond `bytesMax`. */
function weigh(value: unknown, bytesMax: number): number {
  const pending = [value]
  const seen = new Set<object>()
  let bytes = 0
  while (pending.length > 0 && bytes <= bytesMax) {
    const item = pending.pop()
    if (typeof item === 'string') bytes += item.length
    if (typeof item !== 'object' || item === null || seen.has(item)) continue
    seen.add(item)
    bytes += 16
    if (ArrayBuffer.isView(item)) bytes += item.byteLength
    else if (item instanceof Map) pending.push(...item.keys(), ...item.values())
    else {
      for (const member of Object.values(item)) {
        bytes += 8
        if (typeof member === 'object' || typeof member === 'string') pending.push(member)
      }
    }
  }
  return bytes
}
