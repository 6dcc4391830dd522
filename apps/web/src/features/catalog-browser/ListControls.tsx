// Above a list: a text to find in paths and partitions. The list is asked when the text has rested.
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { FIND_DELAY_MS } from '../../limits.ts'

interface FindFieldProps {
  label: string
  find: string
  onFind: (find: string) => void
}

export function FindField({ label, find, onFind }: FindFieldProps) {
  const [text, setText] = useState(find)
  const told = useRef(find)
  useEffect(() => {
    // The URL went elsewhere: Back, or another part of the page.
    if (told.current !== find) setText(find)
    told.current = find
  }, [find])
  useEffect(() => {
    if (text === told.current) return
    const timer = setTimeout(() => {
      told.current = text
      onFind(text)
    }, FIND_DELAY_MS)
    return () => clearTimeout(timer)
  }, [text, onFind])
  return (
    <label className="find-field">
      <Search size={14} aria-hidden />
      <span className="visually-hidden">{label}</span>
      <input
        type="search"
        value={text}
        placeholder={label}
        maxLength={200}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </label>
  )
}
