// The applications that the user has registered.
import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { MadeOwnClient } from '../../../../client/client.ts'
import { account } from '../../../strings/account.ts'
import { CopyButton } from '../../../ui/fields/copy-button.tsx'
import { useChange, useSet, type ItemOf } from '../account-data.ts'
import { ClientForm, noClient, sentClient, type ClientFields } from '../client-form.tsx'
import { EditClient, NewSecret, RemoveClient } from '../client-dialogs.tsx'
import { useDraft } from '../drafts.tsx'
import { MakingSection, newDraft } from '../making-section.tsx'
import { Card, Row, Rows, When } from '../parts.tsx'
import { ScopeList } from '../scope-list.tsx'
import { ShownOnce } from '../shown-once.tsx'

const strings = account.developer
type Client = ItemOf<'clients'>

interface Shown {
  readonly title: string
  readonly clientId: string
  readonly clientSecret?: string | undefined
}

function NewClient({ onMade, onClose }: { onMade: (shown: Shown) => void; onClose: () => void }) {
  const draft = useDraft('developer', newDraft, noClient)
  const close = () => {
    draft.drop()
    onClose()
  }
  const make = useChange<ClientFields, MadeOwnClient>({
    act: (waymark, fields) => waymark.me.clients.create({ ...sentClient(fields), isPublic: fields.isPublic }),
    stale: 'clients',
    onDone: ({ name, clientId, clientSecret }) => {
      onMade({ title: strings.made(name), clientId, clientSecret })
      close()
    },
  })
  return (
    <Card title={strings.make}>
      <ClientForm
        fields={draft.value}
        onChange={draft.set}
        hasKind
        submitLabel={strings.make}
        change={make}
        onSubmit={() => make.mutate(draft.value)}
        onClose={close}
      />
    </Card>
  )
}

function ShownClient({ shown, onKept }: { readonly shown: Shown; readonly onKept: () => void }) {
  const { title, clientId, clientSecret } = shown
  if (clientSecret === undefined)
    return (
      <ShownOnce
        title={title}
        lead={strings.madePublic}
        secret={clientId}
        copyLabel={strings.copyClientId}
        onKept={onKept}
      />
    )
  return (
    <ShownOnce title={title} secret={clientSecret} copyLabel={strings.copySecret} onKept={onKept}>
      <Group gap="xs">
        {strings.clientId} <code>{clientId}</code>
        <CopyButton text={clientId} label={strings.copyClientId} />
      </Group>
    </ShownOnce>
  )
}

type What = 'edit' | 'secret' | 'remove'

function ClientRow({ client, onAsk }: { readonly client: Client; readonly onAsk: (what: What) => void }) {
  const { clientId, name, isPublic, isApproved, redirectUris, createdAt, scopes } = client
  const acts: readonly (readonly [What, string])[] = [
    ['edit', strings.edit],
    ...(isPublic ? [] : ([['secret', strings.newSecret]] as const)),
    ['remove', strings.remove],
  ]
  return (
    <Row
      title={name}
      facts={[
        [
          strings.clientId,
          <Group key="id" gap="xs" wrap="nowrap">
            <code>{clientId}</code>
            <CopyButton text={clientId} label={`${strings.copyClientId}: ${name}`} />
          </Group>,
        ],
        [strings.kindOf, isPublic ? strings.kinds.public : strings.kinds.confidential],
        [strings.registered, <When key="made" at={createdAt} />],
        redirectUris.length > 0 && [strings.comesBack, redirectUris.join(' ')],
        redirectUris.length > 0 && [strings.approval, strings.approvals[isApproved ? 'given' : 'none']],
      ]}
      actions={acts.map(([what, label]) => (
        <Button
          key={what}
          variant="default"
          size="compact-sm"
          aria-label={`${label}: ${name}`}
          onClick={() => onAsk(what)}
        >
          {label}
        </Button>
      ))}
    >
      <ScopeList scopes={scopes} />
    </Row>
  )
}

export function DeveloperSection() {
  const shown = useDraft<Shown | undefined>('developer', 'made', undefined)
  const [asked, setAsked] = useState<{ readonly what: What; readonly client: Client }>()
  const close = () => setAsked(undefined)
  const onSecret =
    ({ clientId, name }: Client) =>
    (clientSecret: string) =>
      shown.set({ title: strings.secretOf(name), clientId, clientSecret })
  return (
    <>
      <MakingSection
        name="developer"
        strings={strings}
        links={[
          ['/docs/applications', strings.docs],
          ['/docs', strings.reference],
        ]}
        query={useSet('clients')}
        made={shown.value && <ShownClient shown={shown.value} onKept={shown.drop} />}
        renderForm={(onClose) => <NewClient onMade={shown.set} onClose={onClose} />}
      >
        {(clients) => (
          <Rows label={account.sections.developer}>
            {clients.map((client) => (
              <ClientRow key={client.clientId} client={client} onAsk={(what) => setAsked({ what, client })} />
            ))}
          </Rows>
        )}
      </MakingSection>
      {asked?.what === 'edit' && <EditClient client={asked.client} onClose={close} />}
      {asked?.what === 'remove' && <RemoveClient client={asked.client} onClose={close} />}
      {asked?.what === 'secret' && (
        <NewSecret client={asked.client} onMade={onSecret(asked.client)} onClose={close} />
      )}
    </>
  )
}
