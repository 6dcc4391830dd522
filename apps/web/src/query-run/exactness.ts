// How far the rows that are here can be trusted to be the whole answer, in few words. Shown above every result, and said
// again by everything that takes rows away from it.
import { countedText, countText } from '../ui/format-quantity.ts'
import type { RunState } from './run-state.ts'

export interface Exactness {
  tone: 'ok' | 'warn' | 'error' | 'busy'
  text: string
  title: string
}

/** How far the rows on screen can be trusted to be the whole answer. */
export function exactnessOf(state: RunState, rowCount: number): Exactness {
  const rows = countedText(rowCount, 'row')
  switch (state.kind) {
    case 'planning':
      return { tone: 'busy', text: 'planning', title: 'The tables are being pinned to their snapshots.' }
    case 'reading':
      return { tone: 'busy', text: 'reading', title: 'Rows are still arriving.' }
    case 'paused':
      return {
        tone: 'warn',
        text: `first ${rows}, total unknown`,
        title: 'Reading is paused: this browser keeps no more rows until you continue.',
      }
    case 'stopping':
      return { tone: 'warn', text: 'stopping', title: 'The server has been asked to end the work.' }
    case 'stopped':
      return {
        tone: 'warn',
        text: `cancelled after ${rows}`,
        title: state.isConfirmed
          ? 'The rows that had arrived are kept; the work on the server has ended.'
          : 'The rows that had arrived are kept; the server did not confirm that its work has ended.',
      }
    case 'finished':
      if (rowCount < state.receipt.rowCount)
        return {
          tone: 'warn',
          text: `first ${rows} of ${countText(state.receipt.rowCount)}`,
          title: 'The server sent more rows than are kept here.',
        }
      if (state.receipt.isPreview === true)
        return {
          tone: 'warn',
          text: `first ${rows}, total unknown`,
          title: 'A preview: rows of one row group of one data file, without those that are deleted.',
        }
      return {
        tone: 'ok',
        text: 'exact',
        title: 'The whole answer over exactly the snapshots named here.',
      }
    case 'failed':
      return {
        tone: 'error',
        text: rowCount === 0 ? 'failed' : `incomplete · ${rows}`,
        title: 'The statement failed: what arrived before is not the whole answer.',
      }
  }
}
