// Reads a sheet of an XLSX file for tests: unzips it and takes its XML apart. Not the writer's code, nor its library.
import { once } from 'node:events'
import { fromBuffer, type Entry, type ZipFile } from 'yauzl'

/** Texts and numbers as they stand in the file, by row from 1 and column letters. */
export type Sheet = ReadonlyMap<string, SheetCell>
export interface SheetCell {
  readonly kind: 'text' | 'number' | 'boolean'
  readonly value: string
  readonly style: number
}

function openZip(bytes: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
      if (error) reject(error)
      else resolve(zip)
    })
  })
}

async function readEntry(zip: ZipFile, entry: Entry): Promise<string> {
  const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    zip.openReadStream(entry, (error, opened) => {
      if (error) reject(error)
      else resolve(opened)
    })
  })
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

/** Text of every file in a ZIP archive; throws for one that is not whole. */
export async function unzip(bytes: Buffer): Promise<Map<string, string>> {
  const zip = await openZip(bytes)
  const files = new Map<string, string>()
  for (let left = zip.entryCount; left > 0; left -= 1) {
    const entry = once(zip, 'entry') as Promise<[Entry]>
    zip.readEntry()
    const [found] = await entry
    files.set(found.fileName, await readEntry(zip, found))
  }
  return files
}

const unescapeXml = (xml: string): string =>
  xml
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/_x([0-9A-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

export function readSheet(xml: string): Sheet {
  const cells = new Map<string, SheetCell>()
  for (const [, attributes = '', content = ''] of xml.matchAll(/<c ([^>]*)>(.*?)<\/c>/gs)) {
    const attribute = (name: string) => new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1]
    const type = attribute('t')
    const text = /<t[^>]*>(.*)<\/t>/s.exec(content)?.[1]
    const value = type === 'inlineStr' ? unescapeXml(text ?? '') : (/<v>(.*)<\/v>/.exec(content)?.[1] ?? '')
    const kind = type === 'inlineStr' ? 'text' : type === 'b' ? 'boolean' : 'number'
    cells.set(attribute('r') ?? '', { kind, value, style: Number(attribute('s') ?? 0) })
  }
  return cells
}
