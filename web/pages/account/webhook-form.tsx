// URL and events of a webhook, for creating and editing.
import { Button, Checkbox, Group, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core'
import '@mantine/core/styles/Radio.css'
import '@mantine/core/styles/SimpleGrid.css'
import type { WebhookEvent } from '../../../client/client.ts'
import { eventKinds, eventTypes, kindsOfEvents } from '../../../src/shared/event-types.ts'
import { accountPlaces } from '../../strings/account-places.ts'
import { common } from '../../strings/common.ts'
import styles from './account.module.css'
import { focusOnArrival, FormProblem } from './parts.tsx'

const strings = accountPlaces.webhooks

export interface WebhookFields {
  readonly url: string
  readonly events: readonly WebhookEvent[]
}

export const noWebhook: WebhookFields = { url: '', events: ['*'] }

interface WebhookFormProps {
  readonly fields: WebhookFields
  readonly onChange: (fields: WebhookFields) => void
  readonly submitLabel: string
  readonly change: { readonly isPending: boolean; readonly error: unknown }
  readonly onSubmit: () => void
  readonly onClose: () => void
}

export function WebhookForm({ fields, onChange, submitLabel, change, onSubmit, onClose }: WebhookFormProps) {
  const isAll = fields.events.includes('*')
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation()
        onSubmit()
      }}
    >
      <TextInput
        type="url"
        label={strings.url}
        description={strings.urlHint}
        placeholder="https://example.org/waymark"
        value={fields.url}
        onChange={({ currentTarget }) => onChange({ ...fields, url: currentTarget.value })}
        autoComplete="off"
        maxLength={2_000}
        required
        ref={focusOnArrival}
      />
      <Radio.Group
        label={strings.events}
        value={isAll ? 'all' : 'some'}
        onChange={(value) => onChange({ ...fields, events: value === 'all' ? ['*'] : eventTypes })}
      >
        <Group mt="xs">
          <Radio value="all" label={strings.all} />
          <Radio value="some" label={strings.some} />
        </Group>
      </Radio.Group>
      {!isAll && (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {kindsOfEvents.map((kind) => (
            <Checkbox.Group
              key={kind}
              label={strings.eventKinds[kind]}
              value={[...fields.events]}
              onChange={(values) =>
                onChange({ ...fields, events: eventTypes.filter((type) => values.includes(type)) })
              }
            >
              <Stack gap="xs" mt="xs">
                {eventKinds[kind].types.map((type) => (
                  <Checkbox key={type} value={type} label={strings.eventNames[type]} description={type} />
                ))}
              </Stack>
            </Checkbox.Group>
          ))}
        </SimpleGrid>
      )}
      <FormProblem error={change.error} />
      <Group>
        <Button type="submit" loading={change.isPending} disabled={fields.events.length === 0}>
          {submitLabel}
        </Button>
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
      </Group>
    </form>
  )
}
