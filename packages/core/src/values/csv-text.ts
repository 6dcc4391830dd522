// Fields of CSV by RFC 4180, the same in copies and exports: quoted only where they must be, with NULL, '' and a text
// that looks like NULL kept apart.

export interface CsvForm {
  readonly delimiter: string
  /** What stands for NULL, unquoted; empty by default, and then '' is `""`. */
  readonly nullText: string
  /**
   * Puts an apostrophe before text that a spreadsheet would run as a formula. It changes the value, so it is for files
   * that go to a spreadsheet and nowhere else. Numbers, dates and times stay.
   */
  readonly guardsFormulas: boolean
}

export const PLAIN_CSV: CsvForm = { delimiter: ',', nullText: '', guardsFormulas: false }

/** How spreadsheets know a formula. @see https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r]/

export type CsvFieldWriter = (value: string | null, isText: boolean) => string

/** @returns a writer of fields; `isText` says that the value is text rather than a number, date or time */
export function createCsvFieldWriter({ delimiter, nullText, guardsFormulas }: CsvForm): CsvFieldWriter {
  const special = new RegExp(`["\\r\\n${delimiter === '|' ? '\\|' : delimiter}]`)
  return (value, isText) => {
    if (value === null) return nullText
    const text = guardsFormulas && isText && FORMULA.test(value) ? `'${value}` : value
    return text === '' || text === nullText || special.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
}
