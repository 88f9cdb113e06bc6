// Sends due deliveries: a lease for each attempt, so that one that dies with its process is repeated, and its outcome.
import type { Secret } from '../../auth/secret.ts'
import { inTransaction, type Db, type Tx } from '../../database/database.ts'
import { requireWritable } from '../../database/read-only.ts'
import type { DeliveryState } from '../../database/review-schema.ts'
import type { System } from '../../system.ts'
import { waitAfter } from './backoff.ts'
import { endLease, failWaiting, insertAttempt, lease, listDue, type DueDelivery } from './delivery-table.ts'
import { mayStillReceive, type AccountStatusOf } from './receiver.ts'
import type { Outcome, Send } from './send.ts'
import { signatureOf } from './signature.ts'
import { findWebhook, updateWebhook, type Webhook } from './webhook-table.ts'

/** Several times the maximum duration of an attempt. */
export const leaseMs = 30_000
/** In all, so that webhooks never take all connections and memory. */
const maxUnderWay = 128
/** Limits per account, so that slow receivers of one do not delay others: lower once half of all slots are in use. */
const maxForAccount = { usually: 8, whenMany: 2 }
const maxForOrigin = 4
/** Rule of giving up on a receiver: see `outcomeFor`. */
const maxFailingMs = 5 * 86_400_000

const gone = 410

export interface DeliveringDependencies {
  readonly db: Db
  readonly system: System
  readonly accountStatusOf: AccountStatusOf
  readonly secret: Secret
  readonly send: Send
  readonly backoffSeconds: readonly number[]
  /** Called for each recorded attempt. */
  readonly onAttempt: (outcome: 'delivered' | 'retried' | 'failed') => void
  readonly log: { error(details: object, sentence: string): void }
}

interface Verdict {
  readonly state: DeliveryState
  readonly nextAt: number | null
  /** Why the webhook is disabled, if it is. */
  readonly disabled?: string | undefined
}

/** `isFinal` if nothing was sent and nothing will be. */
type AttemptOutcome = Outcome & { readonly isFinal?: true }

interface UnderWay {
  readonly accountId: number
  readonly origin: string
  readonly ended: Promise<void>
}

interface Attempted {
  readonly at: number
  readonly outcome: AttemptOutcome
}

const notReceiver: AttemptOutcome = {
  status: null,
  error: 'The account no longer has access to this event; nothing was sent.',
  milliseconds: 0,
  isFinal: true,
}

function bodyOf({ type, at, data }: DueDelivery): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data: JSON.parse(data) as unknown })
}

export function createDelivering({
  db,
  system,
  accountStatusOf,
  secret,
  send,
  backoffSeconds,
  onAttempt,
  log,
}: DeliveringDependencies) {
  const underWay = new Map<number, UnderWay>()

  function isFull({ accountId, url }: DueDelivery): boolean {
    const max = underWay.size < maxUnderWay / 2 ? maxForAccount.usually : maxForAccount.whenMany
    const ofAccount = [...underWay.values()].filter((one) => one.accountId === accountId)
    if (ofAccount.length >= max) return true
    const { origin } = new URL(url)
    return ofAccount.filter((one) => one.origin === origin).length >= maxForOrigin
  }

  async function attempt(due: DueDelivery, webhook: Webhook): Promise<Outcome> {
    const refused = (error: string): Outcome => ({ status: null, error, milliseconds: 0 })
    let key: string
    try {
      key = secret.unseal(webhook.secret)
    } catch {
      return refused('The signing secret cannot be decrypted with SECRET_FILE: rotate it.')
    }
    const id = `msg_${due.id}`
    const timestamp = Math.floor(system.now() / 1_000)
    const body = bodyOf(due)
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Waymark',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(key, { id, timestamp, body }),
    }
    return send({ url: webhook.url, headers, body })
  }

  /**
   * What becomes of the delivery and of its webhook. A webhook is disabled by the answer 410, and once a delivery is given
   * up after five days in which no attempt went well. A test send is tried once.
   */
  function verdictFor(due: DueDelivery, webhook: Webhook, outcome: Outcome): Verdict {
    if (outcome.error === null) return { state: 'delivered', nextAt: null }
    const now = system.now()
    if (outcome.status === gone) {
      return { state: 'failed', nextAt: null, disabled: 'The receiver responded with 410 Gone.' }
    }
    const { retryAfterMs } = outcome
    const isTest = due.position === null
    const waitMs = isTest
      ? undefined
      : waitAfter({ attempts: due.attempts + 1, retryAfterMs }, backoffSeconds)
    if (waitMs !== undefined) return { state: 'waiting', nextAt: now + waitMs }
    const isHopeless = webhook.failingSince !== null && now - webhook.failingSince > maxFailingMs
    const disabled = isHopeless && !isTest ? 'All attempts failed for five days.' : undefined
    return { state: 'failed', nextAt: null, disabled }
  }

  /** What the outcome means for the webhook; a failed test send means nothing. */
  async function remember(tx: Tx, { id, failingSince }: Webhook, due: DueDelivery, failedAt: number | null) {
    if (failedAt === null && failingSince !== null) await updateWebhook(tx, id, { failingSince: null })
    if (failedAt !== null && failingSince === null && due.position !== null)
      await updateWebhook(tx, id, { failingSince: failedAt })
  }

  async function disable(tx: Tx, id: number, disabledReason: string): Promise<void> {
    const now = system.now()
    await updateWebhook(tx, id, { disabledAt: now, disabledReason })
    await failWaiting(tx, id, now)
  }

  /** @returns the recorded state; undefined if the lease had expired, or the webhook was deleted. */
  async function record(due: DueDelivery, until: number, { at, outcome }: Attempted) {
    const { status, error, milliseconds } = outcome
    return inTransaction(db, async (tx) => {
      await requireWritable(tx)
      const webhook = await findWebhook(tx, due.webhookId)
      if (!webhook) return undefined
      const { state, nextAt, disabled } = outcome.isFinal
        ? ({ state: 'failed', nextAt: null } as const)
        : verdictFor(due, webhook, outcome)
      const finishedAt = state === 'waiting' ? null : system.now()
      if (!(await endLease(tx, due.id, until, { state, nextAt, finishedAt }))) return undefined
      await insertAttempt(tx, due.id, { id: system.newId(), at, status, error, milliseconds })
      if (outcome.isFinal) return state
      await remember(tx, webhook, due, error === null ? null : at)
      if (disabled !== undefined) await disable(tx, webhook.id, disabled)
      return state
    })
  }

  /** One attempt, from lease to record. */
  async function deliver(due: DueDelivery): Promise<void> {
    const at = system.now()
    const until = at + leaseMs
    const isTaken = await inTransaction(db, async (tx) => {
      await requireWritable(tx)
      return lease(tx, due, until)
    })
    const webhook = isTaken ? await findWebhook(db, due.webhookId) : undefined
    if (!webhook) return
    const isReceiver = await mayStillReceive(webhook, due.position, { db, accountStatusOf })
    const outcome = isReceiver ? await attempt(due, webhook) : notReceiver
    const state = await record(due, until, { at, outcome })
    if (state !== undefined) onAttempt(state === 'waiting' ? 'retried' : state)
  }

  function begin(due: DueDelivery, onEnd: () => void): void {
    const ended = deliver(due)
      .catch((error: unknown) =>
        log.error({ err: error }, 'a webhook delivery could not be attempted or recorded'),
      )
      .finally(() => {
        underWay.delete(due.id)
        onEnd()
      })
    underWay.set(due.id, { accountId: due.accountId, origin: new URL(due.url).origin, ended })
  }

  return {
    /**
     * Starts as many due attempts as there is room for.
     * @param onEnd called at the end of each.
     * @returns how many were started.
     */
    beginDue: async (onEnd: () => void): Promise<number> => {
      const busyWebhooks: number[] = []
      let begun = 0
      for (;;) {
        if (underWay.size >= maxUnderWay) return begun
        // An attempt that has just begun may not have its lease yet, and so be found once more.
        const found = await listDue(db, { now: system.now(), limit: 2 * maxUnderWay, busyWebhooks })
        const busyBefore = busyWebhooks.length
        for (const due of found.filter(({ id }) => !underWay.has(id))) {
          if (underWay.size >= maxUnderWay) return begun
          if (busyWebhooks.includes(due.webhookId)) continue
          if (isFull(due)) {
            busyWebhooks.push(due.webhookId)
            continue
          }
          begin(due, onEnd)
          begun += 1
        }
        // After those of webhooks that have enough in progress there may be others.
        if (busyWebhooks.length === busyBefore) return begun
      }
    },

    /** Waits for the attempts under way. */
    settle: async (): Promise<void> => {
      await Promise.all([...underWay.values()].map(({ ended }) => ended))
    },
  }
}

export type Delivering = ReturnType<typeof createDelivering>
