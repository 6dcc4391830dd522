// Offers the formats of an export above a result; the dialog is loaded when it is first opened.
import { Download } from 'lucide-react'
import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react'
import type { QueryRun, RunSnapshot } from '../../query-run/query-run.ts'
import { infoOf } from '../../query-run/run-state.ts'
import { useOfferedCommands, type Command } from '../../ui/commands.ts'
import { MenuButton } from '../../ui/MenuButton.tsx'
import type { ExportFormat } from './export-name.ts'
import { FORMATS } from './export-target.ts'

const ExportDialog = lazy(async () => {
  const module = await import('./ExportDialog.tsx')
  return { default: module.ExportDialog }
})

interface ExportMenuProps {
  run: QueryRun
  snapshot: RunSnapshot
  title: string
  receipt: ReactNode
}

export function ExportMenu({ run, snapshot, title, receipt }: ExportMenuProps) {
  const [format, setFormat] = useState<ExportFormat | null>(null)
  const info = infoOf(snapshot.state)
  const isPossible = info !== null
  const commands = useMemo<Command[]>(
    () => (isPossible ? [{ id: 'export', title: 'Export the result', run: () => setFormat('csv') }] : []),
    [isPossible],
  )
  useOfferedCommands('export', commands)
  return (
    <>
      <MenuButton
        label="Export"
        className="receipt-toggle"
        isDisabled={!isPossible}
        items={FORMATS.map(({ format: name, label, detail }) => ({
          label: `${label}…`,
          detail,
          onSelect: () => setFormat(name),
        }))}
      >
        <Download size={14} aria-hidden /> Export
      </MenuButton>
      {format !== null && info !== null && (
        <Suspense>
          <ExportDialog
            sql={run.sentSql}
            info={info}
            snapshot={snapshot}
            title={title}
            format={format}
            receipt={receipt}
            onClose={() => setFormat(null)}
          />
        </Suspense>
      )}
    </>
  )
}
