// Registers an application for an account, edits one, or rotates its secret.
import { Button, Checkbox, Group, Textarea, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import type { AdminClient } from '../../../client/client.ts'
import { useViewer } from '../../data/site.ts'
import { adminClients } from '../../strings/admin-things.ts'
import { scopeSentences } from '../../strings/scopes.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { useToast } from '../../ui/notices/toasts.tsx'
import styles from './admin.module.css'
import { Confirm } from './confirm.tsx'
import { useChange } from './queries.ts'
import { Secret } from './secret.tsx'

const strings = adminClients.form
const scopes = Object.keys(scopeSentences)

interface Draft {
  readonly owner: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly redirects: string
  readonly isPublic: boolean
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

interface ClientFieldsProps {
  readonly initial: Draft
  readonly isNew: boolean
  readonly change: { readonly isPending: boolean; readonly error: unknown }
  readonly onSave: (draft: Draft) => void
}

function ClientFields({ initial, isNew, change, onSave }: ClientFieldsProps) {
  const [draft, setDraft] = useState(initial)
  const put = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSave(draft)
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextInput
        label={strings.name}
        required
        data-autofocus
        value={draft.name}
        onChange={(event) => put({ name: event.currentTarget.value })}
      />
      {isNew && (
        <TextInput
          label={strings.owner}
          description={strings.ownerHint}
          required
          inputMode="numeric"
          pattern="[1-9][0-9]{0,15}"
          value={draft.owner}
          onChange={(event) => put({ owner: event.currentTarget.value })}
        />
      )}
      <Checkbox.Group
        label={strings.scopes}
        value={[...draft.scopes]}
        onChange={(values) => put({ scopes: values })}
      >
        <Group mt="xs">
          {scopes.map((scope) => (
            <Checkbox key={scope} value={scope} label={<code>{scope}</code>} />
          ))}
        </Group>
      </Checkbox.Group>
      <Textarea
        label={strings.redirects}
        description={strings.redirectsHint}
        autosize={false}
        rows={3}
        value={draft.redirects}
        onChange={(event) => put({ redirects: event.currentTarget.value })}
      />
      {isNew && (
        <Checkbox
          label={strings.public}
          checked={draft.isPublic}
          onChange={(event) => put({ isPublic: event.currentTarget.checked })}
        />
      )}
      {Boolean(change.error) && <ProblemNotice error={change.error} order={3} />}
      <div>
        <Button type="submit" loading={change.isPending}>
          {isNew ? strings.make : strings.save}
        </Button>
      </div>
    </form>
  )
}

interface FormProps {
  readonly onClose: () => void
}

export function MakeClient({ onClose }: FormProps) {
  const toast = useToast()
  const viewer = useViewer()
  const change = useChange({
    run: ({ admin: calls }, { owner, name, scopes: asked, redirects, isPublic }: Draft) =>
      calls.clients.create({
        acctID: Number(owner),
        name,
        scopes: [...asked],
        redirectUris: linesOf(redirects),
        isPublic,
      }),
    onDone: ({ clientSecret }, { name }) => {
      toast({ message: strings.made(name), tone: 'good' })
      if (clientSecret === undefined) onClose()
    },
  })
  const initial = {
    owner: String(viewer?.acctID ?? ''),
    name: '',
    scopes: ['images:read'],
    redirects: '',
    isPublic: false,
  }
  return (
    <Dialog size="lg" onClose={onClose} title={strings.makeTitle} staysOpen>
      {change.data?.clientSecret === undefined ? (
        <ClientFields initial={initial} isNew change={change} onSave={change.mutate} />
      ) : (
        <ShownSecret clientSecret={change.data.clientSecret} onClose={onClose} />
      )}
    </Dialog>
  )
}

function ShownSecret({ clientSecret, onClose }: FormProps & { readonly clientSecret: string }) {
  return (
    <div className={styles.form}>
      <Secret title={adminClients.secret} text={clientSecret} copyLabel={adminClients.copySecret} />
      <div>
        <Button onClick={onClose}>{strings.done}</Button>
      </div>
    </div>
  )
}

interface OfClient extends FormProps {
  readonly client: AdminClient
}

export function ChangeClient({ client, onClose }: OfClient) {
  const toast = useToast()
  const { clientId, name, redirectUris, isPublic, acctID } = client
  const change = useChange({
    run: ({ admin: calls }, draft: Draft) =>
      calls.clients.change(clientId, {
        name: draft.name,
        scopes: [...draft.scopes],
        redirectUris: linesOf(draft.redirects),
      }),
    onDone: (_done, draft) => {
      toast({ message: strings.saved(draft.name), tone: 'good' })
      onClose()
    },
  })
  const initial = {
    owner: String(acctID),
    name,
    scopes: client.scopes,
    redirects: redirectUris.join('\n'),
    isPublic,
  }
  return (
    <Dialog size="lg" onClose={onClose} title={strings.changeTitle} staysOpen>
      <ClientFields initial={initial} isNew={false} change={change} onSave={change.mutate} />
    </Dialog>
  )
}

export function NewSecret({ client, onClose }: OfClient) {
  const change = useChange({ run: ({ admin: calls }) => calls.clients.newSecret(client.clientId) })
  if (change.data) {
    return (
      <Dialog onClose={onClose} title={client.name} staysOpen>
        <ShownSecret clientSecret={change.data.clientSecret} onClose={onClose} />
      </Dialog>
    )
  }
  return (
    <Confirm
      title={adminClients.newSecretTitle}
      detail={adminClients.newSecretDetail(client.name)}
      action={adminClients.newSecret}
      change={change}
      onGo={() => change.mutate(undefined)}
      onClose={onClose}
    />
  )
}
