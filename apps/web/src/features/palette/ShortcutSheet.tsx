// The sheet of shortcuts: every command that has one, and the keys of the editor, its tabs, the tree and the grid.
import { useEffect, useRef } from 'react'
import { shortcutText, useCommands } from '../../ui/commands.ts'

const TAB_KEYS: readonly [string, string][] = [
  ['Go to a query by its place', 'Alt 1…9'],
  ['Rename the query', 'F2'],
  ['Close the query', 'Delete'],
]
const TREE_KEYS: readonly [string, string][] = [
  ['Put the name into the statement', 'Enter'],
  ['Open the table’s page', 'Space'],
  ['Everything else', 'Shift F10'],
]
const EDITOR_KEYS: readonly [string, string][] = [
  ['Complete a name', 'Ctrl Space'],
  ['Comment lines', 'Mod /'],
  ['Move lines', 'Alt ↑ ↓'],
]
const GRID_KEYS: readonly [string, string][] = [
  ['Whole value of a cell', 'Enter'],
  ['Statistics of a column', 'Space'],
  ['Find, filter, go to a row', 'Mod F'],
  ['Copy the selection', 'Mod C'],
  ['Copy it in another form', 'Mod Shift C'],
  ['Show or hide columns', '/'],
  ['Extend the selection', 'Shift ← → ↑ ↓'],
  ['First or last row', 'Mod ↑ ↓'],
  ['First or last column', 'Home End'],
  ['First or last cell', 'Mod Home End'],
  ['Everything else of a cell', 'Shift F10'],
]

function Keys({ title, keys }: { title: string; keys: readonly (readonly [string, string])[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl className="shortcuts">
        {keys.map(([action, shortcut]) => (
          <div key={action} className="shortcut">
            <dt>{action}</dt>
            <dd>
              <kbd>{shortcut}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const commands = useCommands()
  useEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  const withKeys = commands.flatMap(({ title, shortcut }) =>
    shortcut === undefined ? [] : [[title, shortcut] as const],
  )
  const signs = (keys: readonly [string, string][]) =>
    keys.map(([action, key]) => [action, shortcutText(key)] as const)
  return (
    <dialog ref={dialog} className="sheet" aria-labelledby="shortcut-sheet-title" onClose={onClose}>
      <header className="sheet-header">
        <h2 id="shortcut-sheet-title">Shortcuts</h2>
        <button type="button" className="button button-quiet" onClick={onClose}>
          Close
        </button>
      </header>
      <div className="sheet-body">
        <Keys title="Workbench" keys={withKeys} />
        <Keys title="Editor" keys={signs(EDITOR_KEYS)} />
        <Keys title="On a query’s tab" keys={signs(TAB_KEYS)} />
        <Keys title="Catalog" keys={signs(TREE_KEYS)} />
        <Keys title="Result" keys={signs(GRID_KEYS)} />
      </div>
    </dialog>
  )
}
