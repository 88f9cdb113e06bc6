// The accounts of submitters, created unclaimed in the transaction that stores something of theirs.
import { byCommand } from '../../src/accounts/audit/audit.ts'
import {
  accountHere,
  findExistingAccount,
  storeSubmitter,
  type SubmitterElsewhere,
} from '../../src/accounts/unclaimed.ts'
import type { Db, Tx } from '../../src/database/database.ts'
import { findPulled } from '../../src/database/pulled-table.ts'
import { fail } from '../failures.ts'
import { noteLoss, type PullContext } from './pull-context.ts'

/** Why nothing is stored for a submitter. */
export type Barred = 'submitter-left' | 'other-person'

/** Detected in the transaction: an account was deleted or created while the photo was loading. */
const barredBy = (barred: Barred): Error =>
  Object.assign(fail('refused', 'The account cannot be credited.'), { barred })

export const barredIn = (error: unknown): Barred | undefined =>
  error instanceof Error && 'barred' in error ? (error.barred as Barred) : undefined

export function createSubmitters(context: PullContext) {
  const { db, counts, now, isDryRun, source, isFrom, isSamePerson } = context
  /** Those of this run: a list may have several names of one person, and then the first counts. */
  const seen = new Map<number, SubmitterElsewhere>()
  const barred = new Map<number, Barred>()

  /** Not every image need have the address. */
  const withKnown = ({ id, displayName, email }: SubmitterElsewhere): SubmitterElsewhere => {
    const known = seen.get(id)
    return { id, displayName: known?.displayName ?? displayName, email: known?.email ?? email }
  }

  const isNew = (submitter: SubmitterElsewhere): boolean => {
    const known = seen.get(submitter.id)
    return known === undefined || (known.email === undefined && submitter.email !== undefined)
  }

  async function keep(tx: Tx, listed: SubmitterElsewhere): Promise<Barred | undefined> {
    const submitter = withKnown(listed)
    const isSame = isSamePerson(submitter.id)
    const stored = await storeSubmitter(tx, submitter, { at: now(), by: byCommand, source, isFrom, isSame })
    if (stored.how === 'left') return 'submitter-left'
    if (stored.how === 'other') return 'other-person'
    if (stored.how === 'made') counts.accounts.new += 1
    if (stored.how === 'changed') counts.accounts.changed += 1
    for (const code of stored.losses)
      await noteLoss(context, code, { what: 'account', id: String(submitter.id) })
    seen.set(submitter.id, submitter)
    return undefined
  }

  async function hereOf(where: Db, id: number) {
    const known = await findExistingAccount(where, id)
    const here = accountHere(known, (await findPulled(where, 'account', [id])).get(id), isFrom)
    return { known, here }
  }

  /** In a dry run nothing is stored: only new accounts are counted. */
  async function look(submitter: SubmitterElsewhere): Promise<void> {
    if (seen.has(submitter.id)) return
    const { known, here } = await hereOf(db, submitter.id)
    seen.set(submitter.id, submitter)
    const of = { what: 'account', id: String(submitter.id) } as const
    if (here === 'none') counts.accounts.new += 1
    if (here === 'other') await noteLoss(context, 'account-taken', of)
    if (known && known.unclaimedAt === null && known.displayName !== submitter.displayName)
      await noteLoss(context, 'name-differs-here', of)
  }

  async function barOf(where: Db, id: number): Promise<Barred | undefined> {
    const { here } = await hereOf(where, id)
    if (here === 'left') return 'submitter-left'
    return here === 'other' && !isSamePerson(id) ? 'other-person' : undefined
  }

  return {
    /**
     * Runs in the transaction that stores something of theirs. @throws if nothing may be stored: `barredIn` says why.
     */
    keepIn: async (tx: Tx, submitter: SubmitterElsewhere): Promise<void> => {
      const why = await keep(tx, submitter)
      if (why) throw barredBy(why)
    },

    /** Why nothing is stored for this account; undefined if storing is allowed. */
    whyBarred: async (id: number): Promise<Barred | undefined> => {
      if (seen.has(id)) return undefined
      const why = barred.get(id) ?? (await barOf(db, id))
      if (why) barred.set(id, why)
      return why
    },

    /** The same in a transaction. @throws if nothing may be stored. */
    requireOpen: async (tx: Tx, id: number): Promise<void> => {
      const why = await barOf(tx, id)
      if (why) throw barredBy(why)
    },

    /** Updates the submitter's name and address from the other server, once per run. */
    follow: async (submitter: SubmitterElsewhere): Promise<void> => {
      if (!isNew(submitter)) return
      if (isDryRun) return look(submitter)
      await db.transaction().execute((tx) => keep(tx, submitter))
    },
  }
}

export type Submitters = ReturnType<typeof createSubmitters>
