// Runs statements in chdb, whose calls hold the thread: a process of its own, one statement a message.
import { createRequire } from 'node:module'

const { query } = createRequire(import.meta.url)('chdb') as { query: (sql: string, format: string) => string }

process.on('message', (sql: string) => {
  try {
    process.send?.({ text: query(sql, 'TabSeparated') })
  } catch (error) {
    process.send?.({ failure: String(error) })
  }
})
