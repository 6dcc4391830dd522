// What was run in this browser and what was saved, searchable. An entry says what its answer was made from, and opens
// in a tab of its own: as it was written, or pinned to the snapshots it read.
import { History, Trash2 } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { clearHistory, deleteSaved, useRecords } from '../../history/browser-store.ts'
import { searchEntries, type HistoryEntry, type SavedQuery } from '../../history/history.ts'
import { HISTORY_SHOWN_MAX } from '../../limits.ts'
import { pinsOfReceipt, type StatementLink } from '../../link/link.ts'
import {
  ageText,
  countedText,
  countText,
  durationText,
  instantText,
  shortId,
} from '../../ui/format-quantity.ts'
import { IconButton } from '../../ui/IconButton.tsx'
import { useNow } from '../../ui/use-now.ts'
import { tableLabel } from '../../api/table-name.ts'
import { visibleName, visibleText } from '../../ui/visible-text.ts'

type OpenStatement = (statement: StatementLink) => void

const firstLines = (sql: string): string => sql.trim().split('\n').slice(0, 3).join('\n').slice(0, 300)

function outcomeText(entry: HistoryEntry): string {
  if (entry.outcome === 'running') return 'running'
  if (entry.outcome === 'left')
    return entry.isBackground === true ? 'goes on in the background' : 'ended with its page'
  if (entry.outcome === 'failed') return entry.errorCode ?? 'failed'
  if (entry.outcome === 'stopped') return `cancelled after ${countedText(entry.rowCount, 'row')}`
  return countedText(entry.rowCount, 'row')
}

const entryTitle = (entry: HistoryEntry): string => entry.tables[0]?.table ?? 'From history'

function Entry({ entry, now, onOpen }: { entry: HistoryEntry; now: number; onOpen: OpenStatement }) {
  const { sql, parameters } = entry
  const pins = pinsOfReceipt(entry.tables)
  return (
    <li className="history-entry" data-outcome={entry.outcome}>
      <button
        type="button"
        className="history-sql"
        title="Open in a new tab"
        onClick={() => onOpen({ title: entryTitle(entry), sql, pins: [], parameters })}
      >
        {visibleText(firstLines(sql))}
      </button>
      <p className="history-facts" title={instantText(entry.startedAtMs)}>
        {ageText(now - entry.startedAtMs)} · <span className="history-outcome">{outcomeText(entry)}</span> ·{' '}
        {durationText(entry.elapsedMs)}
      </p>
      {pins.map((pin) => (
        <p key={[...pin.namespace, pin.table].join('.')} className="history-facts">
          {tableLabel(pin)} @ {shortId(pin.snapshotId)}
        </p>
      ))}
      {pins.length > 0 && (
        <IconButton
          label={`Open at the snapshots of ${instantText(entry.startedAtMs)}`}
          className="history-action"
          onClick={() => onOpen({ title: entryTitle(entry), sql, pins, parameters })}
        >
          <History size={14} />
        </IconButton>
      )}
    </li>
  )
}

type OpenSaved = (query: SavedQuery) => void

function SavedEntry({ query, now, onOpen }: { query: SavedQuery; now: number; onOpen: OpenSaved }) {
  return (
    <li className="history-entry">
      <button
        type="button"
        className="history-sql"
        title="Open: Ctrl S then saves it anew"
        onClick={() => onOpen(query)}
      >
        <strong>{visibleName(query.title)}</strong>
        {'\n'}
        {visibleText(firstLines(query.sql))}
      </button>
      <p className="history-facts">saved {ageText(now - query.savedAtMs)}</p>
      <IconButton
        label={`Delete saved query ${visibleName(query.title)}`}
        className="history-action"
        onClick={() => deleteSaved(query.id)}
      >
        <Trash2 size={14} />
      </IconButton>
    </li>
  )
}

interface ListProps {
  label: string
  search: string
  onSearch: (search: string) => void
  children: ReactNode
}

function SearchedList({ label, search, onSearch, children }: ListProps) {
  return (
    <section className="catalog" aria-label={label}>
      <search className="search-field catalog-search">
        <input
          aria-label={`Search in ${label.toLowerCase()}`}
          placeholder="Search text and tables"
          value={search}
          spellCheck={false}
          onChange={(event) => onSearch(event.target.value)}
        />
      </search>
      <div className="catalog-body">{children}</div>
    </section>
  )
}

export function HistoryPanel({ onOpen }: { onOpen: OpenStatement }) {
  const { history } = useRecords()
  const [search, setSearch] = useState('')
  const now = useNow(30_000)
  const found = searchEntries(history, search)
  return (
    <SearchedList label="History" search={search} onSearch={setSearch}>
      <ul className="history">
        {found.slice(0, HISTORY_SHOWN_MAX).map((entry) => (
          <Entry key={entry.id} entry={entry} now={now} onOpen={onOpen} />
        ))}
      </ul>
      {found.length > HISTORY_SHOWN_MAX && (
        <p className="catalog-hint">
          and {countText(found.length - HISTORY_SHOWN_MAX)} older: search for them.
        </p>
      )}
      {found.length === 0 && (
        <p className="catalog-hint">
          {history.length === 0 ? 'What you run is listed here, in this browser only.' : 'Nothing matches.'}
        </p>
      )}
      {history.length > 0 && search === '' && (
        <button type="button" className="button button-quiet history-clear" onClick={clearHistory}>
          Clear history
        </button>
      )}
    </SearchedList>
  )
}

export function SavedPanel({ onOpen }: { onOpen: OpenSaved }) {
  const { saved } = useRecords()
  const [search, setSearch] = useState('')
  const now = useNow(30_000)
  const found = searchEntries(saved, search)
  return (
    <SearchedList label="Saved queries" search={search} onSearch={setSearch}>
      <ul className="history">
        {found.map((query) => (
          <SavedEntry key={query.id} query={query} now={now} onOpen={onOpen} />
        ))}
      </ul>
      {found.length === 0 && (
        <p className="catalog-hint">
          {saved.length === 0
            ? 'Ctrl S saves the query of the open tab here, in this browser.'
            : 'Nothing matches.'}
        </p>
      )}
    </SearchedList>
  )
}
