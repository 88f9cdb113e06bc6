// Edits the user's own application, rotates its secret, or removes it.
import type { OwnClient } from '../../../client/client.ts'
import { account } from '../../strings/account.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useChange } from './account-data.ts'
import { ClientForm, sentClient, type ClientFields } from './client-form.tsx'
import { useDraft, useDropDraft } from './drafts.tsx'
import { Danger } from './parts.tsx'

const strings = account.developer

interface ClientDialogProps {
  readonly client: OwnClient
  readonly onClose: () => void
}

const fieldsOf = ({ name, redirectUris, scopes, isPublic }: OwnClient): ClientFields => ({
  name,
  redirectUris: redirectUris.join('\n'),
  scopes,
  isPublic,
})

export function EditClient({ client, onClose }: ClientDialogProps) {
  const draft = useDraft('developer', client.clientId, fieldsOf(client))
  const change = useChange<ClientFields>({
    act: (waymark, fields) => waymark.me.clients.change(client.clientId, sentClient(fields)),
    stale: 'clients',
    successText: () => strings.changed,
    onDone: () => {
      draft.drop()
      onClose()
    },
  })
  return (
    <Dialog onClose={onClose} size="lg" title={strings.editTitle(client.name)}>
      <ClientForm
        fields={draft.value}
        onChange={draft.set}
        hasKind={false}
        submitLabel={strings.save}
        change={change}
        onSubmit={() => change.mutate(draft.value)}
        onClose={() => {
          draft.drop()
          onClose()
        }}
      />
    </Dialog>
  )
}

export function NewSecret({
  client,
  onMade,
  onClose,
}: ClientDialogProps & { readonly onMade: (clientSecret: string) => void }) {
  const make = useChange<void, { readonly clientSecret: string }>({
    act: (waymark) => waymark.me.clients.newSecret(client.clientId),
    stale: 'clients',
    onDone: ({ clientSecret }) => {
      onMade(clientSecret)
      onClose()
    },
  })
  return (
    <Danger
      title={strings.newSecretTitle(client.name)}
      detail={strings.newSecretDetail}
      label={strings.newSecret}
      change={make}
      onConfirm={() => make.mutate()}
      onClose={onClose}
    />
  )
}

export function RemoveClient({ client, onClose }: ClientDialogProps) {
  const dropDraft = useDropDraft('developer', client.clientId)
  const remove = useChange({
    act: (waymark) => waymark.me.clients.remove(client.clientId),
    stale: 'clients',
    successText: () => strings.removed,
    onDone: () => {
      dropDraft()
      onClose()
    },
  })
  return (
    <Danger
      title={strings.removeTitle(client.name)}
      detail={strings.removeDetail}
      label={strings.remove}
      change={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}
