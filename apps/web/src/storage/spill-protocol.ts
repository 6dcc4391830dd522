// What the page and the worker of the spill say to each other. Each request is answered once, under its number.

export type SpillRequest =
  | { id: number; kind: 'put'; file: string; bytes: Uint8Array<ArrayBuffer> }
  | { id: number; kind: 'get'; file: string; offset: number; byteCount: number }
  | { id: number; kind: 'remove'; file: string }

export type SpillAnswer =
  | { id: number; kind: 'put'; offset: number }
  | { id: number; kind: 'got'; bytes: Uint8Array<ArrayBuffer> }
  | { id: number; kind: 'removed' }
  | { id: number; kind: 'failed'; message: string }

export const SPILL_FOLDER = 'spill'
