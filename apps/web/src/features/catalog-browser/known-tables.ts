// Tables that were opened by name, kept in local storage: with `exact` discovery nothing is listed, so these are the
// tree. Only names are kept; whether a table still exists is for the server to say.
import { useSyncExternalStore } from 'react'
import { KNOWN_TABLES_MAX } from '../../limits.ts'
import type { TableName } from '../../api/table-name.ts'
import { tableId } from './tree-rows.ts'

const STORAGE_KEY = 'lake.known-tables.v1'
const listeners = new Set<() => void>()

const isTableName = (value: unknown): value is TableName =>
  typeof value === 'object' &&
  value !== null &&
  'namespace' in value &&
  Array.isArray(value.namespace) &&
  value.namespace.every((level) => typeof level === 'string') &&
  'table' in value &&
  typeof value.table === 'string'

function readStored(): readonly TableName[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(value) ? value.filter(isTableName) : []
  } catch {
    // Unreadable or forbidden storage holds no names.
    return []
  }
}

let known: readonly TableName[] = readStored()

/** Puts a table that was found first in the list. */
export function rememberTable(name: TableName): void {
  const id = tableId(name)
  if (known.some((other) => tableId(other) === id)) return
  known = [name, ...known].slice(0, KNOWN_TABLES_MAX)
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(known))
  } catch {
    // The list then lasts as long as the page.
  }
  for (const listener of listeners) listener()
}

export const useKnownTables = (): readonly TableName[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => known,
  )
