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
    'An https address, without user and fragment; addresses of private networks are refused. Plain http is for addresses of the setting WEBHOOK_ALLOW only.',
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
      'The scopes of the credential that created it. Only events that these scopes allow, and that the account may see at the time, are delivered.',
  }),
  createdAt: timestamp('Moment of creation, UTC.'),
  disabled: Type.Boolean(),
  disabledAt: timestampOrNull('When deliveries were stopped; null while it is enabled.'),
  disabledReason: textOrNull('Why, in one sentence; null while it is enabled.'),
  failingSince: timestampOrNull(
    'The first failed attempt since the last that went well; null where none has.',
  ),
}

export const Webhook = Type.Object(shown, { ...strict, title: 'Webhook' })
export type Webhook = Static<typeof Webhook>

export const MadeWebhook = Type.Object(
  {
    ...shown,
    secret: Type.String({
      description: 'whsec_ and base64: what signatures are verified with. Shown this once.',
    }),
  },
  { ...strict, title: 'MadeWebhook' },
)
export type MadeWebhook = Static<typeof MadeWebhook>

export const WebhookSet = wholeSetOf(Webhook, 'WebhookSet')

const attempt = Type.Object(
  {
    at: timestamp('When it began.'),
    status: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'HTTP status; null where there was no answer.',
    }),
    error: textOrNull('One sentence; null where it went well.'),
    milliseconds: Type.Integer(),
  },
  strict,
)

export const Delivery = Type.Object(
  {
    id: Type.Integer({ description: 'The header webhook-id is msg_ and this.' }),
    type: Type.String(),
    position: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Of the event in /v2/changes; null for a test send.',
    }),
    at: timestamp('Moment of the event.'),
    state: openEnum(deliveryStates),
    attempts: Type.Array(attempt, { description: 'Oldest first; the last fifty.' }),
    nextAt: timestampOrNull('When it is tried next, or again where the attempt under way is lost.'),
  },
  { ...strict, title: 'Delivery' },
)
export type Delivery = Static<typeof Delivery>

export const DeliverySet = pageOf(Delivery, 'DeliverySet')
export type DeliverySet = Static<typeof DeliverySet>
