// Copies a text that stands beside it, and says so for a moment.
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { copyText } from './copy-text.ts'
import { IconButton } from './IconButton.tsx'

const CONFIRMED_MS = 1_500

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), CONFIRMED_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <IconButton
      label={isCopied ? 'Copied' : label}
      className="copy-button"
      onClick={() => void copyText(text).then(setCopied)}
    >
      {isCopied ? <Check size={14} /> : <Copy size={14} />}
    </IconButton>
  )
}
