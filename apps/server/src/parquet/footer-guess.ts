// Guesses how long the footer of a data file is, so that one request from the end of the file brings it whole and
// little else. The first guess is by the shape of the file; later ones are by what the table's footers turned out to
// be, since one writer's footers differ little. A guess that is too small costs a request, one too large some bytes.
import { LIMITS } from '../limits.ts'

/** What manifests say of a file before it is opened. */
export interface FooterShape {
  readonly leafCount: number
  /** 1 where it is unknown. */
  readonly rowGroupCount: number
}

export interface FooterGuess {
  /** Bytes from the end of the file, the length and the magic included. */
  guessBytes(shape: FooterShape): number
  /** @param footerBytes without the length and the magic */
  learn(shape: FooterShape, footerBytes: number): void
}

/** Guesses by table, for as many tables as `LIMITS.footerGuessTablesMax`. */
export interface FooterGuesses {
  /** @param table tells tables apart, such as a UUID */
  of(table: string): FooterGuess
}

const TAIL_BYTES = 8
/** Of a footer without columns, of a column in the schema, and of a column chunk with statistics: typical. */
const BASE_BYTES = 512
const COLUMN_BYTES = 32
const CHUNK_BYTES = 88
/** Footers of one table differ by the digits in them. */
const MARGIN_SHARE = 0.02
const MARGIN_BYTES = 64

export function createFooterGuesses(): FooterGuesses {
  const guesses = new Map<string, FooterGuess>()
  return {
    of(table) {
      const guess = guesses.get(table) ?? createFooterGuess()
      guesses.delete(table)
      guesses.set(table, guess)
      const [oldest] = guesses.keys()
      if (oldest !== undefined && guesses.size > LIMITS.footerGuessTablesMax) guesses.delete(oldest)
      return guess
    },
  }
}

export function createFooterGuess(): FooterGuess {
  /** Of footers that were seen to what their shape lets expect. */
  let ratio: number | undefined
  return {
    guessBytes(shape) {
      const typicalBytes = typicalFooterBytes(shape)
      if (ratio === undefined) return Math.min(typicalBytes + TAIL_BYTES, LIMITS.parquetFooterGuessBytes)
      const bytes = Math.ceil(typicalBytes * ratio * (1 + MARGIN_SHARE)) + MARGIN_BYTES + TAIL_BYTES
      return Math.min(bytes, LIMITS.parquetFooterGuessBytesMax)
    },
    learn(shape, footerBytes) {
      const seen = footerBytes / typicalFooterBytes(shape)
      // Rises at once and falls slowly: a request costs more than the bytes.
      ratio = ratio === undefined ? seen : Math.max(seen, ratio - (ratio - seen) / 16)
    },
  }
}

function typicalFooterBytes({ leafCount, rowGroupCount }: FooterShape): number {
  return BASE_BYTES + leafCount * (COLUMN_BYTES + rowGroupCount * CHUNK_BYTES)
}
