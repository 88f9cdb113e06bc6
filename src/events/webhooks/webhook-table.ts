// SQL of the table webhook, and of the counter of how far webhooks have read the outbox.
import type { WebhookEvent } from '../../shared/v2/webhook-schemas.ts'
import type { Db, Tx } from '../../database/database.ts'
import { newestPosition } from '../outbox.ts'

export interface Webhook {
  readonly id: number
  readonly accountId: number
  readonly url: string
  readonly events: readonly WebhookEvent[]
  /** Separated by spaces. */
  readonly scope: string
  /** Sealed. */
  readonly secret: string
  readonly createdAt: number
  readonly disabledAt: number | null
  readonly disabledReason: string | null
  /** It receives events after this position. */
  readonly eventsAfter: number
  readonly failingSince: number | null
}

const columns = [
  'id',
  'account_id as accountId',
  'url',
  'events',
  'scope',
  'secret',
  'created_at as createdAt',
  'disabled_at as disabledAt',
  'disabled_reason as disabledReason',
  'told_from as eventsAfter',
  'failing_since as failingSince',
] as const

const readRow = <Row extends { readonly events: string }>({ events, ...row }: Row) => ({
  ...row,
  events: JSON.parse(events) as readonly WebhookEvent[],
})

/** Oldest first. */
export async function listWebhooks(db: Db, accountId: number): Promise<Webhook[]> {
  const rows = await db
    .selectFrom('webhook')
    .select(columns)
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(readRow)
}

export async function listEnabledWebhooks(db: Db): Promise<Webhook[]> {
  const rows = await db.selectFrom('webhook').select(columns).where('disabled_at', 'is', null).execute()
  return rows.map(readRow)
}

export async function findWebhook(db: Db, id: number): Promise<Webhook | undefined> {
  const row = await db.selectFrom('webhook').select(columns).where('id', '=', id).executeTakeFirst()
  return row && readRow(row)
}

export async function insertWebhook(tx: Tx, webhook: Webhook): Promise<void> {
  await tx
    .insertInto('webhook')
    .values({
      id: webhook.id,
      account_id: webhook.accountId,
      url: webhook.url,
      events: JSON.stringify(webhook.events),
      scope: webhook.scope,
      secret: webhook.secret,
      created_at: webhook.createdAt,
      disabled_at: webhook.disabledAt,
      disabled_reason: webhook.disabledReason,
      told_from: webhook.eventsAfter,
      failing_since: webhook.failingSince,
    })
    .execute()
}

export type WebhookChange = Partial<Omit<Webhook, 'id' | 'accountId' | 'createdAt'>>

export async function updateWebhook(tx: Tx, id: number, change: WebhookChange): Promise<void> {
  const { url, events, scope, secret, disabledAt, disabledReason, eventsAfter, failingSince } = change
  await tx
    .updateTable('webhook')
    .set({
      ...(url === undefined ? {} : { url }),
      ...(events === undefined ? {} : { events: JSON.stringify(events) }),
      ...(scope === undefined ? {} : { scope }),
      ...(secret === undefined ? {} : { secret }),
      ...(disabledAt === undefined ? {} : { disabled_at: disabledAt }),
      ...(disabledReason === undefined ? {} : { disabled_reason: disabledReason }),
      ...(eventsAfter === undefined ? {} : { told_from: eventsAfter }),
      ...(failingSince === undefined ? {} : { failing_since: failingSince }),
    })
    .where('id', '=', id)
    .execute()
}

export async function deleteWebhook(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('webhook').where('id', '=', id).execute()
}

/** Every encrypted secret, so that those with an older key can be encrypted again. */
export const listSealedSecrets = (db: Db) => db.selectFrom('webhook').select(['id', 'secret']).execute()

const cursorName = 'webhooks'

/**
 * Starts reading the outbox at its newest event, if nobody reads it yet. The row stays locked until the transaction
 * ends, so that concurrent creations of webhooks follow each other.
 */
export async function beginReading(tx: Tx): Promise<void> {
  await tx
    .insertInto('counter')
    .values({ name: cursorName, value: await newestPosition(tx) })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((expression) => ({ value: expression.ref('counter.value') })),
    )
    .execute()
}

/** Stops reading if no webhook is left. Call it after the last was deleted, in the same transaction. */
export async function endReading(tx: Tx): Promise<void> {
  await tx
    .deleteFrom('counter')
    .where('name', '=', cursorName)
    .where(({ not, exists, selectFrom }) => not(exists(selectFrom('webhook').select('webhook.id'))))
    .execute()
}

/** The position up to which every event was examined; undefined if there is no webhook. */
export async function readPosition(db: Db): Promise<number | undefined> {
  const row = await db.selectFrom('counter').select('value').where('name', '=', cursorName).executeTakeFirst()
  return row?.value
}

/** Says false where another node was faster. */
export async function advancePosition(tx: Tx, from: number, to: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('counter')
    .set({ value: to })
    .where('name', '=', cursorName)
    .where('value', '=', from)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
