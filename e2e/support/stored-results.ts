// What a page has of results on the disk of its computer.
import type { Page } from '@playwright/test'

const filesOf = (page: Page): Promise<[name: string, byteCount: number][]> =>
  page.evaluate(async () => {
    const root = await navigator.storage.getDirectory()
    const folder = await root.getDirectoryHandle('spill', { create: true })
    const files: [string, number][] = []
    for await (const handle of folder.values())
      if (handle.kind === 'file') {
        // One that has just gone has none.
        const size = await handle.getFile().then(
          (file) => file.size,
          () => 0,
        )
        files.push([handle.name, size])
      }
    return files
  })

/** Bytes of rows and records. */
export async function storedBytes(page: Page): Promise<number> {
  return (await filesOf(page)).reduce((sum, [, byteCount]) => sum + byteCount, 0)
}

/** Names of the records of results that are kept for a later page. */
export async function storedNames(page: Page): Promise<string[]> {
  return (await filesOf(page)).map(([name]) => name).filter((name) => name.endsWith('.record'))
}

export const storedCount = async (page: Page): Promise<number> => (await storedNames(page)).length
