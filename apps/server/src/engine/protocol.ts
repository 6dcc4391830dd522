// What the server and an engine process say to each other: requests and answers as JSON over Node's IPC channel, rows
// as frames over a pipe of their own, so that a slow reader stops the engine by the pipe alone.

/** Given once, in the first message, since the process has no environment. */
export interface EngineSettings {
  readonly role: 'session' | 'analysis'
  readonly directory: string
  readonly memoryBytesMax: number
  readonly spillBytesMax: number
  readonly threads: number
  readonly batchRowsMax: number
  readonly batchBytesMax: number
}

interface WireColumn {
  readonly name: string
  readonly type: string
}

export type EngineRequest =
  | { readonly kind: 'start'; readonly settings: EngineSettings }
  /** Runs statements of our own making, such as the DDL of views. */
  | { readonly kind: 'define'; readonly statements: readonly string[] }
  | {
      readonly kind: 'execute'
      readonly sql: string
      readonly rowsMax: number
      /** By column. */
      readonly instants: readonly (readonly number[])[]
    }
  /**
   * Takes away what the last statement left: connection and catalogs. The whole database is replaced where `isWhole`, and
   * where a statement failed or was interrupted since it was opened.
   */
  | { readonly kind: 'reset'; readonly isWhole: boolean }
  | { readonly kind: 'parse'; readonly sql: string }
  | {
      readonly kind: 'bind'
      readonly sql: string
      readonly macros: readonly string[]
      readonly ddl: readonly string[]
    }
  | { readonly kind: 'expressions'; readonly texts: readonly string[] }

export interface RawEngineError {
  /** DuckDB's kind, such as `Binder` or `Out of Memory`; `Too Large` is ours. */
  readonly type: string
  readonly message: string
  /** In the text of the statement: UTF-8 bytes, but code points where `type` is `Parser`. */
  readonly position: number | undefined
}

export type ToEngine = { readonly id: number; readonly request: EngineRequest } | { readonly interrupt: true }

export type FromEngine =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: RawEngineError }

export interface StartAnswer {
  readonly version: string
}
export interface ExecuteAnswer {
  readonly columns: readonly WireColumn[]
  readonly schemaMessageBase64: string
}
export interface BindAnswer {
  readonly columns: readonly WireColumn[]
  readonly treeText: string
  readonly planText: string
}

/** A frame: kind, number of rows and length of the payload as little-endian u32, then the payload. */
export const FRAME_HEADER_BYTES = 12
export const FRAME_KIND = { batch: 1, end: 2, error: 3 } as const
/** File descriptor of the frames' pipe in the child process. */
export const FRAME_FD = 3
