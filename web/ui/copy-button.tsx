// Copies a text, and says that it did.
import { ActionIcon, Button } from '@mantine/core'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { common } from '../strings/common.ts'
import { copyText } from './copy-text.ts'

const saidMs = 2_000

interface CopyButtonProps {
  readonly text: string
  /** What is copied, for who cannot see the icon's neighbour. */
  readonly label: string
  /** With words instead of an icon alone. */
  readonly hasWords?: boolean
}

export function CopyButton({ text, label, hasWords = false }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), saidMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  const icon = isCopied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />
  const onClick = () => void copyText(text).then(setCopied)
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
