// The accounts of submitters, as unclaimed ones, within whatever stores something of theirs.
import { byCommand } from '../../src/accounts/audit/audit.ts'
import { findKeptAccount, keepSubmitter, type SubmitterElsewhere } from '../../src/accounts/unclaimed.ts'
import type { Tx } from '../../src/database/database.ts'
import { fail } from '../failures.ts'
import { noteLoss, type PullContext } from './pull-context.ts'

/** The submitter has deleted the account while its photo came. */
const leftSince = () => Object.assign(fail('refused', 'The account was deleted here.'), { hasLeft: true })

export const hasLeft = (error: unknown): boolean => error instanceof Error && 'hasLeft' in error

const signatureOf = ({ displayName, email = '' }: SubmitterElsewhere): string => `${displayName}\n${email}`

export function createSubmitters(context: PullContext) {
  const { db, counts, now, isDryRun } = context
  /** What was last seen of each in this run; `left` for those that have deleted their account here. */
  const seen = new Map<number, string>()
  const left = 'left'

  async function keepIn(tx: Tx, submitter: SubmitterElsewhere): Promise<void> {
    const kept = await keepSubmitter(tx, submitter, { at: now(), by: byCommand })
    if (kept.how === 'left') throw leftSince()
    if (kept.how === 'made') counts.accounts.new += 1
    if (kept.how === 'changed') counts.accounts.changed += 1
    for (const code of kept.losses)
      await noteLoss(context, code, { what: 'account', id: String(submitter.id) })
    seen.set(submitter.id, signatureOf(submitter))
  }

  /** In a dry run nothing is stored: only what would be new is counted. */
  async function look(submitter: SubmitterElsewhere): Promise<void> {
    if (seen.has(submitter.id)) return
    const known = await findKeptAccount(db, submitter.id)
    seen.set(submitter.id, known?.deletedAt ? left : signatureOf(submitter))
    if (known === undefined) counts.accounts.new += 1
    else if (known.unclaimedAt === null && known.displayName !== submitter.displayName)
      await noteLoss(context, 'name-differs-here', { what: 'account', id: String(submitter.id) })
  }

  return {
    /** In the transaction that stores something of theirs. @throws where they have deleted their account here. */
    keepIn,

    /** Has this person deleted the account here? */
    isGone: async (submitter: SubmitterElsewhere): Promise<boolean> => {
      const known = seen.get(submitter.id)
      if (known !== undefined) return known === left
      const account = await findKeptAccount(db, submitter.id)
      if (account?.deletedAt) seen.set(submitter.id, left)
      return Boolean(account?.deletedAt)
    },

    /** Follows the name that a submitter has there now, once in a run. */
    follow: async (submitter: SubmitterElsewhere): Promise<void> => {
      if (seen.get(submitter.id) === signatureOf(submitter)) return
      if (isDryRun) return look(submitter)
      await db.transaction().execute((tx) => keepIn(tx, submitter))
    },
  }
}

export type Submitters = ReturnType<typeof createSubmitters>
