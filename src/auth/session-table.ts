// SQL of the table session.
import type { Db } from '../database/database.ts'
import type { Role } from '../database/schema.ts'

export interface SessionRow {
  readonly id: string
  readonly accountId: number
  readonly createdAt: number
  readonly lastSeenAt: number
  readonly expiresAt: number
  readonly browser: string
  /** How the user signed in; null for a session of an older version. */
  readonly how: string | null
}

const columns = [
  'session.id',
  'session.account_id as accountId',
  'session.created_at as createdAt',
  'session.last_seen_at as lastSeenAt',
  'session.expires_at as expiresAt',
  'session.browser',
  'session.how',
] as const

export async function insertSession(db: Db, session: SessionRow & { tokenHash: string }): Promise<void> {
  await db
    .insertInto('session')
    .values({
      id: session.id,
      token_hash: session.tokenHash,
      account_id: session.accountId,
      created_at: session.createdAt,
      last_seen_at: session.lastSeenAt,
      expires_at: session.expiresAt,
      browser: session.browser,
      how: session.how,
    })
    .execute()
}

/** The session with its account, unless the account is suspended. */
export function findSession(
  db: Db,
  tokenHash: string,
): Promise<(SessionRow & { role: Role; displayName: string }) | undefined> {
  return db
    .selectFrom('session')
    .innerJoin('account', 'account.id', 'session.account_id')
    .select([...columns, 'account.role', 'account.display_name as displayName'])
    .where('session.token_hash', '=', tokenHash)
    .where('account.suspended_at', 'is', null)
    .executeTakeFirst()
}

export function listSessionsOf(db: Db, accountId: number, now: number): Promise<SessionRow[]> {
  return db
    .selectFrom('session')
    .select(columns)
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
}

export async function noteSessionUse(db: Db, id: string, at: number): Promise<void> {
  await db.updateTable('session').set({ last_seen_at: at }).where('id', '=', id).execute()
}

/** Returns whether there was one. */
export async function deleteSession(db: Db, accountId: number, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('session')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Returns how many there were. */
export async function deleteSessionsOf(db: Db, accountId: number, exceptId = ''): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('session')
    .where('account_id', '=', accountId)
    .where('id', '!=', exceptId)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export async function deleteExpiredSessions(db: Db, now: number): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('session').where('expires_at', '<=', now).executeTakeFirst()
  return Number(numDeletedRows)
}

/** From now on the session counts as started with a passkey. */
export async function noteSessionPasskey(db: Db, id: string): Promise<void> {
  await db.updateTable('session').set({ how: 'passkey' }).where('id', '=', id).execute()
}
