// Passwords and addresses of people who have an account: changing them, and getting in again by a link.
import {
  checkDisplayName,
  checkEmail,
  checkPassword,
  emailKeyOf,
  findSignIn,
  findSignInById,
  type SignInRow,
} from '../accounts/accounts.ts'
import { updateDisplayName, updateEmail, updatePasswordHash } from '../accounts/account-table.ts'
import { recordAudit, type Doer } from '../audit/audit.ts'
import { dropOneTime, findOneTime, issueOneTime, useOneTime } from '../auth/one-time.ts'
import { hashPassword, isPassword } from '../auth/passwords.ts'
import { isFresh, type BegunSession, type Sessions } from '../auth/sessions.ts'
import type { Db, Tx } from '../database/database.ts'
import { requireWritable } from '../database/read-only.ts'
import { refuse } from '../errors.ts'
import type { Mailer } from '../mail/mailer.ts'
import { confirmEmailMail, emailChangedMail, passwordChangedMail, resetMail } from './mails.ts'

export interface RecoveryDependencies {
  readonly db: Db
  readonly now: () => number
  readonly sessions: Sessions
  /** Undefined where no mail can be sent: then the operator makes the link ("waymark accounts reset-link"). */
  readonly mailer: Mailer | undefined
  readonly publicUrl: string
  /** Counts an attempt on the account. @throws refusal `too-many-requests`. */
  readonly spend: (limit: 'sign-in-account', bucket: string) => Promise<unknown>
}

/** Who is signed in, where, and since when. */
export interface SignedIn {
  readonly accountId: number
  readonly sessionId: string
  /** Milliseconds since 1970 UTC. */
  readonly signedInAt: number
}

const stale = () =>
  refuse('stale-session', {
    detail: 'You signed in more than ten minutes ago: give your password too, or sign in once more.',
  })

export function createRecovery({ db, now, sessions, mailer, publicUrl, spend }: RecoveryDependencies) {
  async function requireAccount(tx: Db, id: number): Promise<SignInRow> {
    const account = await findSignInById(tx, id)
    if (!account) throw refuse('invalid-account-id')
    return account
  }

  /** What changes how one gets in asks for the password once more: a browser left open must not give the account away. */
  async function requirePassword(account: SignInRow, signedInAt: number, password: string): Promise<void> {
    await spend('sign-in-account', `password:${account.id}`)
    if (account.passwordHash === null) {
      // Signs in by passkey alone, so that is what has to be repeated.
      if (!isFresh(signedInAt, now())) throw stale()
      return
    }
    if (!(await isPassword(password, account.passwordHash))) throw refuse('wrong-password')
  }

  async function storePassword(
    tx: Tx,
    account: SignInRow,
    passwordHash: string,
    by: Doer,
    keptSession?: string,
  ): Promise<void> {
    await updatePasswordHash(tx, account.id, passwordHash)
    await sessions.revokeAll(tx, account.id, keptSession)
    await dropOneTime(tx, 'reset', account.id)
    await recordAudit(tx, { at: now(), by, action: 'password.set', accountId: account.id })
  }

  async function issueResetLink(id: number, by: Doer): Promise<string> {
    const at = now()
    return db.transaction().execute(async (tx) => {
      await dropOneTime(tx, 'reset', id)
      const { token } = await issueOneTime(tx, 'reset', { now: at, accountId: id })
      await recordAudit(tx, { at, by, action: 'password.reset-issued', accountId: id })
      return `${publicUrl}/reset/${token}`
    })
  }

  return {
    /**
     * Makes sure that the person is still there: by a sign-in of the last ten minutes, else by the password. One that is
     * given has to be right, however fresh the sign-in is.
     * @throws refusals `stale-session`, `wrong-password`, `too-many-requests`.
     */
    requirePresence: async (
      { accountId, signedInAt }: SignedIn,
      password: string | undefined,
    ): Promise<void> => {
      if (password === undefined || password === '') {
        if (isFresh(signedInAt, now())) return
        throw stale()
      }
      await requirePassword(await requireAccount(db, accountId), signedInAt, password)
    },

    canMail: mailer !== undefined,

    /**
     * Mails a link to whoever has an account with the address. Whether anybody has is found out once the answer is on its
     * way: neither the answer nor its time tells.
     * @throws refusals `no-mail`, `read-only`.
     */
    askReset: async (email: string): Promise<void> => {
      if (!mailer) throw refuse('no-mail')
      await requireWritable(db)
      mailer.send(async () => {
        const account = await findSignIn(db, emailKeyOf(email))
        if (!account || account.suspendedAt !== null) return undefined
        return resetMail(account.email, await issueResetLink(account.id, { accountId: null, via: 'link' }))
      })
    },

    /** @returns the link, which cannot be had again. @throws refusals `invalid-account-id`, `read-only`. */
    makeResetLink: async (id: number, by: Doer): Promise<string> => {
      await requireAccount(db, id)
      return issueResetLink(id, by)
    },

    /** @throws refusal `link-used`. */
    requireResetLink: async (token: string): Promise<void> => {
      if (!(await findOneTime(db, 'reset', token, now()))) throw refuse('link-used')
    },

    /**
     * Sets the password that the link allows, ends every session and begins one.
     * @throws refusals `link-used`, `invalid-field`, `account-suspended`, `read-only`.
     */
    reset: async (token: string, password: string, browser: string | undefined): Promise<BegunSession> => {
      checkPassword(password)
      const passwordHash = await hashPassword(password)
      const { session, email } = await db.transaction().execute(async (tx) => {
        const used = await useOneTime(tx, 'reset', token, now())
        if (!used || used.accountId === null) throw refuse('link-used')
        const account = await requireAccount(tx, used.accountId)
        if (account.suspendedAt !== null) throw refuse('account-suspended')
        const by: Doer = { accountId: account.id, via: 'link' }
        await storePassword(tx, account, passwordHash, by)
        return {
          session: await sessions.begin(tx, account, by, { browser, how: 'reset' }),
          email: account.email,
        }
      })
      mailer?.send(passwordChangedMail(email))
      return session
    },

    /** Ends every other session. @throws refusals `wrong-password`, `stale-session`, `invalid-field`, `too-many-requests`, `read-only`. */
    changePassword: async (person: SignedIn, current: string, wanted: string): Promise<void> => {
      const account = await requireAccount(db, person.accountId)
      checkPassword(wanted)
      await requirePassword(account, person.signedInAt, current)
      const passwordHash = await hashPassword(wanted)
      const by: Doer = { accountId: account.id, via: 'session' }
      await db.transaction().execute((tx) => storePassword(tx, account, passwordHash, by, person.sessionId))
      mailer?.send(passwordChangedMail(account.email))
    },

    /** @throws refusals `invalid-field`, `read-only`. */
    changeName: async ({ accountId }: Pick<SignedIn, 'accountId'>, displayName: string): Promise<void> => {
      checkDisplayName(displayName)
      await db.transaction().execute(async (tx) => {
        await updateDisplayName(tx, accountId, displayName)
        const by: Doer = { accountId, via: 'session' }
        await recordAudit(tx, {
          at: now(),
          by,
          action: 'account.changed',
          accountId,
          detail: { displayName },
        })
      })
    },

    /**
     * Changes the address: at once where no mail can be sent, else once the link mailed to the new one is opened.
     * @returns whether it has changed already.
     * @throws refusals `wrong-password`, `stale-session`, `invalid-field`, `too-many-requests`, `read-only`.
     */
    changeEmail: async (
      { accountId, signedInAt }: SignedIn,
      email: string,
      password: string,
    ): Promise<boolean> => {
      checkEmail(email)
      const account = await requireAccount(db, accountId)
      await requirePassword(account, signedInAt, password)
      if (!mailer) {
        await db.transaction().execute((tx) => storeEmail(tx, accountId, email, null))
        return true
      }
      const { token } = await db.transaction().execute(async (tx) => {
        await dropOneTime(tx, 'email', accountId)
        return issueOneTime(tx, 'email', { now: now(), accountId, data: { email } })
      })
      mailer.send(confirmEmailMail(email, `${publicUrl}/confirm-email/${token}`))
      return false
    },

    /** The address that the link confirms. @throws refusal `link-used`. */
    addressToConfirm: async (token: string): Promise<string> => {
      const found = await findOneTime(db, 'email', token, now())
      if (!found) throw refuse('link-used')
      return String(found.data['email'])
    },

    /** @throws refusals `link-used`, `invalid-field`, `read-only`. */
    confirmEmail: async (token: string): Promise<void> => {
      const before = await db.transaction().execute(async (tx) => {
        const used = await useOneTime(tx, 'email', token, now())
        if (!used || used.accountId === null) throw refuse('link-used')
        const account = await requireAccount(tx, used.accountId)
        await storeEmail(tx, account.id, String(used.data['email']), now())
        return account.email
      })
      mailer?.send(emailChangedMail(before))
    },
  }

  async function storeEmail(tx: Tx, id: number, email: string, verifiedAt: number | null): Promise<void> {
    if (!(await updateEmail(tx, id, { email, emailKey: emailKeyOf(email), verifiedAt }))) {
      throw refuse('invalid-field', { detail: 'Another account has this e-mail address.' })
    }
    const by: Doer = { accountId: id, via: verifiedAt === null ? 'session' : 'link' }
    await recordAudit(tx, { at: now(), by, action: 'email.changed', accountId: id })
  }
}

export type Recovery = ReturnType<typeof createRecovery>
