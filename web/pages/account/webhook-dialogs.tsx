// Edits a webhook, disables it, rotates its secret, or deletes it.
import type { MadeWebhook, Webhook } from '../../../client/client.ts'
import { accountPlaces } from '../../strings/account-places.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { useChange } from './account-data.ts'
import { useDraft, useDropDraft } from './drafts.tsx'
import { Danger } from './parts.tsx'
import { WebhookForm, type WebhookFields } from './webhook-form.tsx'

const strings = accountPlaces.webhooks

export interface WebhookDialogProps {
  readonly webhook: Webhook
  readonly onSecret: (secret: string) => void
  readonly onClose: () => void
}

const draftOf = ({ id }: Webhook): string => `edit-${id}`

function EditWebhook({ webhook, onClose }: WebhookDialogProps) {
  const { id, url, events } = webhook
  const draft = useDraft<WebhookFields>('webhooks', draftOf(webhook), { url, events })
  const end = () => {
    draft.drop()
    onClose()
  }
  const change = useChange<WebhookFields>({
    act: (waymark, fields) => waymark.webhooks.change(id, { url: fields.url, events: [...fields.events] }),
    stale: 'webhooks',
    successText: () => strings.changed,
    onDone: end,
  })
  return (
    <Dialog onClose={onClose} size="lg" title={strings.editTitle}>
      <WebhookForm
        fields={draft.value}
        onChange={draft.set}
        submitLabel={strings.save}
        change={change}
        onSubmit={() => change.mutate(draft.value)}
        onClose={end}
      />
    </Dialog>
  )
}

function DisableWebhook({ webhook, onClose }: WebhookDialogProps) {
  const disable = useChange({
    act: (waymark) => waymark.webhooks.change(webhook.id, { disabled: true }),
    stale: 'webhooks',
    successText: () => strings.disabled,
    onDone: onClose,
  })
  return (
    <Danger
      title={strings.disableTitle}
      detail={strings.disableDetail}
      label={strings.disable}
      change={disable}
      onConfirm={() => disable.mutate()}
      onClose={onClose}
    />
  )
}

function RotateWebhook({ webhook, onSecret, onClose }: WebhookDialogProps) {
  const rotate = useChange<void, MadeWebhook>({
    act: (waymark) => waymark.webhooks.rotate(webhook.id),
    stale: 'webhooks',
    onDone: ({ secret }) => {
      onSecret(secret)
      onClose()
    },
  })
  return (
    <Danger
      title={strings.rotateTitle}
      detail={strings.rotateDetail}
      label={strings.rotate}
      change={rotate}
      onConfirm={() => rotate.mutate()}
      onClose={onClose}
    />
  )
}

function RemoveWebhook({ webhook, onClose }: WebhookDialogProps) {
  const dropDraft = useDropDraft('webhooks', draftOf(webhook))
  const remove = useChange({
    act: (waymark) => waymark.webhooks.remove(webhook.id),
    stale: 'webhooks',
    successText: () => strings.removed,
    onDone: () => {
      dropDraft()
      onClose()
    },
  })
  return (
    <Danger
      title={strings.removeTitle}
      detail={strings.removeDetail}
      label={strings.remove}
      change={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}

export const webhookDialogs = {
  edit: EditWebhook,
  disable: DisableWebhook,
  rotate: RotateWebhook,
  remove: RemoveWebhook,
} as const
