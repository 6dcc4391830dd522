// How the objects of a result are named: by statement and attempt, so that no two attempts meet at one key.
//
//   <statement id>/<fencing token>/part-<index>.arrow
//   <statement id>/<fencing token>/manifest.json

export interface Attempt {
  readonly statementId: string
  readonly fencingToken: number
}

const folder = ({ statementId, fencingToken }: Attempt): string => `${statementId}/${fencingToken}`

/** What the keys of a statement's objects begin with. */
export const statementPrefix = (statementId: string): string => `${statementId}/`

/** What those of one attempt begin with. */
export const attemptPrefix = (attempt: Attempt): string => `${folder(attempt)}/`

export const partKey = (attempt: Attempt, index: number): string =>
  `${folder(attempt)}/part-${String(index).padStart(5, '0')}.arrow`

export const manifestKey = (attempt: Attempt): string => `${folder(attempt)}/manifest.json`

/** The statement that an object is of. */
export const statementIdOf = (key: string): string => key.slice(0, Math.max(0, key.indexOf('/')))
