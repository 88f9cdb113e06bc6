// Invitations: pending links, creating and revoking one.
import { Button, NativeSelect, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import type { Invitation, Role } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { useSite } from '../../data/site.ts'
import { adminAccounts } from '../../strings/admin-things.ts'
import { admin } from '../../strings/admin.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/notices/empty.tsx'
import { formatDateTime } from '../../ui/format.ts'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { useToast } from '../../ui/notices/toasts.tsx'
import styles from './admin.module.css'
import { Confirm } from './confirm.tsx'
import { Loaded } from './loaded.tsx'
import { useAsked, useChange } from './queries.ts'
import { Secret } from './secret.tsx'

const { invite: strings, roles, role: roleLabel, head, copyLink } = adminAccounts
const roleNames = ['member', 'reviewer', 'admin'] as const

export function Invite({ onClose }: { readonly onClose: () => void }) {
  const { canMail } = useSite()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const change = useChange({
    run: ({ admin: calls }) => calls.invitations.create({ email: email.trim(), role }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(undefined)
  }
  const again = () => {
    setEmail('')
    change.reset()
  }
  return (
    <Dialog onClose={onClose} title={strings.title} staysOpen>
      {change.data ? (
        <div className={styles.form}>
          <Secret
            title={canMail ? strings.mailed(change.data.email) : strings.byHand}
            text={change.data.url}
            copyLabel={copyLink}
          />
          <p className={styles.hint}>{strings.until(formatDateTime(change.data.expiresAt))}</p>
          <div>
            <Button variant="default" onClick={again}>
              {strings.another}
            </Button>
          </div>
        </div>
      ) : (
        <form className={styles.form} onSubmit={submit}>
          <Text>{strings.detail}</Text>
          <TextInput
            label={strings.email}
            type="email"
            required
            data-autofocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <NativeSelect
            label={roleLabel}
            description={adminAccounts.roleHint[role]}
            value={role}
            data={roleNames.map((value) => ({ value, label: roles[value] }))}
            onChange={(event) =>
              setRole(roleNames.find((value) => value === event.currentTarget.value) ?? 'member')
            }
          />
          {change.error && <ProblemNotice error={change.error} order={3} />}
          <div>
            <Button type="submit" loading={change.isPending}>
              {strings.go}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  )
}

function TakeBack({
  invitation,
  onClose,
}: {
  readonly invitation: Invitation
  readonly onClose: () => void
}) {
  const { id, email } = invitation
  const toast = useToast()
  const change = useChange({
    run: ({ admin: calls }) => calls.invitations.remove(id),
    onDone: () => {
      toast({ message: strings.takenBack(email), tone: 'good' })
      onClose()
    },
  })
  return (
    <Confirm
      title={strings.takeBackTitle}
      detail={strings.takeBackDetail(email)}
      action={strings.takeBack}
      change={change}
      onGo={() => change.mutate(undefined)}
      onClose={onClose}
    />
  )
}

export function InvitationList() {
  const [taken, setTaken] = useState<Invitation>()
  const query = useAsked([...keys.admin, 'invitations'], ({ admin: calls }) => calls.invitations.list())
  return (
    <Loaded query={query}>
      {(invitations) => (
        <>
          {invitations.length === 0 ? (
            <Empty title={strings.none} detail={strings.noneDetail} />
          ) : (
            <table className={styles.table}>
              <thead>
                <tr>
                  <th scope="col">{head.email}</th>
                  <th scope="col">{head.role}</th>
                  <th scope="col">{head.since}</th>
                  <th scope="col">
                    <VisuallyHidden>{admin.actions}</VisuallyHidden>
                  </th>
                </tr>
              </thead>
              <tbody>
                {invitations.map((invitation) => (
                  <tr key={invitation.id} data-invitation={invitation.email}>
                    <td data-label={head.email}>{invitation.email}</td>
                    <td data-label={head.role}>{roles[invitation.role]}</td>
                    <td data-label={head.since}>
                      <div>
                        {formatDateTime(invitation.createdAt)}
                        <p className={styles.hint}>{strings.until(formatDateTime(invitation.expiresAt))}</p>
                      </div>
                    </td>
                    <td>
                      <div className={styles.actions}>
                        <Button
                          size="compact-md"
                          variant="light"
                          color="red"
                          aria-label={strings.takeBackOf(invitation.email)}
                          onClick={() => setTaken(invitation)}
                        >
                          {strings.takeBack}
                        </Button>
                      </div>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          {taken && <TakeBack invitation={taken} onClose={() => setTaken(undefined)} />}
        </>
      )}
    </Loaded>
  )
}
