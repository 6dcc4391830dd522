// A button that opens a list of actions or choices under it, by the ARIA menu pattern: arrows move, Enter chooses,
// Escape closes and gives the focus back. Menus open in the top layer, so that no pane cuts them off.
import { menuInsets, type MenuPlace } from './menu-place.ts'
import { useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'

export interface MenuItem {
  label: string
  /** What it does or why it cannot, in smaller letters. */
  detail?: string | undefined
  /** A choice among others; undefined for an action. */
  isChecked?: boolean | undefined
  isDisabled?: boolean | undefined
  /** Choices that are usually made several at a time. */
  keepsOpen?: boolean | undefined
  onSelect: () => void
}

interface MenuListProps {
  label: string
  items: readonly MenuItem[]
  at: MenuPlace
  /** Of a box above the items that leaves out those without what is typed; without it there is none. */
  filterLabel?: string | undefined
  onClose: () => void
}

function roleOf(item: MenuItem): 'menuitem' | 'menuitemcheckbox' {
  return item.isChecked === undefined ? 'menuitem' : 'menuitemcheckbox'
}

function moveFocus(list: HTMLElement, key: string): boolean {
  const items = [...list.querySelectorAll<HTMLElement>('[role^=menuitem]')]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const isInBox = document.activeElement instanceof HTMLInputElement
  if (isInBox && key === 'Enter') items[0]?.click()
  if (isInBox && key !== 'ArrowDown' && key !== 'ArrowUp') return key === 'Enter'
  const targets: Record<string, number> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at - 1 + items.length) % items.length,
    Home: 0,
    End: items.length - 1,
  }
  const target = targets[key]
  if (target === undefined) return false
  items[target]?.focus()
  return true
}

function Item({ item, onClose }: { item: MenuItem; onClose: () => void }) {
  return (
    <button
      type="button"
      role={roleOf(item)}
      className="menu-item"
      tabIndex={-1}
      aria-checked={item.isChecked}
      aria-disabled={item.isDisabled === true}
      onClick={() => {
        if (item.isDisabled === true) return
        if (item.keepsOpen !== true) onClose()
        item.onSelect()
      }}
    >
      <span className="menu-check" aria-hidden>
        {item.isChecked === true ? '✓' : ''}
      </span>
      <span>
        {item.label}
        {item.detail !== undefined && <span className="menu-detail">{item.detail}</span>}
      </span>
    </button>
  )
}

export function MenuList({ label, items, at, filterLabel, onClose }: MenuListProps) {
  const [filter, setFilter] = useState('')
  const shown = items.filter((item) => item.label.toLowerCase().includes(filter.toLowerCase()))
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = list.current
    if (element === null) return
    element.showPopover()
    const { width, height } = element.getBoundingClientRect()
    const insets = menuInsets(at, { width, height }, { width: innerWidth, height: innerHeight })
    element.style.left = `${insets.left}px`
    element.style.top = insets.top === undefined ? 'auto' : `${insets.top}px`
    element.style.bottom = insets.bottom === undefined ? 'auto' : `${insets.bottom}px`
    element.style.maxHeight = `min(60vh, ${insets.maxHeight}px)`
    element.querySelector<HTMLElement>('input, [role^=menuitem]')?.focus()
  }, [at])
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    event.stopPropagation()
    if (event.key === 'Escape' || event.key === 'Tab') onClose()
    else if (!moveFocus(event.currentTarget, event.key)) return
    event.preventDefault()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys are those of the menu and the box in it
    <div
      ref={list}
      popover="auto"
      className="menu"
      onKeyDown={onKeyDown}
      onToggle={(event) => event.newState === 'closed' && onClose()}
    >
      {filterLabel !== undefined && (
        <input
          className="menu-filter"
          aria-label={filterLabel}
          placeholder={filterLabel}
          value={filter}
          spellCheck={false}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      <div role="menu" className="menu-items" tabIndex={-1} aria-label={label}>
        {shown.map((item) => (
          <Item key={item.label} item={item} onClose={onClose} />
        ))}
      </div>
      {shown.length === 0 && <p className="menu-none">none has “{filter}”</p>}
    </div>
  )
}

interface MenuButtonProps {
  /** Name of the button and of its menu. */
  label: string
  items: readonly MenuItem[]
  className?: string
  isDisabled?: boolean
  filterLabel?: string | undefined
  children: ReactNode
}

export function MenuButton(props: MenuButtonProps) {
  const { label, items, className = '', isDisabled, filterLabel, children } = props
  const button = useRef<HTMLButtonElement>(null)
  const [at, setAt] = useState<MenuPlace | null>(null)
  const close = () => {
    if (at === null) return
    setAt(null)
    button.current?.focus()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className={`button button-quiet ${className}`}
        aria-haspopup="menu"
        aria-expanded={at !== null}
        aria-label={label}
        disabled={isDisabled}
        onClick={(event) => {
          const { left, top, bottom } = event.currentTarget.getBoundingClientRect()
          setAt(at === null ? { left, top, bottom } : null)
        }}
      >
        {children}
        <span className="menu-sign" aria-hidden>
          ▾
        </span>
      </button>
      {at !== null && (
        <MenuList label={label} items={items} at={at} filterLabel={filterLabel} onClose={close} />
      )}
    </>
  )
}
