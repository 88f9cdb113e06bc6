// Copies events from the outbox to the queues of webhooks: each event once per webhook that subscribes to it and may
// receive it.
import type { AccountStatus } from '../../accounts/accounts.ts'
import { inTransaction, type Db } from '../../database/database.ts'
import { requireWritable } from '../../database/read-only.ts'
import type { System } from '../../system.ts'
import { mayReceive, readEventsAfter, type FeedEvent } from '../feed-table.ts'
import { insertDeliveries, type NewDelivery } from './delivery-table.ts'
import { actorOf, wants, type AccountStatusOf } from './receiver.ts'
import { advancePosition, listEnabledWebhooks, readPosition, type Webhook } from './webhook-table.ts'

const eventsAtOnce = 100

export interface FanOutDependencies {
  readonly db: Db
  readonly system: System
  readonly accountStatusOf: AccountStatusOf
}

export function createFanOut({ db, system, accountStatusOf }: FanOutDependencies) {
  async function deliveriesFor(events: readonly FeedEvent[], webhooks: readonly Webhook[]) {
    const accountStatuses = new Map<number, AccountStatus | undefined>()
    const made: NewDelivery[] = []
    for (const webhook of webhooks) {
      const wanted = events.filter((event) => wants(webhook, event))
      if (wanted.length === 0) continue
      const { id: webhookId, accountId } = webhook
      if (!accountStatuses.has(accountId)) accountStatuses.set(accountId, await accountStatusOf(accountId))
      const accountStatus = accountStatuses.get(accountId)
      const actor = accountStatus && actorOf(webhook, accountStatus)
      const receivable = actor ? wanted.filter(mayReceive(actor)) : []
      for (const { position, type, data, at } of receivable)
        made.push({ id: system.newId(), webhookId, position, type, data, at })
    }
    return made
  }

  /**
   * Processes the next events. The order matters: first the events are read, then access is checked, so that nobody is
   * notified of what happened after they lost access; then, in one transaction, the position advances, which only one
   * node can do, and the deliveries are stored.
   * @returns whether there may be more.
   */
  return async function fanOut(): Promise<boolean> {
    const from = await readPosition(db)
    if (from === undefined) return false
    const events = await readEventsAfter(db, from, eventsAtOnce)
    const last = events.at(-1)
    if (!last) return false
    const deliveries = await deliveriesFor(events, await listEnabledWebhooks(db))
    await inTransaction(db, async (tx) => {
      await requireWritable(tx)
      if (!(await advancePosition(tx, from, last.position))) return
      // One may have been deleted or disabled since.
      const enabled = new Set((await listEnabledWebhooks(tx)).map(({ id }) => id))
      const still = deliveries.filter(({ webhookId }) => enabled.has(webhookId))
      await insertDeliveries(tx, still, system.now())
    })
    return true
  }
}

export type FanOut = ReturnType<typeof createFanOut>
