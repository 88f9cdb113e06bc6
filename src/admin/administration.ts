// What admins and the operator's command line do with accounts: roles, limits to trails, suspension, trust.
import { updateEmail } from '../accounts/account-table.ts'
import { checkEmail, emailKeyOf } from '../accounts/accounts.ts'
import { recordAudit, type AuditActor } from '../accounts/audit/audit.ts'
import { endIssued } from '../auth/end-tokens.ts'
import { dropOneTime } from '../auth/one-time.ts'
import type { Sessions } from '../auth/sessions.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Role } from '../database/schema.ts'
import { refuse } from '../errors.ts'
import { textsIn } from '../texts/texts.ts'
import {
  countActiveAdmins,
  findAdminAccount,
  listAccounts,
  replaceTrails,
  unknownTrails,
  updateAccountStatus,
  type AccountFilters,
  type AdminAccount,
} from './account-list.ts'

export interface AccountChange {
  readonly role?: Role | undefined
  /** The trails a reviewer is limited to; none for all. */
  readonly trails?: readonly number[] | undefined
  readonly suspended?: boolean | undefined
  /** Whether photos of the account skip review. */
  readonly trusted?: boolean | undefined
  /** Of an unclaimed account. */
  readonly email?: string | undefined
}

export interface AdministrationDependencies {
  readonly db: Db
  readonly now: () => number
  readonly sessions: Sessions
}

const maxTrails = 1_000

export function createAdministration({ db, now, sessions }: AdministrationDependencies) {
  async function requireAccount(tx: Db, id: number | undefined): Promise<AdminAccount> {
    const account = id === undefined ? undefined : await findAdminAccount(tx, id)
    if (!account) throw refuse('invalid-account-id')
    return account
  }

  async function changeTrails(
    tx: Tx,
    account: AdminAccount,
    role: Role,
    trails: readonly number[],
  ): Promise<number[]> {
    const wanted = [...new Set(trails)].toSorted((a, b) => a - b)
    if (wanted.length > maxTrails)
      throw refuse('invalid-field', { detail: `trails may have at most ${maxTrails} items.` })
    if (wanted.length > 0 && role !== 'reviewer')
      throw refuse('invalid-field', { detail: 'trails is allowed only for the role reviewer.' })
    const unknown = await unknownTrails(tx, wanted)
    if (unknown.length > 0)
      throw refuse('invalid-field', { detail: `trails has unknown trail IDs: ${unknown.join(', ')}.` })
    await replaceTrails(tx, account.id, wanted)
    return wanted
  }

  /** Only the owner may change the address of a claimed account. */
  async function giveAddress(tx: Tx, account: AdminAccount, email: string, by: AuditActor): Promise<void> {
    if (email === account.email) return
    if (account.unclaimedAt === null)
      throw refuse('invalid-field', { detail: (language) => textsIn(language).details.notUnclaimed })
    checkEmail(email)
    const isFree = await updateEmail(tx, account.id, { email, emailKey: emailKeyOf(email), verifiedAt: null })
    if (!isFree)
      throw refuse('invalid-field', { detail: (language) => textsIn(language).details.addressTaken })
    await dropOneTime(tx, 'reset', account.id) // links emailed to an earlier address
    await recordAudit(tx, { at: now(), by, action: 'email.changed', accountId: account.id })
  }

  /** Everything issued to the account and its clients; API keys are checked against the account's status anyway. */
  async function endCredentials(tx: Tx, accountId: number): Promise<void> {
    await sessions.revokeAll(tx, accountId)
    await endIssued(tx, accountId)
  }

  async function changeIn(
    tx: Tx,
    id: number | undefined,
    change: AccountChange,
    by: AuditActor,
  ): Promise<void> {
    const before = await requireAccount(tx, id)
    if (change.email !== undefined) await giveAddress(tx, before, change.email, by)
    const at = now()
    const role = change.role ?? before.role
    const isSuspended = change.suspended ?? before.suspendedAt !== null
    const suspendedAt = isSuspended ? (before.suspendedAt ?? at) : null
    const isTrusted = change.trusted ?? before.trustedAt !== null
    const trustedAt = isTrusted ? (before.trustedAt ?? at) : null
    await updateAccountStatus(tx, before.id, { role, suspendedAt, trustedAt })
    const asked = change.trails ?? (role === 'reviewer' ? before.trails : [])
    const trails = await changeTrails(tx, before, role, asked)
    const losesAdmin =
      before.role === 'admin' && before.suspendedAt === null && (role !== 'admin' || isSuspended)
    // Checked after the change, within its transaction, so that two admins cannot demote each other at once.
    if (losesAdmin && (await countActiveAdmins(tx)) === 0) throw refuse('last-admin')
    if (isSuspended && before.suspendedAt === null) await endCredentials(tx, before.id)
    const entry = { at, by, accountId: before.id }
    if (role !== before.role || change.trails !== undefined) {
      const detail = { from: before.role, to: role, trails }
      await recordAudit(tx, { ...entry, action: 'account.role-changed', detail })
    }
    if (isSuspended !== (before.suspendedAt !== null))
      await recordAudit(tx, { ...entry, action: isSuspended ? 'account.suspended' : 'account.restored' })
    if (isTrusted !== (before.trustedAt !== null))
      await recordAudit(tx, { ...entry, action: isTrusted ? 'account.trusted' : 'account.distrusted' })
  }

  return {
    list: (filters: AccountFilters, limit: number): Promise<AdminAccount[]> =>
      listAccounts(db, filters, limit),

    /** @throws refusal `invalid-account-id`. */
    require: (id: number | undefined): Promise<AdminAccount> => requireAccount(db, id),

    /**
     * Changes role, trails, suspension, trust and the address together or not at all. A suspension ends sessions and
     * tokens at once.
     * @throws refusals `invalid-account-id`, `invalid-field`, `last-admin`, `read-only`.
     */
    change: (id: number | undefined, change: AccountChange, by: AuditActor): Promise<void> =>
      db.transaction().execute((tx) => changeIn(tx, id, change, by)),
  }
}

export type Administration = ReturnType<typeof createAdministration>
