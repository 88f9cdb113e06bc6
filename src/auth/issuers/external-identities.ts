// Maps users of a trusted issuer to accounts: by a claim, by a link, or by creating one at the first request (C29).
import { claimAccount, findAccount, findAccountByEmailKey } from '../../accounts/account-table.ts'
import { createAccountIn, emailKeyOf, isEmail } from '../../accounts/accounts.ts'
import { findExistingAccount } from '../../accounts/unclaimed.ts'
import { byServer, recordAudit, type AuditActor } from '../../accounts/audit/audit.ts'
import { countCharacters, replaceForbidden } from '../../shared/text/characters.ts'
import type { Db, Tx } from '../../database/database.ts'
import { findReadOnly } from '../../database/read-only.ts'
import { refuse, type Refusal } from '../../errors.ts'
import type { System } from '../../system.ts'
import {
  deleteLink,
  findLinkedAccount,
  insertLink,
  type ExternalIdentity,
} from './external-identity-table.ts'
import type { TrustedIssuer } from './trusted-issuer.ts'

/** The claims of a verified token. */
export type Claims = Readonly<Record<string, unknown>>

const maxSubjectLength = 255
const maxNameLength = 256

/** An acctID in canonical form, as text or as a JSON number; anything else is not one. */
function idOf(value: unknown): number | undefined {
  const id = typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : value
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined
}

function isSubject(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxSubjectLength && value.isWellFormed()
}

/** The display name at the issuer, cut to the length allowed here. */
function displayNameOf({ name, preferred_username: username }: Claims): string {
  const given = [name, username].filter((text) => typeof text === 'string').find((text) => text.trim() !== '')
  const text = replaceForbidden((given ?? 'Hiker').replaceAll(/\p{Control}/gu, ' ').trim())
  return countCharacters(text) <= maxNameLength ? text : Array.from(text).slice(0, maxNameLength).join('')
}

const noAccount = (issuer: string, remedy: string): Refusal =>
  refuse('forbidden', { detail: `No account here is linked to this user of ${issuer}; ${remedy}.` })

/** An unverified address would let anyone take over its owner's account. */
function verifiedEmail({ issuer }: TrustedIssuer, { email, email_verified: isVerified }: Claims): string {
  if (typeof email === 'string' && isEmail(email) && isVerified === true) return email
  throw noAccount(
    issuer,
    'one is created once the token has email and email_verified: true, or the operator can link one',
  )
}

export interface ExternalIdentitiesDependencies {
  readonly db: Db
  readonly system: System
}

export function createExternalIdentities({ db, system }: ExternalIdentitiesDependencies) {
  async function linkIn(
    tx: Tx,
    by: AuditActor,
    identity: ExternalIdentity,
    accountId: number,
  ): Promise<void> {
    const at = system.now()
    if (await insertLink(tx, identity, accountId, at)) {
      const { issuer, subject } = identity
      await claimAccount(tx, accountId)
      await recordAudit(tx, { at, by, action: 'account.linked', accountId, detail: { issuer, subject } })
      return
    }
    const holder = await findLinkedAccount(tx, identity)
    if (holder === accountId) return
    throw refuse('invalid-field', {
      detail: `This subject is already linked to account ${holder}; unlink it with "waymark accounts unlink".`,
    })
  }

  /** A pulled account belongs to its owner from the first request on: no pull and no admin changes its address then. */
  async function isUsed(where: Db, id: number): Promise<boolean> {
    const account = await findExistingAccount(where, id)
    if (!account || account.deletedAt !== null) return false
    if (account.unclaimedAt !== null && !(await findReadOnly(where))) await claimAccount(where, id)
    return true
  }

  /** The claim takes precedence over the link, because the issuer has just stated it. */
  async function find(where: Db, { issuer, accountClaim }: TrustedIssuer, claims: Claims) {
    const claimed = accountClaim === undefined ? undefined : idOf(claims[accountClaim])
    if (claimed !== undefined && (await isUsed(where, claimed))) return claimed
    const { sub: subject } = claims
    return isSubject(subject) ? findLinkedAccount(where, { issuer, subject }) : undefined
  }

  /** An account with the id of the claim, so that a site keeps its ids; without a claim, with a new id. */
  async function createIn(tx: Tx, entry: TrustedIssuer, claims: Claims, subject: string): Promise<number> {
    const { issuer, accountClaim } = entry
    const email = verifiedEmail(entry, claims)
    if (await findAccountByEmailKey(tx, emailKeyOf(email))) {
      const remedy = 'their email address belongs to an existing account, which the operator can link'
      throw noAccount(issuer, remedy)
    }
    const account = {
      id: accountClaim === undefined ? undefined : idOf(claims[accountClaim]),
      displayName: displayNameOf(claims),
      email,
      role: 'member' as const,
      passwordHash: undefined,
      isEmailVerified: true,
    }
    const id = await createAccountIn(system, tx, account, byServer)
    await linkIn(tx, byServer, { issuer, subject }, id)
    return id
  }

  /** Many first requests arrive at once: the loser of the race uses the account that the winner created. */
  async function findOrCreate(entry: TrustedIssuer, claims: Claims, subject: string): Promise<number> {
    try {
      return await db
        .transaction()
        .execute(async (tx) => (await find(tx, entry, claims)) ?? createIn(tx, entry, claims, subject))
    } catch (error) {
      const made = await find(db, entry, claims)
      if (made === undefined) throw error
      return made
    }
  }

  return {
    /**
     * The account for the claims, which may be suspended.
     * @throws refusal `forbidden` that says what to do if there is none.
     */
    accountOf: async (entry: TrustedIssuer, claims: Claims): Promise<number> => {
      const found = await find(db, entry, claims)
      if (found !== undefined) return found
      if (!isSubject(claims['sub'])) throw noAccount(entry.issuer, 'the token has no subject (sub)')
      if (entry.createAccounts) return findOrCreate(entry, claims, claims['sub'])
      throw noAccount(entry.issuer, 'ask the operator to link one')
    },

    /** @throws refusals `invalid-account-id`, and `invalid-field` if the subject is linked to another account. */
    link: (by: AuditActor, identity: ExternalIdentity, accountId: number): Promise<void> =>
      db.transaction().execute(async (tx) => {
        if (!isSubject(identity.subject))
          throw refuse('invalid-field', { detail: `subject must have 1 to ${maxSubjectLength} characters.` })
        if (!(await findAccount(tx, accountId))) throw refuse('invalid-account-id')
        await linkIn(tx, by, identity, accountId)
      }),

    /** @returns the account it was linked to; undefined if there was no such link. */
    unlink: (by: AuditActor, identity: ExternalIdentity): Promise<number | undefined> =>
      db.transaction().execute(async (tx) => {
        const accountId = await deleteLink(tx, identity)
        const { issuer, subject } = identity
        const at = system.now()
        if (accountId !== undefined)
          await recordAudit(tx, {
            at,
            by,
            action: 'account.unlinked',
            accountId,
            detail: { issuer, subject },
          })
        return accountId
      }),
  }
}

export type ExternalIdentities = ReturnType<typeof createExternalIdentities>
