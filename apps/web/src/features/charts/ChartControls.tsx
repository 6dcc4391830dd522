// What a chart shows: its kind, its axes, the measure of bars; and the picture as a file.
import { MenuButton } from '../../ui/MenuButton.tsx'
import { CHART_KINDS, chosen, columnsFor, isPossible, MEASURES, type ChartChoice } from './chart-choice.ts'
import type { ChartColumn } from './chart-columns.ts'
import { KIND_WORDS } from './chart-summary.ts'

interface ChartControlsProps {
  columns: readonly ChartColumn[]
  choice: ChartChoice
  onChoice: (choice: ChartChoice) => void
  onSave: (kind: 'svg' | 'png') => void
}

interface PickProps {
  label: string
  value: string | number
  options: readonly (readonly [value: string | number, name: string])[]
  onPick: (value: string) => void
}

function Pick({ label, value, options, onPick }: PickProps) {
  return (
    <label className="chart-pick">
      {label}
      <select value={value} onChange={({ target }) => onPick(target.value)}>
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

const optionsOf = (columns: readonly ChartColumn[]) =>
  columns.map(({ index, name }) => [index, name] as const)

export function ChartControls({ columns, choice, onChoice, onSave }: ChartControlsProps) {
  const { kind, x, y, measure } = choice
  const kinds = CHART_KINDS.filter((name) => isPossible(name, columns))
  const ys = columnsFor(kind, 'y', columns)
  const hasY = kind !== 'histogram' && ys.length > 0 && !(kind === 'bar' && measure === 'rows')
  return (
    <div className="chart-controls" role="toolbar" aria-label="Chart">
      <Pick
        label="Chart"
        value={kind}
        options={kinds.map((name) => [name, KIND_WORDS[name]])}
        onPick={(name) => onChoice(chosen(name as typeof kind, columns, choice))}
      />
      <Pick
        label="X"
        value={x}
        options={optionsOf(columnsFor(kind, 'x', columns))}
        onPick={(index) => onChoice({ ...choice, x: Number(index) })}
      />
      {hasY && (
        <Pick
          label="Y"
          value={y}
          options={optionsOf(ys)}
          onPick={(index) => onChoice({ ...choice, y: Number(index) })}
        />
      )}
      {kind === 'bar' && ys.length > 0 && (
        <Pick
          label="Height"
          value={measure}
          options={MEASURES.map((name) => [name, name])}
          onPick={(name) => onChoice({ ...choice, measure: name as typeof measure })}
        />
      )}
      <MenuButton
        label="Save chart"
        items={[
          { label: 'SVG', detail: 'with what it was made from', onSelect: () => onSave('svg') },
          { label: 'PNG', detail: 'with what it was made from', onSelect: () => onSave('png') },
        ]}
      >
        Save
      </MenuButton>
    </div>
  )
}
