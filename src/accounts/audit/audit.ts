// The audit: who changed which credential, role or setting, stored in the transaction of the change. Append-only. What
// failed is summed up beside it (incidents.ts).
import type { AuditAction } from '../../shared/audit-actions.ts'
import type { Db, Tx } from '../../database/database.ts'
import { requireWritable } from '../../database/read-only.ts'
import type { AuditTable } from '../../database/schema.ts'

/** Who makes a change, and with which credential. */
export interface AuditActor {
  /** Null for the operator's command line, and for the server itself. */
  readonly accountId: number | null
  /** `link`: a single-use link. */
  readonly via: AuditTable['via']
}

export const byCommand: AuditActor = { accountId: null, via: 'command' }
export const byServer: AuditActor = { accountId: null, via: 'server' }

/**
 * Actions that work while the installation is read-only: revoking a credential must never wait, and signing in need
 * not.
 */
const always: ReadonlySet<AuditAction> = new Set([
  'session.begun',
  'session.revoked',
  'key.revoked',
  'consent.revoked',
  'client.removed',
  'setting.changed', // the switch itself
  'original.read', // it changes nothing else, and who moves out reads
  'sign-in.failed',
  'admin.refused',
  'token.misused',
])

export interface AuditEntry {
  /** Milliseconds since 1970 UTC. */
  readonly at: number
  readonly by: AuditActor
  readonly action: AuditAction
  /** The account it concerns; null if none. */
  readonly accountId: number | null
  /** Further details, such as a prefix or a role before and after. Never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>
}

export interface AuditRow {
  readonly position: number
  readonly at: number
  readonly actorId: number | null
  readonly via: AuditTable['via']
  readonly action: string
  readonly accountId: number | null
  readonly detail: string
}

/** Without gaps and in commit order: the counter's row stays locked until the transaction ends. */
async function nextPosition(tx: Tx): Promise<number> {
  const { value } = await tx
    .insertInto('counter')
    .values({ name: 'audit', value: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((expression) => ({ value: expression('counter.value', '+', 1) })),
    )
    .returning('value')
    .executeTakeFirstOrThrow()
  return value
}

/**
 * Stores the entry; call it only in the transaction of its change.
 * @throws refusal `read-only`: every such change passes here, so none is made in read-only mode except those that are
 * always allowed.
 */
export async function recordAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  if (!always.has(entry.action)) await requireWritable(tx)
  const { at, by, action, accountId, detail = {} } = entry
  await tx
    .insertInto('audit')
    .values({
      position: await nextPosition(tx),
      at,
      actor_id: by.accountId,
      via: by.via,
      action,
      account_id: accountId,
      detail: JSON.stringify(detail),
    })
    .execute()
}

export interface AuditFilter {
  readonly accountId?: number | undefined
  readonly action?: string | undefined
  /** From this time on, in milliseconds. */
  readonly since?: number | undefined
  /** Before this time. */
  readonly until?: number | undefined
  /** Rows before this position only. */
  readonly before?: number | undefined
  readonly limit: number
}

/** Newest first. */
export function listAudit(db: Db, filter: AuditFilter): Promise<AuditRow[]> {
  const { accountId, action, since, until, before, limit } = filter
  let query = db
    .selectFrom('audit')
    .select(['position', 'at', 'actor_id as actorId', 'via', 'action', 'account_id as accountId', 'detail'])
    .orderBy('position', 'desc')
    .limit(limit)
  if (accountId !== undefined) query = query.where('account_id', '=', accountId)
  if (action !== undefined) query = query.where('action', '=', action)
  if (since !== undefined) query = query.where('at', '>=', since)
  if (until !== undefined) query = query.where('at', '<', until)
  if (before !== undefined) query = query.where('position', '<', before)
  return query.execute()
}
