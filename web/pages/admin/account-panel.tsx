// One account in the admin area: role and limits, suspension and trust, sign-in links, deletion.
import { Badge, Button, Drawer, NativeSelect, Switch, Text, TextInput, Title } from '@mantine/core'
import '@mantine/core/styles/Switch.css'
import { Link } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import type { AccountPatch, AdminAccount, Role } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { useViewer } from '../../data/site.ts'
import { adminUnclaimed } from '../../strings/admin.ts'
import { adminAccounts as strings } from '../../strings/admin-things.ts'
import { common } from '../../strings/common.ts'
import { CopyButton } from '../../ui/fields/copy-button.tsx'
import { useFocusBack } from '../../ui/focus-back.ts'
import { formatDay } from '../../ui/format.ts'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { useShortcutFloor } from '../../ui/keys/shortcuts.tsx'
import { useToast } from '../../ui/notices/toasts.tsx'
import styles from './admin.module.css'
import { DeleteAccount } from './delete-account.tsx'
import { Loaded } from './loaded.tsx'
import { useAsked, useChange } from './queries.ts'
import { Secret } from './secret.tsx'
import { TrailChooser } from './trail-chooser.tsx'

const roles = ['member', 'reviewer', 'admin'] as const

/** A change and its reverse, which the toast offers as Undo. */
interface Step {
  readonly patch: AccountPatch
  readonly back: AccountPatch
  readonly message: string
}

function useSteps({ acctID, displayName }: AdminAccount) {
  const toast = useToast()
  const change = useChange({
    run: ({ admin: calls }, { patch }: Step) => calls.accounts.change(acctID, patch),
    // The admin's own role may be among the changes.
    stale: [keys.site],
    onDone: (_account, { patch, back, message }) =>
      toast({
        message: message,
        tone: 'good',
        undo: () => change.mutate({ patch: back, back: patch, message: strings.changed(displayName) }),
      }),
  })
  return change
}

function AccountStatus({ account }: { readonly account: AdminAccount }) {
  const { displayName: name, role, trails, suspended, trusted } = account
  const change = useSteps(account)
  const present = { role, trails }
  const setRole = (next: Role) => {
    // Only reviewers have limits.
    const patch = next === 'reviewer' ? { role: next } : { role: next, trails: null }
    change.mutate({ patch, back: present, message: strings.roleChanged(name, strings.roles[next]) })
  }
  const setTrails = (next: readonly number[]) =>
    change.mutate({
      patch: { trails: next.length === 0 ? null : next },
      back: { trails },
      message: strings.changed(name),
    })
  const setSuspended = (next: boolean) =>
    change.mutate({
      patch: { suspended: next },
      back: { suspended },
      message: next ? strings.nowSuspended(name) : strings.nowRestored(name),
    })
  const setTrusted = (next: boolean) =>
    change.mutate({
      patch: { trusted: next },
      back: { trusted },
      message: next ? strings.nowTrusted(name) : strings.nowDistrusted(name),
    })
  return (
    <>
      {change.error && <ProblemNotice error={change.error} order={3} />}
      <NativeSelect
        label={strings.role}
        description={strings.roleHint[role]}
        disabled={change.isPending}
        value={role}
        data={roles.map((value) => ({ value, label: strings.roles[value] }))}
        onChange={(event) => {
          const next = roles.find((value) => value === event.currentTarget.value)
          if (next) setRole(next)
        }}
      />
      {role === 'reviewer' && (
        <TrailChooser trails={trails ?? []} isDisabled={change.isPending} onChange={setTrails} />
      )}
      <Switch
        label={strings.trusting}
        description={strings.trustingHint}
        disabled={change.isPending}
        checked={trusted}
        onChange={(event) => setTrusted(event.currentTarget.checked)}
      />
      <Switch
        color="red"
        label={strings.suspending}
        description={strings.suspendingHint}
        disabled={change.isPending}
        checked={suspended}
        onChange={(event) => setSuspended(event.currentTarget.checked)}
      />
    </>
  )
}

/** A pulled account belongs to its owner once they open a link emailed to this address. */
function GiveAddress({ acctID, displayName, email: present }: AdminAccount) {
  const [email, setEmail] = useState(present)
  const toast = useToast()
  const change = useChange({
    run: ({ admin: calls }) => calls.accounts.change(acctID, { email }),
    onDone: () => toast({ message: strings.changed(displayName), tone: 'good' }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate(undefined)
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextInput
        label={adminUnclaimed.email}
        description={adminUnclaimed.hint}
        type="email"
        required
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <div>
        <Button type="submit" variant="default" loading={change.isPending} disabled={email === present}>
          {adminUnclaimed.save}
        </Button>
      </div>
      {change.error && <ProblemNotice error={change.error} order={3} />}
    </form>
  )
}

function ResetLink({ acctID }: AdminAccount) {
  const change = useChange({ run: ({ admin: calls }) => calls.accounts.resetLink(acctID) })
  return (
    <>
      {change.data ? (
        <Secret title={strings.resetLinkHint} text={change.data.url} copyLabel={strings.copyLink} />
      ) : (
        <div>
          <Button variant="default" loading={change.isPending} onClick={() => change.mutate(undefined)}>
            {strings.resetLink}
          </Button>
          <p className={styles.hint}>{strings.resetLinkHint}</p>
        </div>
      )}
      {change.error && <ProblemNotice error={change.error} order={3} />}
    </>
  )
}

function Account({ account, onGone }: { readonly account: AdminAccount; readonly onGone: () => void }) {
  const { acctID, displayName, email, emailVerified, hasPassword, unclaimed, createdAt } = account
  const viewer = useViewer()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <div className={styles.form}>
      <div>
        <Title order={2} size="h3">
          {displayName}
        </Title>
        {email !== '' && (
          <Text>
            <a href={`mailto:${email}`}>{email}</a>
          </Text>
        )}
        <p className={styles.hint}>
          {strings.acctId} {acctID} <CopyButton text={String(acctID)} label={common.copy} />
          {strings.since(formatDay(createdAt))}
        </p>
        <div className={styles.badges}>
          {unclaimed && <Badge variant="light">{adminUnclaimed.badge}</Badge>}
          {!emailVerified && email !== '' && <Badge variant="light">{strings.unverified}</Badge>}
          {!hasPassword && <Badge variant="light">{strings.noPassword}</Badge>}
        </div>
      </div>
      <AccountStatus account={account} />
      {unclaimed && <GiveAddress {...account} />}
      {email !== '' && <ResetLink {...account} />}
      <Link to="/admin/$section" params={{ section: 'audit' }} search={{ acctID: String(acctID) }}>
        {strings.auditOf}
      </Link>
      {viewer?.acctID === acctID ? (
        <p className={styles.hint}>{strings.deleting.own}</p>
      ) : (
        <div>
          <Button color="red" variant="light" onClick={() => setDeleting(true)}>
            {strings.deleting.open}
          </Button>
        </div>
      )}
      {isDeleting && <DeleteAccount account={account} onGone={onGone} onClose={() => setDeleting(false)} />}
    </div>
  )
}

export function AccountPanel({ acctId, onClose }: { readonly acctId: number; readonly onClose: () => void }) {
  useFocusBack()
  useShortcutFloor()
  const query = useAsked([...keys.admin, 'account', acctId], ({ admin: calls }) => calls.accounts.get(acctId))
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="md"
      title={query.data?.displayName ?? strings.open(String(acctId))}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <Loaded query={query}>{(account) => <Account account={account} onGone={onClose} />}</Loaded>
    </Drawer>
  )
}
