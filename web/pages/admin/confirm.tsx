// Asks before an action that cannot be undone, and shows its error in the same place.
import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { common } from '../../strings/common.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'

interface ConfirmProps {
  readonly title: string
  readonly detail: string
  readonly action: string
  readonly change: { readonly isPending: boolean; readonly error: unknown }
  readonly canGo?: boolean
  readonly onGo: () => void
  readonly onClose: () => void
  readonly children?: ReactNode
}

export function Confirm({
  title,
  detail,
  action,
  change,
  canGo = true,
  onGo,
  onClose,
  children,
}: ConfirmProps) {
  return (
    <Dialog onClose={onClose} title={title}>
      <Text mb="md">{detail}</Text>
      {children}
      {Boolean(change.error) && <ProblemNotice error={change.error} order={3} />}
      <Group mt="md">
        <Button color="red" disabled={!canGo} loading={change.isPending} onClick={onGo}>
          {action}
        </Button>
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
      </Group>
    </Dialog>
  )
}
