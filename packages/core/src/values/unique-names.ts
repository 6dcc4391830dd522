// Column names as keys, for forms in which a name may stand once.

/** A name that comes again gets the first free number: `id`, `id_2`. No value replaces another. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set(names)
  const seen = new Set<string>()
  return names.map((name) => {
    let key = name
    for (let i = 2; seen.has(key) || (key !== name && taken.has(key)); i++) key = `${name}_${i}`
    seen.add(key)
    return key
  })
}
