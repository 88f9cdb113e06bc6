// Accounts, filtered by name, role and status, each with its panel; and invitations beside them.
import { Badge, Button, NativeSelect, SegmentedControl, TextInput, UnstyledButton } from '@mantine/core'
import { Mail, Plus } from 'lucide-react'
import type { AdminAccount } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { useSite } from '../../../data/site.ts'
import { adminUnclaimed } from '../../../strings/admin.ts'
import { adminAccounts as strings } from '../../../strings/admin-things.ts'
import { Empty } from '../../../ui/notices/empty.tsx'
import { formatDay } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keys/shortcuts.tsx'
import { AccountPanel } from '../account-panel.tsx'
import { AdminFrame } from '../admin-frame.tsx'
import styles from '../admin.module.css'
import { useFilters, useTypedFilter } from '../../../ui/filters.ts'
import { InvitationList, Invite } from '../invitations.tsx'
import { Listed } from '../loaded.tsx'
import { NewAccountForm } from '../new-account.tsx'
import { useList } from '../queries.ts'

const roles = ['member', 'reviewer', 'admin'] as const
const standings = ['true', 'false'] as const

function Badges({ account }: { readonly account: AdminAccount }) {
  const { suspended, trusted, email, emailVerified, unclaimed, trails } = account
  return (
    <span className={styles.badges}>
      {suspended && (
        <Badge color="red" variant="light">
          {strings.suspended}
        </Badge>
      )}
      {trusted && <Badge variant="light">{strings.trusted}</Badge>}
      {trails !== null && (
        <Badge color="blue" variant="light">
          {strings.limitedTo(trails.length)}
        </Badge>
      )}
      {unclaimed && <Badge variant="light">{adminUnclaimed.badge}</Badge>}
      {!emailVerified && email !== '' && (
        <Badge color="blue" variant="light">
          {strings.unverified}
        </Badge>
      )}
    </span>
  )
}

interface AccountTableProps {
  readonly accounts: readonly AdminAccount[]
  readonly onOpen: (account: AdminAccount) => void
}

function AccountTable({ accounts, onOpen }: AccountTableProps) {
  const { head } = strings
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{head.name}</th>
          <th scope="col">{head.email}</th>
          <th scope="col">{head.role}</th>
          <th scope="col">{head.since}</th>
        </tr>
      </thead>
      <tbody>
        {accounts.map((account) => (
          <tr key={account.acctID} data-account={account.acctID}>
            <td data-label={head.name}>
              <UnstyledButton
                c="var(--link)"
                fw={600}
                td="underline"
                aria-label={strings.open(account.displayName)}
                onClick={() => onOpen(account)}
              >
                {account.displayName}
              </UnstyledButton>
            </td>
            <td data-label={head.email}>{account.email}</td>
            <td data-label={head.role}>
              <div>
                {strings.roles[account.role]} <Badges account={account} />
              </div>
            </td>
            <td data-label={head.since}>{formatDay(account.createdAt)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function AccountList() {
  const { filter, set, open } = useFilters()
  const typed = useTypedFilter('q')
  const q = filter('q')
  const role = roles.find((name) => name === filter('role'))
  const suspended = standings.find((name) => name === filter('suspended'))
  const filters = {
    q: q === '' ? undefined : q,
    role,
    suspended: suspended === undefined ? undefined : suspended === 'true',
  }
  const query = useList([...keys.admin, 'accounts', filters], ({ admin: calls }, cursor) =>
    calls.accounts.page({ ...filters, cursor }),
  )
  return (
    <>
      <div className={styles.bar}>
        <TextInput
          type="search"
          className={styles.grow ?? ''}
          label={strings.search}
          placeholder={strings.searchHint}
          value={typed.value}
          onChange={(event) => typed.onChange(event.currentTarget.value)}
        />
        <NativeSelect
          label={strings.role}
          value={role ?? ''}
          data={[
            { value: '', label: strings.anyRole },
            ...roles.map((value) => ({ value, label: strings.roles[value] })),
          ]}
          onChange={(event) => set({ role: event.currentTarget.value })}
        />
        <NativeSelect
          label={strings.standing}
          value={suspended ?? ''}
          data={[
            { value: '', label: strings.anyAccountStatus },
            ...standings.map((value) => ({ value, label: strings.standings[value] })),
          ]}
          onChange={(event) => set({ suspended: event.currentTarget.value })}
        />
      </div>
      <Listed query={query}>
        {(accounts) =>
          accounts.length === 0 ? (
            <Empty title={strings.none} detail={strings.noneDetail} />
          ) : (
            <AccountTable accounts={accounts} onOpen={({ acctID }) => open({ account: String(acctID) })} />
          )
        }
      </Listed>
    </>
  )
}

export function AccountsSection() {
  const { filter, set, open } = useFilters()
  const { signUp } = useSite()
  const view = filter('view') === 'invitations' ? 'invitations' : 'accounts'
  const account = filter('account')
  const form = filter('form')
  const canInvite = signUp !== 'closed'
  useShortcuts(strings.views.accounts, [
    { keys: 'n', label: strings.make.open, run: () => open({ form: 'new' }) },
    ...(canInvite ? [{ keys: 'i', label: strings.invite.open, run: () => open({ form: 'invite' }) }] : []),
  ])
  const close = () => set({ account: '', form: '' })
  const actions = (
    <>
      <Button
        variant="default"
        leftSection={<Plus size={16} aria-hidden />}
        onClick={() => open({ form: 'new' })}
      >
        {strings.make.open}
      </Button>
      {canInvite && (
        <Button leftSection={<Mail size={16} aria-hidden />} onClick={() => open({ form: 'invite' })}>
          {strings.invite.open}
        </Button>
      )}
    </>
  )
  return (
    <AdminFrame section="accounts" actions={actions}>
      <SegmentedControl
        aria-label={strings.views.accounts}
        style={{ alignSelf: 'flex-start' }}
        value={view}
        data={[
          { value: 'accounts', label: strings.views.accounts },
          { value: 'invitations', label: strings.views.invitations },
        ]}
        onChange={(value) => set({ view: value === 'invitations' ? value : '' })}
      />
      {!canInvite && view === 'invitations' && <p className={styles.hint}>{strings.invite.closed}</p>}
      {view === 'invitations' ? <InvitationList /> : <AccountList />}
      {/^\d+$/.test(account) && <AccountPanel acctId={Number(account)} onClose={close} />}
      {form === 'invite' && canInvite && <Invite onClose={close} />}
      {form === 'new' && (
        <NewAccountForm onClose={close} onMade={({ acctID }) => set({ form: '', account: String(acctID) })} />
      )}
    </AdminFrame>
  )
}
