// Copies a text, and says whether it did.
import { ActionIcon, Button } from '@mantine/core'
import { Check, Copy, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { common } from '../../strings/common.ts'
import { copyText } from './copy-text.ts'

const saidMs = 2_000

interface CopyButtonProps {
  readonly text: string
  /** What is copied, for who cannot see the icon's neighbour. */
  readonly label: string
  /** With words instead of an icon alone. */
  readonly hasWords?: boolean
  /** Beside buttons: as high as they are, and with their border. */
  readonly isAmongButtons?: boolean
}

const outcomes = { copied: [Check, common.copied], failed: [X, common.notCopied] } as const

export function CopyButton({ text, label, hasWords = false, isAmongButtons = false }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<keyof typeof outcomes>()
  useEffect(() => {
    if (outcome === undefined) return undefined
    const timer = setTimeout(() => setOutcome(undefined), saidMs)
    return () => clearTimeout(timer)
  }, [outcome])
  const [Icon, strings] = outcome === undefined ? [Copy, label] : outcomes[outcome]
  const icon = <Icon size={16} aria-hidden />
  const onClick = () => void copyText(text).then((isCopied) => setOutcome(isCopied ? 'copied' : 'failed'))
  if (hasWords) {
    return (
      <Button variant="default" size="compact-md" data-needs-script leftSection={icon} onClick={onClick}>
        {strings}
      </Button>
    )
  }
  return (
    <ActionIcon
      {...(isAmongButtons
        ? { variant: 'default', size: 'input-sm' }
        : { variant: 'subtle', color: 'forest' })}
      data-needs-script
      aria-label={strings}
      onClick={onClick}
    >
      {icon}
    </ActionIcon>
  )
}
