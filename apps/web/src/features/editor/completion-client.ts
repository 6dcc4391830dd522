// The page's side of the completion worker: loads the lists that a place needs through the query cache, and sends those
// that the worker has not seen. A list that cannot be had is left out, since completion is no place for errors.
import { loadColumns, loadNamespaces, loadTableNames } from '../../api/query-client.ts'
import { namespaceText } from '../../api/table-name.ts'
import { listId, type ListItem, type ListKey } from './completion-engine.ts'
import type { CompletionAnswer, CompletionPlace, CompletionRequest } from './completion-protocol.ts'

type Kind = CompletionRequest['kind']
type RequestOf<K extends Kind> = Omit<Extract<CompletionRequest, { kind: K }>, 'id'>
type AnswerOf<K extends Kind> = Extract<CompletionAnswer, { kind: K }>

let worker: Worker | undefined
let lastId = 0
const waiting = new Map<number, (answer: CompletionAnswer) => void>()
/** What the worker was sent of each list: the same array again need not be. */
const sent = new Map<string, unknown>()

function startWorker(): Worker {
  const started = new Worker(new URL('./completion-worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<CompletionAnswer>) => {
    waiting.get(data.id)?.(data)
    waiting.delete(data.id)
  })
  return started
}

async function ask<K extends Kind>(request: RequestOf<K>): Promise<AnswerOf<K>> {
  worker ??= startWorker()
  const id = (lastId += 1)
  const answer = new Promise<CompletionAnswer>((resolve) => waiting.set(id, resolve))
  worker.postMessage({ ...request, id }, [])
  return (await answer) as AnswerOf<K>
}

async function loadList(key: ListKey): Promise<{ source: unknown; items: readonly ListItem[] }> {
  const namespaces = await loadNamespaces()
  if (key.kind === 'namespaces')
    return {
      source: namespaces,
      items: namespaces.map((levels) => ({ name: namespaceText(levels), type: '' })),
    }
  const levels = namespaces.find((known) => namespaceText(known) === key.namespace) ?? [key.namespace]
  if (key.kind === 'tables') {
    const tables = await loadTableNames(levels)
    return { source: tables, items: tables.map((name) => ({ name, type: '' })) }
  }
  const columns = await loadColumns({ namespace: levels, table: key.table })
  return { source: columns, items: columns.map(({ name, type }) => ({ name, type })) }
}

/** What to offer at a place, best first. */
export async function suggestionsAt(place: CompletionPlace): Promise<AnswerOf<'suggest'>> {
  const { keys } = await ask<'needs'>({ kind: 'needs', place })
  const loaded = await Promise.allSettled(
    keys.map(async (key) => ({ id: listId(key), ...(await loadList(key)) })),
  )
  const lists = loaded.flatMap((result): [string, readonly ListItem[]][] => {
    if (result.status === 'rejected' || sent.get(result.value.id) === result.value.source) return []
    sent.set(result.value.id, result.value.source)
    return [[result.value.id, result.value.items]]
  })
  return await ask<'suggest'>({ kind: 'suggest', place, lists })
}

/** The signatures of the function call around a place, and which argument it is in. */
export async function signaturesAt(text: string, offset: number): Promise<AnswerOf<'signatures'>> {
  return await ask<'signatures'>({ kind: 'signatures', place: { text, offset, word: '' } })
}
