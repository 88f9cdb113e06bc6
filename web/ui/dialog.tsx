// A dialog as every page has it: there while it is open, with a name and a button that closes it.
import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { common } from '../strings/common.ts'
import { useFocusBack } from './focus-back.ts'
import { useShortcutFloor } from './keys/shortcuts.tsx'

interface DialogProps {
  readonly title: string
  readonly size?: 'md' | 'lg' | 'xl'
  /** A click beside it does not close it: for what is typed, and for what is shown this once. */
  readonly staysOpen?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Dialog({ title, size = 'md', staysOpen = false, onClose, children }: DialogProps) {
  useFocusBack()
  useShortcutFloor()
  return (
    <Modal
      opened
      onClose={onClose}
      size={size}
      title={title}
      closeOnClickOutside={!staysOpen}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {children}
    </Modal>
  )
}
