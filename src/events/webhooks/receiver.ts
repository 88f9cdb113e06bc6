// The actor of a webhook: its account with its current rights, and the scopes of the credential that created it.
import type { AccountStatus } from '../../accounts/accounts.ts'
import type { Actor } from '../../auth/guard.ts'
import { isScope, scopeWords } from '../../auth/scopes.ts'
import type { Db } from '../../database/database.ts'
import { mayReceive, readEventsAfter, type FeedEvent } from '../feed-table.ts'
import type { Webhook } from './webhook-table.ts'

/** Undefined if the account is deleted or suspended. */
export type AccountStatusOf = (accountId: number) => Promise<AccountStatus | undefined>

type Receiver = Pick<Webhook, 'accountId' | 'scope'>

export function actorOf({ accountId, scope }: Receiver, accountStatus: AccountStatus): Actor {
  const scopes = new Set(scopeWords(scope).filter(isScope))
  return { kind: 'account', accountId, ...accountStatus, scopes, via: 'client' }
}

export function wants({ events, eventsAfter }: Webhook, { type, position }: FeedEvent): boolean {
  return position > eventsAfter && events.some((wanted) => wanted === '*' || wanted === type)
}

export interface ReceiverDependencies {
  readonly db: Db
  readonly accountStatusOf: AccountStatusOf
}

/**
 * May the webhook receive the event now? Checked before each attempt, since days can lie between the first and the
 * last.
 * @param position of the event; null for a test send, for which the account only has to be active.
 */
export async function mayStillReceive(
  webhook: Receiver,
  position: number | null,
  { db, accountStatusOf }: ReceiverDependencies,
): Promise<boolean> {
  const [event] = position === null ? [] : await readEventsAfter(db, position - 1, 1)
  const accountStatus = await accountStatusOf(webhook.accountId)
  if (accountStatus === undefined) return false
  if (position === null) return true
  return event?.position === position && mayReceive(actorOf(webhook, accountStatus))(event)
}
