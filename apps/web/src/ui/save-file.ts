// Hands a whole file to the browser's downloads, under its name.
import { DOWNLOAD_URL_KEPT_MS } from '../limits.ts'

export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads it after this call has returned, and does not say when it has done.
  setTimeout(() => URL.revokeObjectURL(url), DOWNLOAD_URL_KEPT_MS)
}
