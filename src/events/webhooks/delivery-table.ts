// SQL of the tables delivery and delivery_attempt.
import type { Db, Tx } from '../../database/database.ts'
import type { DeliveryState } from '../../database/review-schema.ts'

export interface Delivery {
  readonly id: number
  readonly webhookId: number
  readonly position: number | null
  readonly type: string
  /** JSON. */
  readonly data: string
  readonly at: number
  readonly state: DeliveryState
  readonly attempts: number
  readonly nextAt: number | null
}

export interface Attempt {
  readonly at: number
  readonly status: number | null
  readonly error: string | null
  readonly milliseconds: number
}

export interface AttemptOf extends Attempt {
  readonly deliveryId: number
}

const columns = [
  'delivery.id',
  'webhook_id as webhookId',
  'position',
  'type',
  'data',
  'at',
  'state',
  'attempts',
  'next_at as nextAt',
] as const

export type NewDelivery = Pick<Delivery, 'id' | 'webhookId' | 'position' | 'type' | 'data' | 'at'>

const rowsAtOnce = 500

/** Adds them to the queue; an existing delivery of the same event is left as it is. */
export async function insertDeliveries(
  tx: Tx,
  deliveries: readonly NewDelivery[],
  nextAt: number,
): Promise<void> {
  for (let start = 0; start < deliveries.length; start += rowsAtOnce) {
    const rows = deliveries
      .slice(start, start + rowsAtOnce)
      .map(({ id, webhookId, position, type, data, at }) => ({
        id,
        webhook_id: webhookId,
        position,
        type,
        data,
        at,
        state: 'waiting' as const,
        attempts: 0,
        next_at: nextAt,
      }))
    await tx
      .insertInto('delivery')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['webhook_id', 'position']).doNothing())
      .execute()
  }
}

export interface DueDelivery extends Delivery {
  readonly accountId: number
  readonly url: string
}

export interface DueQuery {
  readonly now: number
  readonly limit: number
  /** Columns that are not needed. */
  readonly busyWebhooks: readonly number[]
}

/** Those that have waited longest. */
export function listDue(db: Db, { now, limit, busyWebhooks }: DueQuery): Promise<DueDelivery[]> {
  let query = db
    .selectFrom('delivery')
    .innerJoin('webhook', 'webhook.id', 'delivery.webhook_id')
    .select([...columns, 'webhook.account_id as accountId', 'webhook.url as url'])
    .where('next_at', '<=', now)
  if (busyWebhooks.length > 0) query = query.where('webhook_id', 'not in', busyWebhooks)
  return query.orderBy('next_at').orderBy('position').limit(limit).execute()
}

/** Takes it for one attempt. Says false where another node was faster. */
export async function lease(
  tx: Tx,
  { id, nextAt }: Pick<Delivery, 'id' | 'nextAt'>,
  until: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('delivery')
    .set((expression) => ({ next_at: until, attempts: expression('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where('next_at', '=', nextAt)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export interface Ending {
  readonly state: DeliveryState
  readonly nextAt: number | null
  readonly finishedAt: number | null
}

/** Ends the lease. Returns false if it had expired and another took it, or the delivery is no longer pending. */
export async function endLease(
  tx: Tx,
  id: number,
  until: number,
  { state, nextAt, finishedAt }: Ending,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('delivery')
    .set({ state, next_at: nextAt, finished_at: finishedAt })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where('next_at', '=', until)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function insertAttempt(
  tx: Tx,
  deliveryId: number,
  { id, at, status, error, milliseconds }: Attempt & { readonly id: number },
): Promise<void> {
  const row = { id, delivery_id: deliveryId, at, status, error, milliseconds }
  await tx.insertInto('delivery_attempt').values(row).execute()
}

/** What waits for the webhook is given up; it can be replayed. */
export async function failWaiting(tx: Tx, webhookId: number, now: number): Promise<void> {
  await tx
    .updateTable('delivery')
    .set({ state: 'failed', next_at: null, finished_at: now })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'waiting')
    .execute()
}

/** Newest first. */
export function listDeliveries(
  db: Db,
  webhookId: number,
  { limit, after }: { readonly limit: number; readonly after: Pick<Delivery, 'at' | 'id'> | undefined },
): Promise<Delivery[]> {
  let query = db.selectFrom('delivery').select(columns).where('webhook_id', '=', webhookId)
  if (after) {
    const { at, id } = after
    query = query.where((where) =>
      where.or([where('at', '<', at), where.and([where('at', '=', at), where('id', '<', id)])]),
    )
  }
  return query.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

export function findDelivery(db: Db, webhookId: number, id: number): Promise<Delivery | undefined> {
  return db
    .selectFrom('delivery')
    .select(columns)
    .where('webhook_id', '=', webhookId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** A test send that still waits. */
export function findWaitingTest(db: Db, webhookId: number): Promise<Delivery | undefined> {
  return db
    .selectFrom('delivery')
    .select(columns)
    .where('webhook_id', '=', webhookId)
    .where('position', 'is', null)
    .where('state', '=', 'waiting')
    .executeTakeFirst()
}

/** Oldest first. */
export async function listAttempts(db: Db, deliveryIds: readonly number[]): Promise<AttemptOf[]> {
  if (deliveryIds.length === 0) return []
  return db
    .selectFrom('delivery_attempt')
    .select(['delivery_id as deliveryId', 'at', 'status', 'error', 'milliseconds'])
    .where('delivery_id', 'in', deliveryIds)
    .orderBy('at')
    .orderBy('id')
    .execute()
}

/** More than one round of attempts, so that earlier results remain visible. */
const attemptsKept = 29

/** Queues a finished delivery again, as if it were new, and deletes all but its last attempts. */
export async function requeueDelivery(tx: Tx, id: number, now: number): Promise<void> {
  await tx
    .updateTable('delivery')
    .set({ state: 'waiting', attempts: 0, next_at: now, finished_at: null })
    .where('id', '=', id)
    .execute()
  const old = await tx
    .selectFrom('delivery_attempt')
    .select('id')
    .where('delivery_id', '=', id)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1_000)
    .offset(attemptsKept)
    .execute()
  if (old.length === 0) return
  const ids = old.map(({ id: attemptId }) => attemptId)
  await tx.deleteFrom('delivery_attempt').where('id', 'in', ids).execute()
}

/** Makes pending deliveries due now; those being attempted are left alone. */
export async function hasten(
  tx: Tx,
  id: number,
  { now, leaseMs }: { readonly now: number; readonly leaseMs: number },
): Promise<void> {
  await tx
    .updateTable('delivery')
    .set({ next_at: now })
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .where('next_at', '>', now + leaseMs)
    .execute()
}

export async function countWaiting(db: Db): Promise<number> {
  const { waiting } = await db
    .selectFrom('delivery')
    .select(({ fn }) => fn.countAll<number | string>().as('waiting'))
    .where('next_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return Number(waiting)
}

/** @returns how many there were. */
export async function deleteEndedBefore(db: Db, before: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('delivery')
    .where('finished_at', '<', before)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
