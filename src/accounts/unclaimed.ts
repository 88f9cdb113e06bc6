// Unclaimed accounts: submitters of another server, with their id and name, but without a way to sign in.
//
// The owner claims one by setting a password with a link emailed to its address. If the address is unknown, an admin
// adds it first.
import { replaceForbidden } from '../shared/text/characters.ts'
import type { Db, Tx } from '../database/database.ts'
import { findAccountByEmailKey } from './account-table.ts'
import { checkDisplayName, emailKeyOf, isEmail } from './accounts.ts'
import { findPulled, notePulled, type Pulled } from '../database/pulled-table.ts'
import { recordAudit, type AuditActor } from './audit/audit.ts'

export interface SubmitterElsewhere {
  readonly id: number
  readonly displayName: string
  /** Undefined if the other server does not have it. */
  readonly email: string | undefined
}

/** What could not be kept of a submitter. */
export type SubmitterLoss =
  | 'name-unusable'
  | 'address-unusable'
  | 'address-taken'
  | 'name-differs-here'
  | 'account-taken'

export interface StoredSubmitter {
  /**
   * `left`: the owner has deleted this account here, so nothing is stored for it again. `other`: an account here has this ID,
   * and the operator has not said that it is the same person.
   */
  readonly how: 'made' | 'changed' | 'as it was' | 'left' | 'other'
  readonly losses: readonly SubmitterLoss[]
}

export interface ExistingAccount {
  readonly displayName: string
  readonly email: string
  readonly deletedAt: number | null
  readonly unclaimedAt: number | null
}

export async function findExistingAccount(db: Db, id: number): Promise<ExistingAccount | undefined> {
  return db
    .selectFrom('account')
    .select([
      'display_name as displayName',
      'email',
      'deleted_at as deletedAt',
      'unclaimed_at as unclaimedAt',
    ])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** How an account that is here stands to the submitter of another server who has its ID. */
export type AccountHere = 'none' | 'left' | 'same' | 'other'

/**
 * An equal ID alone makes nobody the same person: either a pull from that server made the account, or the operator says so.
 * @param taken what was pulled of the account; undefined where nothing was.
 * @param isFrom whether a source is that server.
 */
export function accountHere(
  known: ExistingAccount | undefined,
  taken: Pick<Pulled, 'source'> | undefined,
  isFrom: (source: string) => boolean,
): AccountHere {
  if (known === undefined) return 'none'
  if (known.deletedAt !== null) return 'left'
  if (taken) return isFrom(taken.source) ? 'same' : 'other'
  // Of pulls before there were such rows.
  return known.unclaimedAt === null ? 'other' : 'same'
}

export interface Keeping {
  readonly at: number
  readonly by: AuditActor
  /** Address of the other server. */
  readonly source: string
  /** Is this source the same server? Its URL may have changed. */
  readonly isFrom: (source: string) => boolean
  /** The operator says that the account is the same person there. */
  readonly isSame: boolean
}

/** No address contains a space, so nobody can register it. */
const keyWithout = (id: number): string => `unclaimed ${id}`

function usableName({ id, displayName }: SubmitterElsewhere): { name: string; isKept: boolean } {
  try {
    checkDisplayName(displayName)
    return { name: displayName, isKept: true }
  } catch {
    const printable = replaceForbidden(displayName.replaceAll(/\p{Control}/gu, ' ')).trim()
    const cut = Array.from(printable).slice(0, 200).join('')
    return { name: cut === '' ? `Account ${id}` : cut, isKept: false }
  }
}

/**
 * The account of a submitter, created as unclaimed if there is none. An unclaimed one follows the other server; a
 * claimed one is not changed.
 */
export async function storeSubmitter(
  tx: Tx,
  submitter: SubmitterElsewhere,
  { at, by, source, isFrom, isSame }: Keeping,
): Promise<StoredSubmitter> {
  const { id } = submitter
  const losses: SubmitterLoss[] = []
  const known = await findExistingAccount(tx, id)
  const taken = (await findPulled(tx, 'account', [id])).get(id)
  const here = accountHere(known, taken, isFrom)
  if (here === 'left') return { how: 'left', losses }
  if (here === 'other') {
    if (!isSame) return { how: 'other', losses }
    losses.push('account-taken')
  }
  if (taken === undefined || !isFrom(taken.source))
    await notePulled(tx, 'account', { id, source, digest: '' })
  const { name, isKept } = usableName(submitter)
  if (known && known.unclaimedAt === null) {
    if (known.displayName !== submitter.displayName) losses.push('name-differs-here')
    return { how: 'as it was', losses }
  }
  if (!isKept) losses.push('name-unusable')
  const email = await usableEmail(tx, submitter, known, losses)
  if (known && known.displayName === name && known.email === email) return { how: 'as it was', losses }
  const columns = { display_name: name, email, email_key: email === '' ? keyWithout(id) : emailKeyOf(email) }
  if (known) {
    await tx.updateTable('account').set(columns).where('id', '=', id).execute()
    await recordAudit(tx, {
      at,
      by,
      action: 'account.changed',
      accountId: id,
      detail: { displayName: name, pulled: true },
    })
    return { how: 'changed', losses }
  }
  await tx
    .insertInto('account')
    .values({ id, ...columns, role: 'member', created_at: at, unclaimed_at: at })
    .execute()
  await recordAudit(tx, {
    at,
    by,
    action: 'account.created',
    accountId: id,
    detail: { role: 'member', unclaimed: true },
  })
  return { how: 'made', losses }
}

/** An address that an admin added stays if the other server has none. */
async function usableEmail(
  tx: Tx,
  { id, email }: SubmitterElsewhere,
  known: ExistingAccount | undefined,
  losses: SubmitterLoss[],
): Promise<string> {
  if (email === undefined || email.trim() === '' || email === known?.email) return known?.email ?? ''
  if (!isEmail(email)) {
    losses.push('address-unusable')
    return known?.email ?? ''
  }
  const holder = await findAccountByEmailKey(tx, emailKeyOf(email))
  if (holder === undefined || holder.id === id) return email
  losses.push('address-taken')
  return known?.email ?? ''
}
