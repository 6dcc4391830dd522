// The formats of an export in words, and what is chosen of each.
import type { ExportTarget } from '@lake/core/api/export-contract.ts'
import type { ExportFormat } from './export-name.ts'

export interface FormatWords {
  format: ExportFormat
  label: string
  /** What it is for and what becomes of values in it. */
  detail: string
  /** Where the receipt is. */
  receipt: string
}

const BESIDE = 'The receipt is saved beside it, with the row count and the SHA-256 of the file.'

export const FORMATS: readonly FormatWords[] = [
  {
    format: 'csv',
    label: 'CSV',
    detail: 'Every tool reads it. NULL is an empty field, an empty text is "".',
    receipt: BESIDE,
  },
  {
    format: 'jsonl',
    label: 'JSON lines',
    detail: 'One object a line, nested values as they are.',
    receipt: BESIDE,
  },
  {
    format: 'parquet',
    label: 'Parquet',
    detail: 'Small, with exact types. For other engines.',
    receipt: 'The receipt is in the footer, under lake.receipt.',
  },
  {
    format: 'arrow',
    label: 'Arrow',
    detail: 'An IPC file, for dataframes: no parsing at all.',
    receipt: 'The receipt is in the footer, under lake.receipt.',
  },
  {
    format: 'xlsx',
    label: 'XLSX',
    detail: 'For spreadsheets. Numbers of more than 15 digits and times are text, so that no digit is lost.',
    receipt: 'The receipt is a second sheet.',
  },
]

/** Rows of an XLSX sheet below its header. */
export const XLSX_ROWS_MAX = 1_048_575

/** What is chosen for every format, so that nothing is lost by looking at another. */
export interface ExportChoices {
  format: ExportFormat
  csv: (ExportTarget & { format: 'csv' })['options']
  jsonl: (ExportTarget & { format: 'jsonl' })['options']
}

export const defaultChoices = (format: ExportFormat): ExportChoices => ({
  format,
  csv: { delimiter: ',', header: true, nullText: '', guardsFormulas: false },
  jsonl: { largeNumbers: 'text' },
})

export function targetOf({ format, csv, jsonl }: ExportChoices): ExportTarget {
  switch (format) {
    case 'csv':
      return { format, options: csv }
    case 'jsonl':
      return { format, options: jsonl }
    default:
      return { format, options: {} }
  }
}

/** Formats whose receipt has no place inside. */
export const hasReceiptBeside = (format: ExportFormat): boolean => format === 'csv' || format === 'jsonl'
