// What the page and the completion worker say to each other. Lists are sent once, when they are new or have changed.
import type { ListItem, ListKey, Suggestion } from './completion-engine.ts'

export interface CompletionPlace {
  text: string
  /** UTF-16. */
  offset: number
  word: string
}

export type CompletionRequest =
  | { id: number; kind: 'needs'; place: CompletionPlace }
  | { id: number; kind: 'suggest'; place: CompletionPlace; lists: readonly [string, readonly ListItem[]][] }
  | { id: number; kind: 'signatures'; place: CompletionPlace }

export type CompletionAnswer =
  | { id: number; kind: 'needs'; keys: readonly ListKey[] }
  | { id: number; kind: 'suggest'; shown: readonly Suggestion[]; isCut: boolean }
  | { id: number; kind: 'signatures'; signatures: readonly string[]; argument: number }
