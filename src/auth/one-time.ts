// Secrets that work once: links that are mailed, printed or handed on, and challenges. Stored hashed.
import { createHash, randomBytes } from 'node:crypto'
import type { Db, Tx } from '../database/database.ts'
import type { OneTimeKind } from '../database/schema.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How long each lives, in milliseconds. */
export const oneTimeLives: Readonly<Record<OneTimeKind, number>> = {
  reset: hour,
  email: day,
  'sign-up': day,
  invitation: 7 * day,
  'set-up': day,
  passkey: 5 * minute,
}

export interface OneTime {
  readonly tokenHash: string
  readonly accountId: number | null
  /** What was promised to whoever holds the secret. */
  readonly data: Readonly<Record<string, unknown>>
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number
  readonly expiresAt: number
}

export const hashOneTime = (token: string): string => createHash('sha256').update(token).digest('hex')

const columns = [
  'token_hash as tokenHash',
  'account_id as accountId',
  'data',
  'created_at as createdAt',
  'expires_at as expiresAt',
] as const

type Row = Omit<OneTime, 'data'> & { readonly data: string }

const opened = (row: Row): OneTime => ({ ...row, data: JSON.parse(row.data) as OneTime['data'] })

/** @returns the secret, which cannot be had again. */
export async function issueOneTime(
  db: Db,
  kind: OneTimeKind,
  options: {
    readonly now: number
    readonly accountId?: number | null
    readonly data?: OneTime['data']
    /** For a secret that somebody else has drawn. */
    readonly token?: string
  },
): Promise<{ token: string; tokenHash: string; expiresAt: number }> {
  const { now, accountId = null, data = {}, token = randomBytes(32).toString('base64url') } = options
  const tokenHash = hashOneTime(token)
  const expiresAt = now + oneTimeLives[kind]
  await db
    .insertInto('one_time')
    .values({
      token_hash: tokenHash,
      kind,
      account_id: accountId,
      data: JSON.stringify(data),
      created_at: now,
      expires_at: expiresAt,
      used_at: null,
    })
    .execute()
  return { token, tokenHash, expiresAt }
}

/** What the secret stands for, while it can still be used. */
export async function findOneTime(
  db: Db,
  kind: OneTimeKind,
  token: string,
  now: number,
): Promise<OneTime | undefined> {
  const row = await db
    .selectFrom('one_time')
    .select(columns)
    .where('token_hash', '=', hashOneTime(token))
    .where('kind', '=', kind)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row && opened(row)
}

/** Uses the secret up. Of any number of callers one gets what it stands for: comparison and mark are one statement. */
export async function useOneTime(
  tx: Tx,
  kind: OneTimeKind,
  token: string,
  now: number,
): Promise<OneTime | undefined> {
  const row = await tx
    .updateTable('one_time')
    .set({ used_at: now })
    .where('token_hash', '=', hashOneTime(token))
    .where('kind', '=', kind)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(columns)
    .executeTakeFirst()
  return row && opened(row)
}

/** Those of a kind that can still be used, newest first. */
export async function listOneTime(db: Db, kind: OneTimeKind, now: number): Promise<OneTime[]> {
  const rows = await db
    .selectFrom('one_time')
    .select(columns)
    .where('kind', '=', kind)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('token_hash')
    .execute()
  return rows.map(opened)
}

/** Makes all of a kind useless: of one account, or of nobody's. */
export async function dropOneTime(db: Db, kind: OneTimeKind, accountId: number | null): Promise<void> {
  const query = db.deleteFrom('one_time').where('kind', '=', kind)
  await (
    accountId === null ? query.where('account_id', 'is', null) : query.where('account_id', '=', accountId)
  ).execute()
}

/** Makes one useless, named by its hash. @returns whether it could still be used. */
export async function dropOneTimeByHash(db: Db, kind: OneTimeKind, tokenHash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('one_time')
    .where('kind', '=', kind)
    .where('token_hash', '=', tokenHash)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function sweepOneTime(db: Db, now: number): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('one_time').where('expires_at', '<=', now).executeTakeFirst()
  return Number(numDeletedRows)
}
