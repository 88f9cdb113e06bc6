// Changes the password, or sets one if there is none.
import { Button, PasswordInput } from '@mantine/core'
import '@mantine/core/styles/PasswordInput.css'
import { useState } from 'react'
import { isWaymarkProblem } from '../../../../client/client.ts'
import { href } from '../../../data/base.ts'
import { account } from '../../../strings/account.ts'
import styles from '../account.module.css'
import { useChange, useMe } from '../account-data.ts'
import { useConfirmPerson } from '../confirm-person.tsx'
import { Card, FormProblem, Section } from '../parts.tsx'

const strings = account.password

interface Passwords {
  readonly current: string
  readonly password: string
}

const none: Passwords = { current: '', password: '' }

export function PasswordSection() {
  const me = useMe().data
  const confirm = useConfirmPerson()
  const [typed, setTyped] = useState(none)
  const hasPassword = me?.hasPassword !== false
  const change = useChange<Passwords>({
    // Users without a password are asked for a new sign-in by the dialog instead.
    act: (waymark, passwords) =>
      hasPassword
        ? waymark.me.setPassword(passwords)
        : confirm(() => waymark.me.setPassword({ ...passwords, current: '' })),
    successText: () => (hasPassword ? strings.changed : strings.isSet),
    onDone: () => setTyped(none),
  })
  const isWrong = isWaymarkProblem(change.error) && change.error.code === 'wrong-password'
  const label = hasPassword ? strings.change : strings.set
  return (
    <Section title={account.sections.password} lead={hasPassword ? strings.lead : strings.leadNone}>
      <Card title={label}>
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault()
            change.mutate(typed)
          }}
        >
          {/* For password managers: the user name. */}
          <input type="text" autoComplete="username" value={me?.email ?? ''} readOnly hidden />
          {hasPassword && (
            <PasswordInput
              label={strings.current}
              autoComplete="current-password"
              value={typed.current}
              onChange={({ currentTarget }) => setTyped({ ...typed, current: currentTarget.value })}
              error={isWrong && account.confirm.wrong}
              maxLength={1_024}
              required
            />
          )}
          <PasswordInput
            label={strings.next}
            description={strings.hint}
            autoComplete="new-password"
            value={typed.password}
            onChange={({ currentTarget }) => setTyped({ ...typed, password: currentTarget.value })}
            minLength={8}
            maxLength={1_024}
            required
          />
          {!isWrong && <FormProblem error={change.error} />}
          <div>
            <Button type="submit" loading={change.isPending}>
              {label}
            </Button>
          </div>
        </form>
        {hasPassword && <a href={href('/reset')}>{strings.forgot}</a>}
      </Card>
    </Section>
  )
}
