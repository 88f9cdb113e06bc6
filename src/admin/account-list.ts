// SQL by which admins find and change accounts.
import type { Db } from '../database/database.ts'
import type { Role } from '../database/schema.ts'

export interface AdminAccount {
  readonly id: number
  readonly displayName: string
  readonly email: string
  readonly role: Role
  readonly createdAt: number
  readonly suspendedAt: number | null
  readonly emailVerifiedAt: number | null
  /** Whether it can sign in by password. */
  readonly hasPassword: boolean
  /** Since when photos of the account skip review. */
  readonly trustedAt: number | null
  /** Since when it is unclaimed, created by a pull; null if it has an owner. */
  readonly unclaimedAt: number | null
  /** The trails a reviewer is limited to; none if there is no limit. */
  readonly trails: readonly number[]
}

const columns = [
  'id',
  'display_name as displayName',
  'email',
  'role',
  'created_at as createdAt',
  'suspended_at as suspendedAt',
  'email_verified_at as emailVerifiedAt',
  'password_hash as passwordHash',
  'trusted_at as trustedAt',
  'unclaimed_at as unclaimedAt',
] as const

export interface AccountFilters {
  /** A part of the name or the address, or the id. */
  readonly q?: string | undefined
  readonly role?: Role | undefined
  readonly isSuspended?: boolean | undefined
  /** Accounts with a greater id. */
  readonly afterId?: number | undefined
}

/** In a search, `%` and `_` are ordinary characters. */
const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`

async function withTrails<Row extends { id: number; passwordHash: string | null }>(db: Db, rows: Row[]) {
  if (rows.length === 0) return []
  const limits = await db
    .selectFrom('account_trail')
    .select(['account_id as accountId', 'trail_id as trailId'])
    .where(
      'account_id',
      'in',
      rows.map(({ id }) => id),
    )
    .orderBy('trail_id')
    .execute()
  return rows.map(({ passwordHash, ...row }) => ({
    ...row,
    hasPassword: passwordHash !== null,
    trails: limits.filter(({ accountId }) => accountId === row.id).map(({ trailId }) => trailId),
  }))
}

/** Ordered by id; deleted accounts do not count. */
export async function listAccounts(db: Db, filters: AccountFilters, limit: number): Promise<AdminAccount[]> {
  const { q, role, isSuspended, afterId } = filters
  const rows = await db
    .selectFrom('account')
    .select(columns)
    .where('deleted_at', 'is', null)
    .$if(q !== undefined, (query) =>
      query.where(({ eb, or, fn }) =>
        or([
          eb(fn<string>('lower', ['display_name']), 'like', containing((q ?? '').toLowerCase())),
          eb('email_key', 'like', containing((q ?? '').toLowerCase())),
          eb('id', '=', /^\d{1,16}$/.test(q ?? '') ? Number(q) : 0),
        ]),
      ),
    )
    .$if(role !== undefined, (query) => query.where('role', '=', role ?? 'member'))
    .$if(isSuspended !== undefined, (query) =>
      query.where('suspended_at', isSuspended === true ? 'is not' : 'is', null),
    )
    .$if(afterId !== undefined, (query) => query.where('id', '>', afterId ?? 0))
    .orderBy('id')
    .limit(limit)
    .execute()
  return withTrails(db, rows)
}

export async function findAdminAccount(db: Db, id: number): Promise<AdminAccount | undefined> {
  const rows = await db
    .selectFrom('account')
    .select(columns)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
  return (await withTrails(db, rows))[0]
}

export async function updateAccountStatus(
  db: Db,
  id: number,
  accountStatus: Pick<AdminAccount, 'role' | 'suspendedAt' | 'trustedAt'>,
): Promise<void> {
  await db
    .updateTable('account')
    .set({
      role: accountStatus.role,
      suspended_at: accountStatus.suspendedAt,
      trusted_at: accountStatus.trustedAt,
    })
    .where('id', '=', id)
    .execute()
}

export async function replaceTrails(db: Db, id: number, trails: readonly number[]): Promise<void> {
  await db.deleteFrom('account_trail').where('account_id', '=', id).execute()
  if (trails.length === 0) return
  await db
    .insertInto('account_trail')
    .values(trails.map((trailId) => ({ account_id: id, trail_id: trailId })))
    .execute()
}

/** Those of the trails that do not exist. */
export async function unknownTrails(db: Db, trails: readonly number[]): Promise<number[]> {
  if (trails.length === 0) return []
  const rows = await db.selectFrom('trail').select('id').where('id', 'in', trails).execute()
  const known = new Set(rows.map(({ id }) => id))
  return trails.filter((id) => !known.has(id))
}

/** How many active admins there are. Locks their rows if the engine supports it. */
export async function countActiveAdmins(db: Db): Promise<number> {
  const rows = await db
    .selectFrom('account')
    .select('id')
    .where('role', '=', 'admin')
    .where('suspended_at', 'is', null)
    .execute()
  return rows.length
}

/** Of all originals, from the stored counts of each account. */
export async function sumImageBytes(db: Db): Promise<number> {
  const { bytes } = await db
    .selectFrom('account')
    .select(({ fn }) => fn.sum<number | null>('image_bytes').as('bytes'))
    .executeTakeFirstOrThrow()
  return bytes ?? 0
}
