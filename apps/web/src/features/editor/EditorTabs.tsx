// The strip of tabs above the editor: choose, rename by double click, close, add, reopen.
import { Plus, RotateCcw, X } from 'lucide-react'
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from 'react'
import { useRecords } from '../../history/browser-store.ts'
import { changedSinceSaved } from '../../history/history.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import type { Tab } from './tabs-state.ts'
import { tabActions, type TabsSnapshot } from './tabs-store.ts'
import { visibleName } from '../../ui/visible-text.ts'

interface EditorTabsProps {
  tabs: TabsSnapshot['tabs']
  runningIds: ReadonlySet<string>
  onClose: (id: string) => void
}

function focusAndSelect(input: HTMLInputElement | null): void {
  input?.focus()
  input?.select()
}

function TitleInput({ tab, onDone }: { tab: Tab; onDone: () => void }) {
  const [title, setTitle] = useState(tab.title)
  const commit = () => {
    if (title.trim() !== '') tabActions.rename(tab.id, title.trim())
    onDone()
  }
  return (
    <input
      className="tab-title-input"
      aria-label="Name of the tab"
      ref={focusAndSelect}
      value={title}
      maxLength={80}
      onChange={(event) => setTitle(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter') commit()
        if (event.key === 'Escape') onDone()
      }}
    />
  )
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
  if (step === 0) return
  const tabs = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')]
  const at = tabs.indexOf(document.activeElement as HTMLElement)
  const next = tabs[(at + step + tabs.length) % tabs.length]
  next?.focus()
  next?.click()
  event.preventDefault()
}

/** Scrolls the strip that it is put on to the active tab. */
function useActiveInView(activeId: string): RefObject<HTMLDivElement | null> {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const active = list.current?.querySelector(`[data-tab="${CSS.escape(activeId)}"]`)
    active?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [activeId])
  return list
}

function RunningSign() {
  return (
    <span className="tab-running">
      <span className="visually-hidden">running: </span>
    </span>
  )
}

function ChangedSign() {
  return (
    <span className="tab-changed" title="Changed since it was saved">
      <span aria-hidden>●</span>
      <span className="visually-hidden">changed since it was saved</span>
    </span>
  )
}

export function EditorTabs({ tabs, runningIds, onClose }: EditorTabsProps) {
  const [renamingId, setRenamingId] = useState<string | null>(null)
  const { saved } = useRecords()
  const list = useActiveInView(tabs.activeId)
  const changedIds = useMemo(() => changedSinceSaved(tabs.open, saved), [tabs.open, saved])
  return (
    <div className="tab-strip">
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the tabs in it take the focus */}
      <div ref={list} className="tab-list" role="tablist" aria-label="Queries" onKeyDown={moveFocus}>
        {tabs.open.map((tab) => {
          const isActive = tab.id === tabs.activeId
          return (
            <div key={tab.id} className="tab" data-tab={tab.id} data-active={isActive} role="presentation">
              {renamingId === tab.id ? (
                <TitleInput tab={tab} onDone={() => setRenamingId(null)} />
              ) : (
                <button
                  type="button"
                  role="tab"
                  className="tab-button"
                  aria-selected={isActive}
                  aria-keyshortcuts="F2 Delete"
                  tabIndex={isActive ? 0 : -1}
                  title={`${visibleName(tab.title)} (double click renames)`}
                  onClick={() => tabActions.activate(tab.id)}
                  onDoubleClick={() => setRenamingId(tab.id)}
                  onAuxClick={(event) => event.button === 1 && onClose(tab.id)}
                  onKeyDown={(event) => {
                    if (event.key === 'F2') setRenamingId(tab.id)
                    if (event.key === 'Delete') onClose(tab.id)
                  }}
                >
                  {runningIds.has(tab.id) && <RunningSign />}
                  <span className="tab-title">{visibleName(tab.title)}</span>
                  {changedIds.has(tab.id) && <ChangedSign />}
                  {/* A tab holds no other control; by keyboard, Delete closes it. */}
                  <span
                    className="tab-close"
                    aria-hidden
                    title="Close (Delete)"
                    onClick={(event) => {
                      event.stopPropagation()
                      onClose(tab.id)
                    }}
                  >
                    <X size={12} />
                  </span>
                </button>
              )}
            </div>
          )
        })}
      </div>
      <IconButton label="New query" onClick={() => tabActions.open()}>
        <Plus size={16} />
      </IconButton>
      {tabs.closed.length > 0 && (
        <IconButton
          label={`Reopen ${visibleName(tabs.closed.at(-1)?.title ?? 'closed query')}`}
          onClick={() => tabActions.reopen()}
        >
          <RotateCcw size={14} />
        </IconButton>
      )}
    </div>
  )
}
