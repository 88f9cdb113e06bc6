// Single-use secrets: links that are emailed, printed or passed on, and challenges. Stored as hashes.
import { createHash, randomBytes } from 'node:crypto'
import type { Db, Tx } from '../database/database.ts'
import type { OneTimeKind } from '../database/schema.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Their lifetimes, in milliseconds. */
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
  /** What the secret is for. */
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

/** @returns the secret, which cannot be shown again. */
export async function issueOneTime(
  db: Db,
  kind: OneTimeKind,
  options: {
    readonly now: number
    readonly accountId?: number | null
    readonly data?: OneTime['data']
    /** For a secret that the caller has generated. */
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

/** What the secret is for, as long as it is valid. */
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

/** Consumes the secret. Only one of any number of callers succeeds: comparison and mark are one statement. */
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

/** The valid ones of a kind, newest first. */
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

/** Invalidates all of a kind: those of one account, or those without an account. */
export async function dropOneTime(db: Db, kind: OneTimeKind, accountId: number | null): Promise<void> {
  const query = db.deleteFrom('one_time').where('kind', '=', kind)
  await (
    accountId === null ? query.where('account_id', 'is', null) : query.where('account_id', '=', accountId)
  ).execute()
}

/** Invalidates one, by its hash. @returns whether it was still valid. */
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
