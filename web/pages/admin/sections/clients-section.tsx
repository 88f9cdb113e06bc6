// All registered applications: approve, edit, rotate the secret, remove, or create one for an account.
import { Badge, Button, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { AdminClient } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { adminClients as strings } from '../../../strings/admin-things.ts'
import { CopyButton } from '../../../ui/fields/copy-button.tsx'
import { Empty } from '../../../ui/notices/empty.tsx'
import { formatDay } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keys/shortcuts.tsx'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { AdminFrame } from '../admin-frame.tsx'
import styles from '../admin.module.css'
import { ChangeClient, MakeClient, NewSecret } from '../client-forms.tsx'
import { Confirm } from '../confirm.tsx'
import { useFilters, useTypedFilter } from '../../../ui/filters.ts'
import { Listed } from '../loaded.tsx'
import { useChange, useList } from '../queries.ts'

type Doing = 'approval' | 'change' | 'secret' | 'remove'

function RemoveClient({ client, onClose }: { readonly client: AdminClient; readonly onClose: () => void }) {
  const toast = useToast()
  const change = useChange({
    run: ({ admin: calls }) => calls.clients.remove(client.clientId),
    onDone: () => {
      toast({ message: strings.removed(client.name), tone: 'good' })
      onClose()
    },
  })
  return (
    <Confirm
      title={strings.removeTitle}
      detail={strings.removeDetail(client.name)}
      action={strings.remove}
      change={change}
      onGo={() => change.mutate(undefined)}
      onClose={onClose}
    />
  )
}

/**
 * Approving explains the consequences first; withdrawing the approval does not affect current users of the
 * application.
 */
function ApproveClient({ client, onClose }: { readonly client: AdminClient; readonly onClose: () => void }) {
  const { clientId, name, isApproved, redirectUris } = client
  const toast = useToast()
  const change = useChange({
    run: ({ admin: calls }) => calls.clients.change(clientId, { isApproved: !isApproved }),
    onDone: () => {
      toast({ message: isApproved ? strings.withdrawn(name) : strings.approved(name), tone: 'good' })
      onClose()
    },
  })
  const hosts = [...new Set(redirectUris.map((uri) => new URL(uri).host))]
  return (
    <Confirm
      title={isApproved ? strings.withdrawTitle : strings.approveTitle}
      detail={isApproved ? strings.withdrawDetail(name) : strings.approveDetail(name, hosts)}
      action={isApproved ? strings.withdraw : strings.approve}
      change={change}
      onGo={() => change.mutate(undefined)}
      onClose={onClose}
    />
  )
}

interface ClientCardProps {
  readonly client: AdminClient
  readonly onDo: (doing: Doing) => void
}

function ClientCard({ client, onDo }: ClientCardProps) {
  const { clientId, name, acctID, publisher, scopes, redirectUris, isPublic, isApproved, createdAt } = client
  return (
    <li className={styles.card} data-client={clientId}>
      <div className={styles.bar}>
        <h2>{name}</h2>
        <Badge variant="light" color={isPublic ? 'blue' : 'forest'}>
          {isPublic ? strings.isPublic : strings.isConfidential}
        </Badge>
        <Badge variant="light" color={isApproved ? 'forest' : 'gray'}>
          {isApproved ? strings.isApproved : strings.isUnapproved}
        </Badge>
      </div>
      <p className={styles.hint}>
        {strings.publisher}{' '}
        <Link to="/admin/$section" params={{ section: 'accounts' }} search={{ account: String(acctID) }}>
          {publisher}
        </Link>
        , {formatDay(createdAt)}
      </p>
      <div className={styles.badges}>
        {scopes.map((scope) => (
          <code key={scope}>{scope}</code>
        ))}
      </div>
      {redirectUris.length === 0 ? (
        <p className={styles.hint}>{strings.noRedirects}</p>
      ) : (
        <ul className={styles.plainList}>
          {redirectUris.map((uri) => (
            <li key={uri}>
              <code>{uri}</code>
            </li>
          ))}
        </ul>
      )}
      <div>
        <span className={styles.hint}>{strings.clientId}</span> <code>{clientId}</code>
        <CopyButton text={clientId} label={strings.copyId} />
      </div>
      <div className={styles.bar}>
        {redirectUris.length > 0 && (
          <Button
            variant="default"
            aria-label={isApproved ? strings.withdrawOf(name) : strings.approveOf(name)}
            onClick={() => onDo('approval')}
          >
            {isApproved ? strings.withdraw : strings.approve}
          </Button>
        )}
        <Button variant="default" aria-label={strings.edit(name)} onClick={() => onDo('change')}>
          {strings.change}
        </Button>
        {!isPublic && (
          <Button variant="default" aria-label={strings.newSecretOf(name)} onClick={() => onDo('secret')}>
            {strings.newSecret}
          </Button>
        )}
        <Button
          variant="light"
          color="red"
          aria-label={strings.removeOf(name)}
          onClick={() => onDo('remove')}
        >
          {strings.remove}
        </Button>
      </div>
    </li>
  )
}

export function ClientsSection() {
  const { filter, set, open } = useFilters()
  const typed = useTypedFilter('acctID')
  const [chosen, setChosen] = useState<{ readonly client: AdminClient; readonly doing: Doing }>()
  const account = filter('acctID')
  const acctID = /^\d{1,16}$/.test(account) ? Number(account) : undefined
  const query = useList([...keys.admin, 'clients', acctID ?? ''], ({ admin: calls }, cursor) =>
    calls.clients.page({ acctID, cursor }),
  )
  const make = () => open({ form: 'new' })
  useShortcuts(strings.title, [{ keys: 'n', label: strings.make, run: make }])
  const close = () => setChosen(undefined)
  const actions = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={make}>
      {strings.make}
    </Button>
  )
  return (
    <AdminFrame section="applications" actions={actions}>
      <div className={styles.bar}>
        <TextInput
          type="search"
          inputMode="numeric"
          label={strings.ofAccount}
          value={typed.value}
          onChange={(event) => typed.onChange(event.currentTarget.value)}
        />
      </div>
      <Listed query={query}>
        {(clients) =>
          clients.length === 0 ? (
            <Empty title={strings.none} detail={strings.noneDetail} />
          ) : (
            <ul className={styles.list}>
              {clients.map((client) => (
                <ClientCard
                  key={client.clientId}
                  client={client}
                  onDo={(doing) => setChosen({ client, doing })}
                />
              ))}
            </ul>
          )
        }
      </Listed>
      {filter('form') === 'new' && <MakeClient onClose={() => set({ form: '' })} />}
      {chosen?.doing === 'approval' && <ApproveClient client={chosen.client} onClose={close} />}
      {chosen?.doing === 'change' && <ChangeClient client={chosen.client} onClose={close} />}
      {chosen?.doing === 'secret' && <NewSecret client={chosen.client} onClose={close} />}
      {chosen?.doing === 'remove' && <RemoveClient client={chosen.client} onClose={close} />}
    </AdminFrame>
  )
}
