// Webhooks: created with a secret that is shown once, edited, tested, and their deliveries.
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

const strings = accountPlaces.webhooks
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
      onMade({ title: strings.made, secret })
      end()
    },
  })
  return (
    <Card title={strings.make}>
      <WebhookForm
        fields={draft.value}
        onChange={draft.set}
        submitLabel={strings.make}
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
    successText: () => strings.enabled,
  })
  const test = useChange({
    act: (waymark) => waymark.webhooks.test(id),
    stale: 'deliveries',
    successText: () => strings.tested,
    onDone: () => setOpen(true),
  })
  const hears = events.includes('*') ? strings.everything : strings.count(events.length)
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
            {disabled ? strings.isOff : strings.isOn}
          </Badge>
        </>
      }
      facts={[
        [
          strings.hears,
          <span key="hears" title={events.join(', ')}>
            {hears}
          </span>,
        ],
        [strings.madeAt, <When key="made" at={createdAt} />],
        failingSince !== null && [strings.failing, <When key="failing" at={failingSince} />],
        disabledAt !== null && [strings.off, <When key="off" at={disabledAt} />],
      ]}
      actions={
        <>
          {button(strings.test, () => test.mutate(), test.isPending)}
          {button(strings.edit, () => onAsk('edit'))}
          {disabled
            ? button(strings.enable, () => enable.mutate(), enable.isPending)
            : button(strings.disable, () => onAsk('disable'))}
          {button(strings.rotate, () => onAsk('rotate'))}
          {button(strings.remove, () => onAsk('remove'))}
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
          aria-label={strings.deliveriesOf(url)}
          onClick={() => setOpen(!isOpen)}
        >
          {strings.deliveries}
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
        strings={strings}
        links={[['/docs/webhooks', strings.docs]]}
        query={useSet('webhooks')}
        made={
          shown.value && (
            <ShownOnce {...shown.value} copyLabel={strings.copySecret} onKept={shown.drop}>
              <Text size="sm">{strings.checkLead}</Text>
              <Sample title={strings.check} code={signatureCheck} copyLabel={strings.copyCheck} />
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
                <summary>{strings.check}</summary>
                <Sample title={strings.checkLead} code={signatureCheck} copyLabel={strings.copyCheck} />
              </details>
            )}
          </>
        )}
      </MakingSection>
      {asked && Dialog && (
        <Dialog
          webhook={asked.webhook}
          onSecret={(secret) => shown.set({ title: strings.rotated, secret })}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}
