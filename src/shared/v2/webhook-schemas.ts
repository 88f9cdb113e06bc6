// TypeBox schemas of /v2/webhooks (contract, Part D): types, checks and documentation.
import { Type, type Static } from 'typebox'
import { eventTypes } from '../event-types.ts'
import {
  openEnum,
  pageOf,
  strict,
  textOrNull,
  timestamp,
  timestampOrNull,
  wholeSetOf,
} from './schema-parts.ts'
import { openapiOnly } from './openapi-rules.ts'

/** What a webhook may ask for; `*` is every event, those that are yet to be invented included. */
export const webhookEvents = ['*', ...eventTypes] as const
export type WebhookEvent = (typeof webhookEvents)[number]

export const deliveryStates = ['waiting', 'delivered', 'failed'] as const

const maxUrlLength = 2_000

const url = Type.String({
  maxLength: maxUrlLength,
  ...openapiOnly({ format: 'uri', pattern: '^https?://[^#@]*$' }),
  description:
    'An https URL without user and fragment; addresses in private networks are refused. Plain http is allowed only for addresses in the setting WEBHOOK_ALLOW.',
})
const events = Type.Array(openEnum(webhookEvents), {
  title: 'WebhookEvents',
  minItems: 1,
  maxItems: webhookEvents.length,
  description: 'Event types to deliver; "*" for all.',
})

export const NewWebhook = Type.Object({ url, events }, { ...strict, title: 'NewWebhook' })
export type NewWebhook = Static<typeof NewWebhook>

export const WebhookPatch = Type.Object(
  {
    url: Type.Optional(url),
    events: Type.Optional(events),
    disabled: Type.Optional(
      Type.Boolean({
        description:
          'true: no events are delivered, and queued deliveries are discarded; false: deliveries start again.',
      }),
    ),
  },
  { ...strict, title: 'WebhookPatch' },
)
export type WebhookPatch = Static<typeof WebhookPatch>

const shown = {
  id: Type.Integer(),
  url: Type.String(),
  events,
  scopes: Type.Array(Type.String(), {
    description:
      'The scopes of the credential that created it. Only events that these scopes allow and that the account may see at the time of delivery are sent.',
  }),
  createdAt: timestamp('When it was created (UTC).'),
  disabled: Type.Boolean(),
  disabledAt: timestampOrNull('When it was disabled; null while it is enabled.'),
  disabledReason: textOrNull('Why it was disabled, in one sentence; null while it is enabled.'),
  failingSince: timestampOrNull('The first failed attempt since the last success; null if there is none.'),
}

export const Webhook = Type.Object(shown, { ...strict, title: 'Webhook' })
export type Webhook = Static<typeof Webhook>

export const MadeWebhook = Type.Object(
  {
    ...shown,
    secret: Type.String({
      description: 'Secret for verifying signatures: whsec_ followed by base64. Shown only once.',
    }),
  },
  { ...strict, title: 'MadeWebhook' },
)
export type MadeWebhook = Static<typeof MadeWebhook>

export const WebhookSet = wholeSetOf(Webhook, 'WebhookSet')

const attempt = Type.Object(
  {
    at: timestamp('When the attempt started.'),
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'HTTP status; null if there was no response.',
    }),
    error: textOrNull('What went wrong, in one sentence; null if the attempt succeeded.'),
    milliseconds: Type.Integer(),
  },
  strict,
)

export const Delivery = Type.Object(
  {
    id: Type.Integer({ description: 'The header webhook-id is msg_ followed by this ID.' }),
    type: Type.String(),
    position: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Position of the event in /v2/changes; null for a test.',
    }),
    at: timestamp('When the event happened.'),
    state: openEnum(deliveryStates),
    attempts: Type.Array(attempt, { description: 'The last fifty attempts, oldest first.' }),
    nextAt: timestampOrNull(
      'When the next attempt is due, including a repeat if the current attempt is lost.',
    ),
  },
  { ...strict, title: 'Delivery' },
)
export type Delivery = Static<typeof Delivery>

export const DeliverySet = pageOf(Delivery, 'DeliverySet')
export type DeliverySet = Static<typeof DeliverySet>
