// Which rows of a table are open, by their keys.
import { useState } from 'react'

export interface OpenRows {
  isOpen: (key: string) => boolean
  toggle: (key: string) => void
}

export function useOpenRows(): OpenRows {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  return {
    isOpen: (key) => open.has(key),
    toggle: (key) =>
      setOpen((before) => {
        const after = new Set(before)
        if (!after.delete(key)) after.add(key)
        return after
      }),
  }
}
