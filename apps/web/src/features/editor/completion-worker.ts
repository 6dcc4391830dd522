// The worker of completion: keeps the lists that it was sent, and answers one request after the other.
import { callAt } from '../../sql/call-at.ts'
import { listsFor, parseSignatures, suggest, type ListItem } from './completion-engine.ts'
import type { CompletionAnswer, CompletionRequest } from './completion-protocol.ts'
import functionLines from './functions.txt?raw'

const lists = new Map<string, readonly ListItem[]>()
const signatures = parseSignatures(functionLines)

function answerTo(request: CompletionRequest): CompletionAnswer {
  const { id, place } = request
  switch (request.kind) {
    case 'needs':
      return { id, kind: 'needs', keys: listsFor(place.text, place.offset) }
    case 'suggest':
      for (const [key, items] of request.lists) lists.set(key, items)
      return { id, kind: 'suggest', ...suggest(place, lists, signatures) }
    case 'signatures': {
      const call = callAt(place.text, place.offset)
      const found = call === null ? undefined : signatures.get(call.name)
      return { id, kind: 'signatures', signatures: found ?? [], argument: call?.argument ?? 0 }
    }
  }
}

addEventListener('message', ({ data }: MessageEvent<CompletionRequest>) => {
  postMessage(answerTo(data))
})
