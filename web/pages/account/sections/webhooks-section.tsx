// Webhooks: made with a secret that is shown once, changed, tested, and what they were sent.
import { Badge, Button, Text } from '@mantine/core'
import { useState } from 'react'
import type { MadeWebhook, Webhook } from '../../../../client/client.ts'
import { account } from '../../../strings/account.ts'
import { accountPlaces } from '../../../strings/account-places.ts'
import styles from '../account.module.css'
import { useChange, useSet } from '../account-data.ts'
import { useDraft } from '../drafts.tsx'
import { MakingSection, newDraft } from '../making-section.tsx'
import { Card, FormProblem, Row, Rows, When } from '../parts.tsx'
import { Sample, ShownOnce } from '../shown-once.tsx'
import { signatureCheck } from '../signature-check.ts'
import { WebhookDeliveries } from '../webhook-deliveries.tsx'
import { webhookDialogs } from '../webhook-dialogs.tsx'
import { noWebhook, WebhookForm, type WebhookFields } from '../webhook-form.tsx'

const words = accountPlaces.webhooks
type What = keyof typeof webhookDialogs

interface Shown {
  readonly title: string
  readonly secret: string
}

function NewWebhook({ onMade, onClose }: { onMade: (shown: Shown) => void; onClose: () => void }) {
  const draft = useDraft('webhooks', newDraft, noWebhook)
  const end = () => {
    draft.drop()
    onClose()
  }
  const make = useChange<WebhookFields, MadeWebhook>({
    act: (waymark, { url, events }) => waymark.webhooks.create({ url, events: [...events] }),
    stale: 'webhooks',
    onDone: ({ secret }) => {
      onMade({ title: words.made, secret })
      end()
    },
  })
  return (
    <Card title={words.make}>
      <WebhookForm
        fields={draft.value}
        onChange={draft.set}
        submitLabel={words.make}
        change={make}
        onSubmit={() => make.mutate(draft.value)}
        onClose={end}
      />
    </Card>
  )
}

interface WebhookRowProps {
  readonly webhook: Webhook
  readonly onAsk: (what: What) => void
}

function WebhookRow({ webhook, onAsk }: WebhookRowProps) {
  const { id, url, events, createdAt, disabled, disabledAt, disabledReason, failingSince } = webhook
  const [isOpen, setOpen] = useState(false)
  const enable = useChange({
    act: (waymark) => waymark.webhooks.change(id, { disabled: false }),
    stale: 'webhooks',
    said: () => words.enabled,
  })
  const test = useChange({
    act: (waymark) => waymark.webhooks.test(id),
    stale: 'deliveries',
    said: () => words.tested,
    onDone: () => setOpen(true),
  })
  const hears = events.includes('*') ? words.everything : words.count(events.length)
  const button = (label: string, onClick: () => void, isBusy = false) => (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`${label}: ${url}`}
      loading={isBusy}
      onClick={onClick}
    >
      {label}
    </Button>
  )
  return (
    <Row
      title={
        <>
          {url}{' '}
          <Badge variant="light" tt="none" color={disabled ? 'red' : 'forest'}>
            {disabled ? words.isOff : words.isOn}
          </Badge>
        </>
      }
      facts={[
        [
          words.hears,
          <span key="hears" title={events.join(', ')}>
            {hears}
          </span>,
        ],
        [words.madeAt, <When key="made" at={createdAt} />],
        failingSince !== null && [words.failing, <When key="failing" at={failingSince} />],
        disabledAt !== null && [words.off, <When key="off" at={disabledAt} />],
      ]}
      actions={
        <>
          {button(words.test, () => test.mutate(), test.isPending)}
          {button(words.edit, () => onAsk('edit'))}
          {disabled
            ? button(words.enable, () => enable.mutate(), enable.isPending)
            : button(words.disable, () => onAsk('disable'))}
          {button(words.rotate, () => onAsk('rotate'))}
          {button(words.remove, () => onAsk('remove'))}
        </>
      }
    >
      {disabledReason !== null && <Text size="sm">{disabledReason}</Text>}
      <FormProblem error={enable.error ?? test.error} />
      <div>
        <Button
          variant="subtle"
          size="compact-sm"
          aria-expanded={isOpen}
          aria-label={words.deliveriesOf(url)}
          onClick={() => setOpen(!isOpen)}
        >
          {words.deliveries}
        </Button>
      </div>
      {isOpen && <WebhookDeliveries webhook={webhook} />}
    </Row>
  )
}

export function WebhooksSection() {
  const shown = useDraft<Shown | undefined>('webhooks', 'made', undefined)
  const [asked, setAsked] = useState<{ readonly what: What; readonly webhook: Webhook }>()
  const Dialog = asked && webhookDialogs[asked.what]
  return (
    <>
      <MakingSection
        name="webhooks"
        words={words}
        links={[['/docs/webhooks', words.docs]]}
        query={useSet('webhooks')}
        made={
          shown.value && (
            <ShownOnce {...shown.value} copyLabel={words.copySecret} onKept={shown.drop}>
              <Text size="sm">{words.checkLead}</Text>
              <Sample title={words.check} code={signatureCheck} copyLabel={words.copyCheck} />
            </ShownOnce>
          )
        }
        renderForm={(onClose) => <NewWebhook onMade={shown.set} onClose={onClose} />}
      >
        {(webhooks) => (
          <>
            <Rows label={account.sections.webhooks}>
              {webhooks.map((webhook) => (
                <WebhookRow
                  key={webhook.id}
                  webhook={webhook}
                  onAsk={(what) => setAsked({ what, webhook })}
                />
              ))}
            </Rows>
            {!shown.value && (
              <details className={styles.fold}>
                <summary>{words.check}</summary>
                <Sample title={words.checkLead} code={signatureCheck} copyLabel={words.copyCheck} />
              </details>
            )}
          </>
        )}
      </MakingSection>
      {asked && Dialog && (
        <Dialog
          webhook={asked.webhook}
          onSecret={(secret) => shown.set({ title: words.rotated, secret })}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}
