// Creates an account manually, for example for a user of an existing site.
import { Button, NativeSelect, Text, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import type { AdminAccount, Role } from '../../../client/client.ts'
import { adminAccounts } from '../../strings/admin-things.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { useToast } from '../../ui/notices/toasts.tsx'
import styles from './admin.module.css'
import { useChange } from './queries.ts'

const { make: strings, roles, role: roleLabel } = adminAccounts
const roleNames = ['member', 'reviewer', 'admin'] as const

interface NewAccountProps {
  readonly onMade: (account: AdminAccount) => void
  readonly onClose: () => void
}

export function NewAccountForm({ onMade, onClose }: NewAccountProps) {
  const toast = useToast()
  const [fields, setFields] = useState({ displayName: '', email: '', acctID: '', role: 'member' as Role })
  const put = (part: Partial<typeof fields>) => setFields((before) => ({ ...before, ...part }))
  const change = useChange({
    run: ({ admin: calls }) =>
      calls.accounts.create({
        ...fields,
        acctID: fields.acctID === '' ? undefined : Number(fields.acctID),
      }),
    onDone: (account) => {
      toast({ message: strings.done(account.displayName), tone: 'good' })
      onMade(account)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(undefined)
  }
  return (
    <Dialog onClose={onClose} title={strings.title} staysOpen>
      <form className={styles.form} onSubmit={submit}>
        <Text>{strings.detail}</Text>
        <TextInput
          label={strings.name}
          required
          data-autofocus
          value={fields.displayName}
          onChange={(event) => put({ displayName: event.currentTarget.value })}
        />
        <TextInput
          label={strings.email}
          type="email"
          required
          value={fields.email}
          onChange={(event) => put({ email: event.currentTarget.value })}
        />
        <NativeSelect
          label={roleLabel}
          value={fields.role}
          data={roleNames.map((value) => ({ value, label: roles[value] }))}
          onChange={(event) =>
            put({ role: roleNames.find((value) => value === event.currentTarget.value) ?? 'member' })
          }
        />
        <TextInput
          label={strings.id}
          description={strings.idHint}
          inputMode="numeric"
          pattern="[1-9][0-9]{0,15}"
          value={fields.acctID}
          onChange={(event) => put({ acctID: event.currentTarget.value })}
        />
        {change.error && <ProblemNotice error={change.error} order={3} />}
        <div>
          <Button type="submit" loading={change.isPending}>
            {strings.go}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
