// Rules of webhooks: few to an account, each seen by its owner alone, its secret shown once.
import { isScope, scopeWords } from '../../auth/scopes.ts'
import type { AccountActor } from '../../auth/guard.ts'
import type { Secret } from '../../auth/secret.ts'
import {
  webhookEvents,
  type NewWebhook,
  type WebhookEvent,
  type WebhookPatch,
} from '../../shared/v2/webhook-schemas.ts'
import { inTransaction, type Db, type Tx } from '../../database/database.ts'
import { requireWritable } from '../../database/read-only.ts'
import { refuse } from '../../errors.ts'
import { inEach } from '../../texts/texts.ts'
import type { KeyedRequest, IdempotencyKeys } from '../../idempotency/idempotency-keys.ts'
import type { System } from '../../system.ts'
import { newestPosition } from '../outbox.ts'
import type { AddressPolicy } from './addresses.ts'
import { leaseMs } from './deliver.ts'
import {
  failWaiting,
  findDelivery,
  findWaitingTest,
  hasten,
  insertDeliveries,
  listAttempts,
  listDeliveries,
  requeueDelivery,
  type Attempt,
  type Delivery,
} from './delivery-table.ts'
import { newSecret } from './signature.ts'
import { readTarget } from './target.ts'
import {
  beginReading,
  deleteWebhook,
  endReading,
  findWebhook,
  insertWebhook,
  listWebhooks,
  updateWebhook,
  type Webhook,
} from './webhook-table.ts'

const maxWebhooks = 20
export const testType = 'webhook.test'

export interface WebhooksDependencies {
  readonly db: Db
  readonly system: System
  readonly secret: Secret
  readonly retries: IdempotencyKeys
  readonly addressPolicy: AddressPolicy
  /** Called when there is something to send. */
  readonly wake: () => void
}

export interface ShownDelivery {
  readonly delivery: Delivery
  /** Its attempts, oldest first. */
  readonly made: readonly Attempt[]
}

/** In the order of the list, each once. */
const inOrder = (events: readonly WebhookEvent[]): WebhookEvent[] =>
  webhookEvents.filter((event) => events.includes(event))

export function createWebhooks({ db, system, secret, retries, addressPolicy, wake }: WebhooksDependencies) {
  /** @throws refusal `invalid-field`. */
  function checkedUrl(text: string): string {
    const reading = readTarget(text, addressPolicy)
    if ('target' in reading) return reading.target.url.href
    throw refuse('invalid-field', { detail: `The field url ${reading.whyNot}.` })
  }

  async function requireIn(at: Db, accountId: number, id: number | undefined): Promise<Webhook> {
    const webhook = id === undefined ? undefined : await findWebhook(at, id)
    if (webhook?.accountId !== accountId) throw refuse('invalid-webhook-id')
    return webhook
  }

  async function refuseRepeat(tx: Tx, keyed: KeyedRequest): Promise<void> {
    const made = await retries.find(tx, keyed)
    if (made === undefined) return
    throw refuse('already-done', {
      detail: `This request was already processed: it created the webhook ${made}.`,
    })
  }

  async function withAttempts(deliveries: readonly Delivery[]): Promise<ShownDelivery[]> {
    const ids = deliveries.map(({ id }) => id)
    const attempts = Map.groupBy(await listAttempts(db, ids), ({ deliveryId }) => deliveryId)
    return deliveries.map((delivery) => ({ delivery, made: attempts.get(delivery.id) ?? [] }))
  }

  /** Makes a change in its own transaction, and returns the webhook afterwards. */
  function changing(
    accountId: number,
    id: number | undefined,
    change: (tx: Tx, webhook: Webhook) => Promise<void>,
  ): Promise<Webhook> {
    return inTransaction(db, async (tx) => {
      await requireWritable(tx)
      const webhook = await requireIn(tx, accountId, id)
      await change(tx, webhook)
      return requireIn(tx, accountId, webhook.id)
    })
  }

  return {
    list: (accountId: number): Promise<Webhook[]> => listWebhooks(db, accountId),

    /** @throws refusal `invalid-webhook-id`. */
    require: (accountId: number, id: number | undefined): Promise<Webhook> => requireIn(db, accountId, id),

    /**
     * @returns the webhook and its secret, which cannot be shown again.
     * @throws refusals `invalid-field`, `quota-reached`, `already-done`, `idempotency-key-reused`, `read-only`.
     */
    create: async (actor: AccountActor, { url, events }: NewWebhook, keyed: KeyedRequest | undefined) => {
      const plainSecret = newSecret()
      const { accountId } = actor
      const checked = { url: checkedUrl(url), events: inOrder(events), scope: [...actor.scopes].join(' ') }
      const webhook = await inTransaction(db, async (tx) => {
        await requireWritable(tx)
        await beginReading(tx) // locks the row, so that of two at once the second counts the first
        if (keyed) await refuseRepeat(tx, keyed)
        const { length } = await listWebhooks(tx, accountId)
        if (length >= maxWebhooks) {
          throw refuse('quota-reached', {
            detail: inEach(({ limits }) => limits.webhooks(maxWebhooks, length)),
          })
        }
        const made: Webhook = {
          ...checked,
          id: system.newId(),
          accountId,
          secret: secret.seal(plainSecret),
          createdAt: system.now(),
          disabledAt: null,
          disabledReason: null,
          eventsAfter: await newestPosition(tx),
          failingSince: null,
        }
        await insertWebhook(tx, made)
        if (keyed) await retries.remember(tx, keyed, made.id)
        return made
      })
      return { webhook, secret: plainSecret }
    },

    /**
     * Changing the URL limits the webhook to the scopes that the caller has now.
     * @param precondition checks the webhook before the change, for If-Match.
     * @throws refusals `invalid-webhook-id`, `invalid-field`, `read-only`, and those of `precondition`.
     */
    change: (
      actor: AccountActor,
      id: number | undefined,
      { url, events, disabled }: WebhookPatch,
      precondition: (webhook: Webhook) => void,
    ): Promise<Webhook> => {
      const checked = url === undefined ? undefined : checkedUrl(url)
      return changing(actor.accountId, id, async (tx, webhook) => {
        precondition(webhook)
        const now = system.now()
        const isDisabled = webhook.disabledAt !== null
        if (checked !== undefined && checked !== webhook.url) {
          const scope = scopeWords(webhook.scope).filter((word) => isScope(word) && actor.scopes.has(word))
          await updateWebhook(tx, webhook.id, { url: checked, scope: scope.join(' ') })
        }
        if (events !== undefined) await updateWebhook(tx, webhook.id, { events: inOrder(events) })
        if (disabled === true && !isDisabled) {
          await updateWebhook(tx, webhook.id, { disabledAt: now, disabledReason: 'Its owner disabled it.' })
          await failWaiting(tx, webhook.id, now)
        }
        if (disabled === false && isDisabled) {
          const eventsAfter = await newestPosition(tx)
          const fresh = { disabledAt: null, disabledReason: null, failingSince: null, eventsAfter }
          await updateWebhook(tx, webhook.id, fresh)
        }
      })
    },

    /** @throws refusals `invalid-webhook-id`, `read-only`. */
    remove: (accountId: number, id: number | undefined): Promise<void> =>
      inTransaction(db, async (tx) => {
        await requireWritable(tx)
        const webhook = await requireIn(tx, accountId, id)
        await beginReading(tx) // the same order of locks as `create`
        await deleteWebhook(tx, webhook.id)
        await endReading(tx)
      }),

    /** Creates a new secret, effective immediately. @throws refusals `invalid-webhook-id`, `read-only`. */
    rotate: async (accountId: number, id: number | undefined) => {
      const plainSecret = newSecret()
      const webhook = await changing(accountId, id, (tx, { id: known }) =>
        updateWebhook(tx, known, { secret: secret.seal(plainSecret) }),
      )
      return { webhook, secret: plainSecret }
    },

    /** Puts a test send into the queue, unless one waits there. @throws refusals `invalid-webhook-id`, `read-only`. */
    test: async (accountId: number, id: number | undefined): Promise<Delivery> => {
      const delivery = await inTransaction(db, async (tx) => {
        await requireWritable(tx)
        const webhook = await requireIn(tx, accountId, id)
        await updateWebhook(tx, webhook.id, { url: webhook.url }) // holds the row: of two tests at once, one waits
        const waiting = await findWaitingTest(tx, webhook.id)
        if (waiting) return waiting
        const now = system.now()
        const data = JSON.stringify({ webhookID: webhook.id })
        const made = {
          id: system.newId(),
          webhookId: webhook.id,
          position: null,
          type: testType,
          data,
          at: now,
        }
        await insertDeliveries(tx, [made], now)
        return { ...made, state: 'waiting' as const, attempts: 0, nextAt: now }
      })
      wake()
      return delivery
    },

    /** Newest first, with their attempts. */
    deliveries: async (
      webhookId: number,
      page: { readonly limit: number; readonly after: Pick<Delivery, 'at' | 'id'> | undefined },
    ) => {
      const rows = await listDeliveries(db, webhookId, page)
      return withAttempts(rows)
    },

    /**
     * Sends a finished delivery again, with as many attempts as at first; a pending one becomes due now.
     * @throws refusals `invalid-webhook-id`, `invalid-delivery-id`, `webhook-disabled`, `read-only`.
     */
    replay: async (accountId: number, id: number | undefined, deliveryId: number | undefined) => {
      const delivery = await inTransaction(db, async (tx) => {
        await requireWritable(tx)
        const webhook = await requireIn(tx, accountId, id)
        const requireDelivery = async (): Promise<Delivery> => {
          const found = deliveryId === undefined ? undefined : await findDelivery(tx, webhook.id, deliveryId)
          if (!found) throw refuse('invalid-delivery-id')
          return found
        }
        const before = await requireDelivery()
        if (webhook.disabledAt !== null) throw refuse('webhook-disabled')
        const now = system.now()
        if (before.state === 'waiting') await hasten(tx, before.id, { now, leaseMs })
        else await requeueDelivery(tx, before.id, now)
        return requireDelivery()
      })
      wake()
      return { delivery, made: await listAttempts(db, [delivery.id]) }
    },
  }
}

export type Webhooks = ReturnType<typeof createWebhooks>
