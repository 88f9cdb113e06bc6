// SQL of the table account.
import type { Db } from '../database/database.ts'
import type { Role } from '../database/schema.ts'

export interface Account {
  readonly id: number
  readonly displayName: string
  readonly email: string
  readonly role: Role
}

const columns = ['id', 'display_name as displayName', 'email', 'role'] as const

export function findAccount(db: Db, id: number): Promise<Account | undefined> {
  return db.selectFrom('account').select(columns).where('id', '=', id).executeTakeFirst()
}

export function findAccountByEmailKey(db: Db, emailKey: string): Promise<Account | undefined> {
  return db.selectFrom('account').select(columns).where('email_key', '=', emailKey).executeTakeFirst()
}

export async function findRole(db: Db, id: number): Promise<Role | undefined> {
  const row = await db.selectFrom('account').select('role').where('id', '=', id).executeTakeFirst()
  return row?.role
}

export async function hasAdmin(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('account')
    .select('id')
    .where('role', '=', 'admin')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Says false where the id or the e-mail address is already taken. */
export async function insertAccount(
  db: Db,
  account: Account & { emailKey: string; passwordHash: string | undefined; createdAt: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('account')
    .values({
      id: account.id,
      display_name: account.displayName,
      email: account.email,
      email_key: account.emailKey,
      role: account.role,
      password_hash: account.passwordHash ?? null,
      created_at: account.createdAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Says false where there is no such account. */
export async function updatePasswordHash(db: Db, id: number, passwordHash: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('account')
    .set({ password_hash: passwordHash })
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
