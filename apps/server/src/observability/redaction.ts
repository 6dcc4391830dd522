// Secrets that cannot be printed by accident: whatever turns one into text gets "[redacted]". Redaction is a matter of
// type here, not of care at each place that logs. What needs the plain text says so by calling `reveal`.
import { inspect } from 'node:util'

const REDACTED = '[redacted]'

/** A secret text, such as a key or a token. Not readable by logging, JSON, string concatenation or inspection. */
export class Secret {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  /** The plain text. Call it only where the secret is used, and keep no copy. */
  reveal(): string {
    return this.#text
  }

  toString(): string {
    return REDACTED
  }

  toJSON(): string {
    return REDACTED
  }

  [inspect.custom](): string {
    return REDACTED
  }
}
