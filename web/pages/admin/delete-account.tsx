// Deletes an account permanently: the admin chooses what happens to its photos, and types its address.
import { Radio, Stack, TextInput } from '@mantine/core'
import '@mantine/core/styles/Radio.css'
import { useState } from 'react'
import type { AdminAccount } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { adminAccounts } from '../../strings/admin-things.ts'
import { useToast } from '../../ui/notices/toasts.tsx'
import { Confirm } from './confirm.tsx'
import { useChange } from './queries.ts'

const strings = adminAccounts.deleting
type Fate = 'delete' | 'keep'

interface DeleteAccountProps {
  readonly account: AdminAccount
  readonly onGone: () => void
  readonly onClose: () => void
}

export function DeleteAccount({ account, onGone, onClose }: DeleteAccountProps) {
  const { acctID, displayName, email } = account
  const toast = useToast()
  const [fate, setFate] = useState<Fate>('keep')
  const [typed, setTyped] = useState('')
  const change = useChange({
    run: ({ admin: calls }, photos: Fate) => calls.accounts.remove(acctID, { photos }),
    stale: [keys.images, keys.queue, keys.trails],
    gone: [...keys.admin, 'account', acctID],
    onDone: ({ photosDeleted, routesDeleted }) => {
      toast({ message: strings.done(displayName, photosDeleted, routesDeleted), tone: 'good' })
      onGone()
    },
  })
  return (
    <Confirm
      title={strings.title(displayName)}
      detail={strings.detail}
      action={strings.go}
      change={change}
      canGo={typed.trim().toLowerCase() === email.toLowerCase()}
      onGo={() => change.mutate(fate)}
      onClose={onClose}
    >
      <Stack>
        <Radio.Group
          label={strings.photos}
          value={fate}
          onChange={(value) => setFate(value === 'delete' ? 'delete' : 'keep')}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="keep" label={strings.keep} description={strings.keepHint} />
            <Radio value="delete" label={strings.delete} description={strings.deleteHint} />
          </Stack>
        </Radio.Group>
        <TextInput
          label={strings.type(email)}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </Stack>
    </Confirm>
  )
}
