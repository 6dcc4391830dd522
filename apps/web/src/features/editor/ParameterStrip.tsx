// Values of the `$name`s in a tab's text, typed, so that a date is a date and a number keeps its digits.
import {
  parameterLiteral,
  parameterNames,
  PARAMETER_TYPES,
  type Parameter,
  type ParameterType,
} from '../../sql/parameters.ts'
import type { Tab } from './tabs-state.ts'
import { tabActions } from './tabs-store.ts'

const PLACEHOLDERS: Readonly<Record<ParameterType, string>> = {
  text: '',
  number: '12.50',
  date: '2026-09-01',
  timestamp: '2026-09-01 09:12:33',
  timestamptz: '2026-09-01 09:12:33+00',
  boolean: 'true',
  null: '',
}

const NAMES: Readonly<Record<ParameterType, string>> = {
  text: 'text',
  number: 'number',
  date: 'date',
  timestamp: 'timestamp',
  timestamptz: 'timestamp with zone',
  boolean: 'true or false',
  null: 'NULL',
}

/** The id of the input of a parameter, for whoever must lead there. */
export const parameterInputId = (name: string): string => `parameter-${name}`

function ParameterField({ tabId, given }: { tabId: string; given: Parameter }) {
  const { name, type, text } = given
  const isMissing = parameterLiteral(given) === null
  const change = (changed: Partial<Parameter>) => tabActions.setParameter(tabId, { ...given, ...changed })
  return (
    <div className="parameter">
      <label htmlFor={parameterInputId(name)} className="mono">
        ${name}
      </label>
      <select
        aria-label={`Type of ${name}`}
        value={type}
        onChange={(event) => change({ type: event.currentTarget.value as ParameterType })}
      >
        {PARAMETER_TYPES.map((each) => (
          <option key={each} value={each}>
            {NAMES[each]}
          </option>
        ))}
      </select>
      <input
        id={parameterInputId(name)}
        type={type === 'date' ? 'date' : 'text'}
        value={type === 'null' ? '' : text}
        disabled={type === 'null'}
        placeholder={PLACEHOLDERS[type]}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={isMissing}
        title={isMissing ? `Not a value of type ${NAMES[type]}` : undefined}
        onChange={(event) => change({ text: event.currentTarget.value })}
      />
    </div>
  )
}

export function ParameterStrip({ tab }: { tab: Tab }) {
  const names = parameterNames(tab.sql)
  if (names.length === 0) return null
  return (
    <section className="parameter-strip" aria-label="Parameters">
      {names.map((name) => (
        <ParameterField
          key={name}
          tabId={tab.id}
          given={tab.parameters?.find((given) => given.name === name) ?? { name, type: 'text', text: '' }}
        />
      ))}
    </section>
  )
}
