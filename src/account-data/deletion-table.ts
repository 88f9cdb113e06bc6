// SQL of an account deletion: the account's rows, and its traces in rows that stay.
import { emailKeyOf } from '../accounts/accounts.ts'
import { deleteClient, listClients } from '../auth/oauth/oauth-clients-table.ts'
import { deleteObjectsOfAccount, deleteObjectsOfClient } from '../auth/oauth/oauth-objects-table.ts'
import type { Db, Tx } from '../database/database.ts'
import type { ImageState, Role } from '../database/schema.ts'

/** The name of a deleted account wherever something of it is still shown. */
export const formerName = 'Former member'

const maxClients = 100_000

export interface LeavingPerson {
  readonly email: string
  readonly role: Role
  readonly suspendedAt: number | null
  readonly language: string | null
}

/** Locks the account's row and returns it; undefined if there is none, or it was deleted. */
export async function beginLeaving(tx: Tx, id: number, at: number): Promise<LeavingPerson | undefined> {
  return tx
    .updateTable('account')
    .set({ deleted_at: at })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returning(['email', 'role', 'suspended_at as suspendedAt', 'language'])
    .executeTakeFirst()
}

/** Also suspended, so that checks of credentials need only look at that. */
export async function makeTombstone(tx: Tx, id: number, at: number): Promise<void> {
  await tx
    .updateTable('account')
    .set({
      display_name: formerName,
      email: '',
      email_key: `deleted ${id}`, // no address contains a space: nobody can register it, and the former one is free
      role: 'member',
      password_hash: null,
      email_verified_at: null,
      trusted_at: null,
      suspended_at: at,
      mails: 'off',
      language: null,
      unclaimed_at: null,
    })
    .where('id', '=', id)
    .execute()
}

/** Is there an active admin? */
export async function hasActiveAdmin(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('account')
    .select('id')
    .where('role', '=', 'admin')
    .where('suspended_at', 'is', null)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Tables whose rows belong only to the account, except those that the report counts. */
const uncounted = ['account_trail', 'zone_set', 'external_identity', 'claim', 'retry', 'one_time'] as const
const counted = ['session', 'passkey', 'api_key', 'consent', 'zone', 'webhook'] as const
type Counted = (typeof counted)[number]

async function deleteRows(
  tx: Tx,
  table: Counted | (typeof uncounted)[number],
  accountId: number,
): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom(table).where('account_id', '=', accountId).executeTakeFirst()
  return Number(numDeletedRows)
}

async function deleteClients(tx: Tx, accountId: number): Promise<number> {
  const clients = await listClients(tx, { accountId, limit: maxClients })
  for (const { id } of clients) {
    await deleteObjectsOfClient(tx, id)
    await deleteClient(tx, id)
  }
  return clients.length
}

async function deleteRoutes(tx: Tx, accountId: number): Promise<number> {
  const own = tx.selectFrom('route').select('id').where('account_id', '=', accountId)
  await tx.deleteFrom('route_shown').where('route_id', 'in', own).execute()
  await tx.deleteFrom('route_gpx').where('route_id', 'in', own).execute()
  const { numDeletedRows } = await tx
    .deleteFrom('route')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  await tx
    .updateTable('account')
    .set({ route_count: 0, route_bytes: 0 })
    .where('id', '=', accountId)
    .execute()
  return Number(numDeletedRows)
}

/** Everything but the photos. @returns how many rows of each there were. */
export async function deleteBelongings(tx: Tx, accountId: number) {
  const rows: Partial<Record<Counted, number>> = {}
  for (const table of counted) rows[table] = await deleteRows(tx, table, accountId)
  for (const table of uncounted) await deleteRows(tx, table, accountId)
  const clients = await deleteClients(tx, accountId)
  await deleteObjectsOfAccount(tx, accountId)
  const routes = await deleteRoutes(tx, accountId)
  // A report is about another's photo and must still be reviewed after its author has left.
  await tx.updateTable('report').set({ reporter_id: null }).where('reporter_id', '=', accountId).execute()
  return { ...(rows as Record<Counted, number>), clients, routes }
}

/** Sign-up links emailed to the address, which they contain. */
export async function deleteLinksFor(tx: Tx, email: string): Promise<void> {
  const rows = await tx
    .selectFrom('one_time')
    .select(['token_hash', 'data'])
    .where('account_id', 'is', null)
    .where('kind', 'in', ['sign-up', 'invitation'])
    .execute()
  const held = rows.filter(({ data }) => isAbout(data, email)).map(({ token_hash: hash }) => hash)
  for (const hash of held) await tx.deleteFrom('one_time').where('token_hash', '=', hash).execute()
}

function isAbout(json: string, email: string): boolean {
  const { email: held } = JSON.parse(json) as { readonly email?: unknown }
  return typeof held === 'string' && emailKeyOf(held) === emailKeyOf(email)
}

/** Details of audit entries that may be personal: names that the user chose, and identities elsewhere. */
const personal = ['displayName', 'name', 'email', 'subject', 'redirectUris', 'address'] as const

function withoutPerson(json: string): string | undefined {
  const detail = JSON.parse(json) as Record<string, unknown>
  if (!personal.some((field) => field in detail)) return undefined
  const kept = Object.entries(detail).filter(([field]) => !personal.some((name) => name === field))
  return JSON.stringify({ ...Object.fromEntries(kept), erased: true })
}

/**
 * The one exception to the audit log being append-only: personal details are removed; what was done, when and by which
 * account stays.
 */
export async function eraseFromAudit(tx: Tx, accountId: number, email: string): Promise<void> {
  const own = await tx
    .selectFrom('audit')
    .select(['position', 'detail'])
    .where('account_id', '=', accountId)
    .execute()
  const invitations = await tx
    .selectFrom('audit')
    .select(['position', 'detail'])
    .where('action', 'in', ['invitation.issued', 'invitation.revoked'])
    .execute()
  const rows = [...own, ...invitations.filter(({ detail }) => isAbout(detail, email))]
  for (const { position, detail } of rows) {
    const erased = withoutPerson(detail)
    if (erased !== undefined)
      await tx.updateTable('audit').set({ detail: erased }).where('position', '=', position).execute()
  }
}

export interface LeavingImage {
  readonly id: number
  readonly trailId: number
  readonly submitterId: number
  readonly state: ImageState
  readonly sha256: string
}

const imageColumns = ['id', 'trail_id as trailId', 'submitter_id as submitterId', 'state', 'sha256'] as const

export function listLeavingImages(tx: Tx, accountId: number): Promise<LeavingImage[]> {
  return tx
    .selectFrom('image')
    .select(imageColumns)
    .where('submitter_id', '=', accountId)
    .orderBy('posted_at')
    .orderBy('id')
    .execute()
}

/** What uploads in progress have stored since. */
export function listLateImages(tx: Tx, accountId: number, deletedAt: number): Promise<LeavingImage[]> {
  return tx
    .selectFrom('image')
    .select(imageColumns)
    .where('submitter_id', '=', accountId)
    .where(({ or, and, eb }) =>
      or([
        eb('posted_at', '>', deletedAt),
        and([eb('posted_at', '=', deletedAt), eb('state', '=', 'pending')]),
      ]),
    )
    .execute()
}

/** Accounts deleted at this time or later. */
export function listLeftSince(db: Db, since: number): Promise<{ id: number; deletedAt: number | null }[]> {
  return db
    .selectFrom('account')
    .select(['id', 'deleted_at as deletedAt'])
    .where('deleted_at', '>=', since)
    .execute()
}
