// Copies a text, and says that it did.
import { ActionIcon, Button } from '@mantine/core'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { common } from '../strings/common.ts'

const saidMs = 2_000

interface CopyButtonProps {
  readonly text: string
  /** What is copied, for who cannot see the icon's neighbour. */
  readonly label: string
  /** With words instead of an icon alone. */
  readonly hasWords?: boolean
}

/** Pages over plain http to a name have no clipboard: then the older way. */
async function copy(text: string): Promise<void> {
  if ('clipboard' in navigator) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
  return undefined
}

export function CopyButton({ text, label, hasWords = false }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), saidMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const icon = isCopied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />
  const onClick = () => void copy(text).then(() => setCopied(true))
  if (hasWords) {
    return (
      <Button variant="default" size="compact-md" leftSection={icon} onClick={onClick}>
        {isCopied ? common.copied : label}
      </Button>
    )
  }
  return (
    <ActionIcon
      variant="subtle"
      color="forest"
      aria-label={isCopied ? common.copied : label}
      onClick={onClick}
    >
      {icon}
    </ActionIcon>
  )
}
