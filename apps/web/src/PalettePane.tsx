// The palette with everything it can find. Part of the first load: what is typed right after its key must not go astray.
import { useEffect, useMemo, useState, type RefObject } from 'react'
import { navigate } from 'wouter/use-browser-location'
import type { TableName } from './api/table-name.ts'
import type { EditorHandle } from './features/editor/SqlEditorView.tsx'
import { useTabs } from './features/editor/tabs-store.ts'
import { Palette } from './features/palette/Palette.tsx'
import { useRecords } from './history/browser-store.ts'
import { loadAllTableNames, paletteItems } from './palette-items.ts'
import { openSaved } from './shell-actions.ts'
import { useCommands } from './ui/commands.ts'

interface PalettePaneProps {
  editor: RefObject<EditorHandle | null>
  openTable: (name: TableName) => void
  onClose: () => void
}

export function PalettePane({ editor, openTable, onClose }: PalettePaneProps) {
  const commands = useCommands()
  const { tabs } = useTabs()
  const { history, saved } = useRecords()
  const [listedAtMs, setListedAtMs] = useState(() => Date.now())
  const [isListing, setListing] = useState(true)
  useEffect(() => {
    let isWanted = true
    const list = async () => {
      try {
        await loadAllTableNames()
      } catch {
        // What cannot be listed is not found; the catalog pane says why.
      }
      if (!isWanted) return
      setListedAtMs(Date.now())
      setListing(false)
    }
    void list()
    return () => {
      isWanted = false
    }
  }, [])
  const items = useMemo(
    () =>
      paletteItems(
        {
          commands,
          tabs,
          history,
          saved,
          openTable,
          insert: (text) => {
            navigate('/')
            editor.current?.insert(text)
          },
          openSaved,
          showQueries: () => navigate('/'),
        },
        listedAtMs,
      ),
    [commands, tabs, history, saved, openTable, editor, listedAtMs],
  )
  return <Palette items={items} isListing={isListing} onClose={onClose} />
}
