// The choice of a format, and what can be chosen within it.
import type { ExportChoices } from './export-target.ts'
import { FORMATS } from './export-target.ts'

interface ChoiceProps {
  choices: ExportChoices
  onChoices: (choices: ExportChoices) => void
  /** Why a format cannot hold the result. */
  refusalOf: (format: ExportChoices['format']) => string | null
}

const DELIMITERS = [
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
  ['|', 'bar'],
] as const

function CsvOptions({ choices, onChoices }: ChoiceProps) {
  const { csv } = choices
  const set = (change: Partial<typeof csv>) => onChoices({ ...choices, csv: { ...csv, ...change } })
  return (
    <div className="export-options">
      <label className="export-option">
        Delimiter
        <select
          value={csv.delimiter}
          onChange={({ target }) => set({ delimiter: target.value as typeof csv.delimiter })}
        >
          {DELIMITERS.map(([value, name]) => (
            <option key={name} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label className="export-option">
        Text for NULL
        <input
          value={csv.nullText}
          placeholder="empty"
          maxLength={32}
          size={10}
          onChange={({ target }) => set({ nullText: target.value.replaceAll(/[",;|\t\r\n]/g, '') })}
        />
      </label>
      <label className="export-check">
        <input
          type="checkbox"
          checked={csv.header}
          onChange={({ target }) => set({ header: target.checked })}
        />
        Names of the columns in the first line
      </label>
      <label className="export-check">
        <input
          type="checkbox"
          checked={csv.guardsFormulas}
          onChange={({ target }) => set({ guardsFormulas: target.checked })}
        />
        Guard against formulas
        <span className="faint"> puts ' before text that a spreadsheet would run: changes those values</span>
      </label>
    </div>
  )
}

function JsonOptions({ choices, onChoices }: ChoiceProps) {
  return (
    <div className="export-options">
      <label className="export-check">
        <input
          type="checkbox"
          checked={choices.jsonl.largeNumbers === 'number'}
          onChange={({ target }) =>
            onChoices({ ...choices, jsonl: { largeNumbers: target.checked ? 'number' : 'text' } })
          }
        />
        64-bit integers and decimals as numbers
        <span className="faint"> all digits are there, but many readers round them</span>
      </label>
    </div>
  )
}

export function FormatOptions(props: ChoiceProps) {
  const { choices, onChoices, refusalOf } = props
  const chosen = FORMATS.find(({ format }) => format === choices.format)
  return (
    <>
      <fieldset className="export-formats">
        <legend>Format</legend>
        {FORMATS.map(({ format, label }) => (
          <label key={format} className="export-format" title={refusalOf(format) ?? undefined}>
            <input
              type="radio"
              name="export-format"
              checked={format === choices.format}
              disabled={refusalOf(format) !== null}
              onChange={() => onChoices({ ...choices, format })}
            />
            {label}
          </label>
        ))}
      </fieldset>
      <p className="export-words">
        {chosen?.detail} {chosen?.receipt}
      </p>
      {refusalOf('xlsx') !== null && <p className="export-words">{refusalOf('xlsx')}</p>}
      {choices.format === 'csv' && <CsvOptions {...props} />}
      {choices.format === 'jsonl' && <JsonOptions {...props} />}
    </>
  )
}
