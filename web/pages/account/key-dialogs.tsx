// Rotates an API key, with time for programs to switch, and revokes one.
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ApiKey, MadeApiKey } from '../../../client/client.ts'
import { account } from '../../strings/account.ts'
import { common } from '../../strings/common.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useChange } from './account-data.ts'
import type { KeyShown } from './key-forms.tsx'
import { Danger, FormProblem } from './parts.tsx'

const strings = account.keys
const daySeconds = 86_400
const overlapDays = [0, 1, 7] as const

interface KeyDialogProps {
  readonly item: ApiKey
  readonly onClose: () => void
}

export function RotateKey({
  item,
  onMade,
  onClose,
}: KeyDialogProps & { readonly onMade: (made: KeyShown) => void }) {
  const [days, setDays] = useState('0')
  const rotate = useChange<void, MadeApiKey>({
    act: (waymark) => waymark.me.keys.rotate(item.prefix, { overlapSeconds: Number(days) * daySeconds }),
    stale: 'keys',
    onDone: ({ apiKey, name }) => {
      onMade({ apiKey, name })
      onClose()
    },
  })
  return (
    <Dialog onClose={onClose} title={strings.rotateTitle(item.name)}>
      <Stack gap="md">
        <Text>{strings.rotateDetail}</Text>
        <NativeSelect
          label={strings.overlap}
          value={days}
          onChange={({ currentTarget }) => setDays(currentTarget.value)}
          data={overlapDays.map((value) => ({ value: String(value), label: strings.overlaps[value] }))}
          data-autofocus
        />
        <FormProblem error={rotate.error} />
        <Group>
          <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
            {strings.rotate}
          </Button>
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

export function RevokeKey({ item, onClose }: KeyDialogProps) {
  const revoke = useChange({
    act: (waymark) => waymark.me.keys.revoke(item.prefix),
    stale: 'keys',
    successText: () => strings.revoked,
    onDone: onClose,
  })
  return (
    <Danger
      title={strings.revokeTitle(item.name)}
      detail={strings.revokeDetail}
      label={strings.revoke}
      change={revoke}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    />
  )
}
