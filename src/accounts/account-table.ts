// SQL of the table account.
import type { Db } from '../database/database.ts'
import type { Language } from '../shared/languages.ts'
import type { Role } from '../database/schema.ts'

export interface Account {
  readonly id: number
  readonly displayName: string
  readonly email: string
  readonly role: Role
}

const columns = ['id', 'display_name as displayName', 'email', 'role'] as const

/** A deleted account does not count. */
export function findAccount(db: Db, id: number): Promise<Account | undefined> {
  return db
    .selectFrom('account')
    .select(columns)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

export function findAccountByEmailKey(db: Db, emailKey: string): Promise<Account | undefined> {
  return db.selectFrom('account').select(columns).where('email_key', '=', emailKey).executeTakeFirst()
}

/** The role, unless the account is gone or suspended. */
export async function findRole(db: Db, id: number): Promise<Role | undefined> {
  const row = await db
    .selectFrom('account')
    .select('role')
    .where('id', '=', id)
    .where('suspended_at', 'is', null)
    .executeTakeFirst()
  return row?.role
}

/** The trails that a reviewer is limited to; none if there is no limit. */
export async function listAccountTrails(db: Db, id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('account_trail')
    .select('trail_id')
    .where('account_id', '=', id)
    .orderBy('trail_id')
    .execute()
  return rows.map(({ trail_id: trailId }) => trailId)
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

/** Returns false if the id or the email address is already taken. */
export async function insertAccount(
  db: Db,
  account: Account & {
    emailKey: string
    passwordHash: string | undefined
    createdAt: number
    emailVerifiedAt: number | undefined
    language: Language | undefined
  },
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
      email_verified_at: account.emailVerifiedAt ?? null,
      language: account.language ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Devices that knew the old password become unknown. Returns false if there is no such account. */
export async function updatePasswordHash(db: Db, id: number, passwordHash: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('account')
    .set((expression) => ({
      password_hash: passwordHash,
      unclaimed_at: null,
      device_epoch: expression('device_epoch', '+', 1),
    }))
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** What sign-in needs. */
export interface SignInRow extends Account {
  readonly passwordHash: string | null
  readonly suspendedAt: number | null
  readonly emailVerifiedAt: number | null
  /** As stored: a newer version may know more. */
  readonly language: string | null
}

const signInColumns = [
  ...columns,
  'password_hash as passwordHash',
  'suspended_at as suspendedAt',
  'email_verified_at as emailVerifiedAt',
  'language',
] as const

export function findSignIn(db: Db, emailKey: string): Promise<SignInRow | undefined> {
  return db.selectFrom('account').select(signInColumns).where('email_key', '=', emailKey).executeTakeFirst()
}

export function findSignInById(db: Db, id: number): Promise<SignInRow | undefined> {
  return db
    .selectFrom('account')
    .select(signInColumns)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

export async function updateDisplayName(db: Db, id: number, displayName: string): Promise<void> {
  await db.updateTable('account').set({ display_name: displayName }).where('id', '=', id).execute()
}

/** Returns false if another account has the address. */
export async function updateEmail(
  db: Db,
  id: number,
  email: { readonly email: string; readonly emailKey: string; readonly verifiedAt: number | null },
): Promise<boolean> {
  const other = await db
    .selectFrom('account')
    .select('id')
    .where('email_key', '=', email.emailKey)
    .where('id', '!=', id)
    .executeTakeFirst()
  if (other) return false
  await db
    .updateTable('account')
    .set({ email: email.email, email_key: email.emailKey, email_verified_at: email.verifiedAt })
    .where('id', '=', id)
    .execute()
  return true
}

/** The account is claimed from now on. */
export async function claimAccount(db: Db, id: number): Promise<void> {
  await db
    .updateTable('account')
    .set({ unclaimed_at: null })
    .where('id', '=', id)
    .where('unclaimed_at', 'is not', null)
    .execute()
}

/** For a user who opened a link emailed to the address. */
export async function confirmAddress(db: Db, id: number, at: number): Promise<void> {
  await db
    .updateTable('account')
    .set({ email_verified_at: at })
    .where('id', '=', id)
    .where('email_verified_at', 'is', null)
    .execute()
}

export async function updateMails(db: Db, id: number, mails: 'on' | 'off'): Promise<void> {
  await db.updateTable('account').set({ mails }).where('id', '=', id).execute()
}

export async function updateLanguage(db: Db, id: number, language: Language | null): Promise<void> {
  await db.updateTable('account').set({ language }).where('id', '=', id).execute()
}

/** The fields that users see of their own account. */
export interface Profile extends Account {
  readonly emailVerifiedAt: number | null
  readonly hasPassword: boolean
  readonly createdAt: number
  /** Whether emails about photos are on. */
  readonly mails: 'on' | 'off'
  readonly language: string | null
}

export async function findProfile(db: Db, id: number): Promise<Profile | undefined> {
  const row = await db
    .selectFrom('account')
    .select([...signInColumns, 'created_at as createdAt', 'mails'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const { passwordHash, suspendedAt: _suspendedAt, ...profile } = row
  return { ...profile, hasPassword: passwordHash !== null }
}
