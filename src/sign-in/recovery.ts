// Passwords and addresses of people who have an account: changing them, and getting in again by a link.
import {
  checkDisplayName,
  checkEmail,
  emailKeyOf,
  findSignIn,
  findSignInById,
  type SignInRow,
} from '../accounts/accounts.ts'
import { checkPassword } from '../accounts/password-rules.ts'
import {
  confirmAddress,
  updateDisplayName,
  updateEmail,
  updatePasswordHash,
} from '../accounts/account-table.ts'
import { recordAudit, type AuditActor } from '../accounts/audit/audit.ts'
import { endTokens } from '../auth/end-tokens.ts'
import { dropOneTime, findOneTime, issueOneTime, useOneTime, type OneTime } from '../auth/one-time.ts'
import { hashPassword, isPassword } from '../auth/passwords.ts'
import { isFresh, type BegunSession, type Sessions } from '../auth/sessions.ts'
import type { Db, Tx } from '../database/database.ts'
import { requireWritable } from '../database/read-only.ts'
import { refuse, type DetailIn } from '../errors.ts'
import type { Attempts } from '../http/rates/attempts.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Language } from '../shared/languages.ts'
import { mailLanguage } from '../texts/request-language.ts'
import { textsIn } from '../texts/texts.ts'
import { mailTo, recipientOf } from './mails.ts'

export interface RecoveryDependencies {
  readonly db: Db
  readonly now: () => number
  readonly sessions: Sessions
  /** Undefined if no email can be sent: then the operator creates the link ("waymark accounts reset-link"). */
  readonly mailer: Mailer | undefined
  readonly publicUrl: string
  /** The name and host of the site, which are not passwords. */
  readonly siteWords: () => readonly string[]
  /** Undefined on the command line, where nobody guesses and nothing is emailed. */
  readonly attempts: Attempts | undefined
}

/** Who is signed in, where, and since when. */
export interface SignedIn {
  readonly accountId: number
  readonly sessionId: string
  /** Milliseconds since 1970 UTC. */
  readonly signedInAt: number
}

const waitSentence =
  (seconds: number): DetailIn =>
  (language) =>
    textsIn(language).details.waitOrSignIn(seconds)

const stale = () => refuse('stale-session', { detail: (language) => textsIn(language).details.stale })

export function createRecovery(dependencies: RecoveryDependencies) {
  const { db, now, sessions, mailer, publicUrl, siteWords, attempts } = dependencies

  function send(
    { email, language }: Pick<SignInRow, 'email' | 'language'>,
    write: Parameters<typeof mailTo>[2],
  ): void {
    mailer?.send(mailTo(email, mailLanguage(language), write))
  }

  async function requireAccount(tx: Db, id: number): Promise<SignInRow> {
    const account = await findSignInById(tx, id)
    if (!account) throw refuse('invalid-account-id')
    return account
  }

  /** Changing a way to sign in requires the password again: a browser left open must not give the account away. */
  async function requirePassword(
    account: SignInRow,
    { sessionId, signedInAt }: SignedIn,
    password: string,
  ): Promise<void> {
    if (account.passwordHash === null) {
      // The account signs in with passkeys only, so it must sign in again.
      if (!isFresh(signedInAt, now())) throw stale()
      return
    }
    // Per session: neither strangers nor other sessions of the account can use it up.
    const attempt = await attempts?.begin(
      [{ slowing: 'device', bucket: `session ${sessionId}` }],
      waitSentence,
    )
    if (!(await isPassword(password, account.passwordHash))) throw refuse('wrong-password')
    await attempt?.refund()
  }

  async function storePassword(
    tx: Tx,
    account: SignInRow,
    passwordHash: string,
    by: AuditActor,
    keptSession?: string,
  ): Promise<void> {
    await updatePasswordHash(tx, account.id, passwordHash)
    await sessions.revokeAll(tx, account.id, keptSession)
    await dropOneTime(tx, 'reset', account.id)
    await recordAudit(tx, { at: now(), by, action: 'password.set', accountId: account.id })
  }

  /** Earlier links stay valid until they are used or expire: requesting another must not invalidate the owner's. */
  async function issueResetLink(id: number, by: AuditActor, mailedTo?: string): Promise<string> {
    const at = now()
    return db.transaction().execute(async (tx) => {
      const { token } = await issueOneTime(tx, 'reset', { now: at, accountId: id, data: { mailedTo } })
      await recordAudit(tx, { at, by, action: 'password.reset-issued', accountId: id })
      return `${publicUrl}/reset/${token}`
    })
  }

  /** An emailed link opens the account only while that is its address: later the address may belong to someone else. */
  async function requireOwner(tx: Db, link: OneTime | undefined): Promise<SignInRow> {
    if (!link || link.accountId === null) throw refuse('link-used')
    const account = await requireAccount(tx, link.accountId)
    const mailedTo = link.data['mailedTo']
    if (mailedTo !== undefined && mailedTo !== account.email) throw refuse('link-used')
    return account
  }

  const requireLink = async (token: string): Promise<SignInRow> =>
    requireOwner(db, await findOneTime(db, 'reset', token, now()))

  return {
    /**
     * Confirms the user's identity: by a sign-in of the last ten minutes, or by the password, if sent.
     * @throws refusals `stale-session`, `wrong-password`, `too-many-requests`.
     */
    requirePresence: async (person: SignedIn, password: string | undefined): Promise<void> => {
      if (password === undefined || password === '') {
        if (isFresh(person.signedInAt, now())) return
        throw stale()
      }
      await requirePassword(await requireAccount(db, person.accountId), person, password)
    },

    canMail: mailer !== undefined,

    /** Notifies the owner of the account. */
    mailPasskeyAdded: async (accountId: number, name: string): Promise<void> => {
      const account = await findSignInById(db, accountId)
      if (account) send(account, (mails) => mails.passkeyAdded(name, `${publicUrl}/account/passkeys`))
    },

    /**
     * Emails a link if there is an account with the address. This is only looked up after the response is sent, so that
     * neither the response nor its time reveals it.
     * @throws refusals `no-mail`, `read-only`.
     */
    askReset: async (email: string, asked: Language): Promise<void> => {
      if (!mailer) throw refuse('no-mail')
      await requireWritable(db)
      mailer.send(async () => {
        const account = await findSignIn(db, emailKeyOf(email))
        if (!account || account.email === '' || account.suspendedAt !== null) return undefined
        if (!(await attempts?.mayMail(recipientOf(email)))) return undefined
        const link = await issueResetLink(account.id, { accountId: null, via: 'link' }, account.email)
        return mailTo(account.email, mailLanguage(account.language, asked), (mails) => mails.reset(link))
      })
    },

    /**
     * @param mailedTo the only address that gets the link: opening the link confirms it.
     * @returns the link, which cannot be shown again.
     * @throws refusals `invalid-account-id`, `invalid-field` if there is no address to sign in with, `read-only`.
     */
    makeResetLink: async (id: number, by: AuditActor, mailedTo?: string): Promise<string> => {
      const { email } = await requireAccount(db, id)
      if (email === '')
        throw refuse('invalid-field', { detail: (language) => textsIn(language).details.noAddress })
      return issueResetLink(id, by, mailedTo)
    },

    /** Mails the owner of an unclaimed account, whose address an admin has given, a link to choose a password. */
    mailClaim: async (id: number, by: AuditActor): Promise<void> => {
      const account = await requireAccount(db, id)
      if (!mailer || account.email === '') return
      const link = await issueResetLink(id, by, account.email)
      send(account, (mails) => mails.claim(link, `${publicUrl}/reset`))
    },

    /** @throws refusal `link-used`. */
    requireResetLink: async (token: string): Promise<void> => void (await requireLink(token)),

    /**
     * Sets the password that the link allows, ends every session and token, and begins a session.
     * @throws refusals `link-used`, `invalid-field`, `account-suspended`, `read-only`.
     */
    reset: async (token: string, password: string, browser: string | undefined): Promise<BegunSession> => {
      const { email: address, displayName } = await requireLink(token) // before the hash, which costs
      await checkPassword(password, { email: address, displayName, siteWords: siteWords() })
      const passwordHash = await hashPassword(password)
      const { session, changed } = await db.transaction().execute(async (tx) => {
        const used = await useOneTime(tx, 'reset', token, now())
        const account = await requireOwner(tx, used)
        if (account.suspendedAt !== null) throw refuse('account-suspended')
        const by: AuditActor = { accountId: account.id, via: 'link' }
        await storePassword(tx, account, passwordHash, by)
        if (used?.data['mailedTo'] === account.email) await confirmAddress(tx, account.id, now())
        await endTokens(tx, account.id)
        return {
          session: await sessions.begin(tx, account, by, { browser, how: 'reset' }),
          changed: account,
        }
      })
      send(changed, (mails) => mails.passwordChanged)
      return session
    },

    /** Ends every other session. @throws refusals `wrong-password`, `stale-session`, `invalid-field`, `too-many-requests`, `read-only`. */
    changePassword: async (person: SignedIn, current: string, wanted: string): Promise<void> => {
      const account = await requireAccount(db, person.accountId)
      const { email, displayName } = account
      await checkPassword(wanted, { email, displayName, siteWords: siteWords() })
      await requirePassword(account, person, current)
      const passwordHash = await hashPassword(wanted)
      const by: AuditActor = { accountId: account.id, via: 'session' }
      await db.transaction().execute((tx) => storePassword(tx, account, passwordHash, by, person.sessionId))
      send(account, (mails) => mails.passwordChanged)
    },

    /** @throws refusals `invalid-field`, `read-only`. */
    changeName: async ({ accountId }: Pick<SignedIn, 'accountId'>, displayName: string): Promise<void> => {
      checkDisplayName(displayName)
      await db.transaction().execute(async (tx) => {
        await updateDisplayName(tx, accountId, displayName)
        const by: AuditActor = { accountId, via: 'session' }
        const detail = { displayName }
        await recordAudit(tx, { at: now(), by, action: 'account.changed', accountId, detail })
      })
    },

    /**
     * Changes the address: at once if no email can be sent, otherwise when the link emailed to the new address is
     * opened.
     * @returns whether it has changed already.
     * @throws refusals `wrong-password`, `stale-session`, `invalid-field`, `too-many-requests`, `read-only`.
     */
    changeEmail: async (person: SignedIn, email: string, password: string): Promise<boolean> => {
      checkEmail(email)
      const { accountId } = person
      const account = await requireAccount(db, accountId)
      await requirePassword(account, person, password)
      if (!mailer) {
        await db.transaction().execute((tx) => storeEmail(tx, accountId, email, null))
        return true
      }
      if (!(await attempts?.mayMail(`confirm ${recipientOf(email)}`))) {
        throw refuse('too-many-requests', {
          detail: (asked) => textsIn(asked).details.manyMails,
          headers: { 'Retry-After': '3600' },
        })
      }
      const { token } = await db.transaction().execute(async (tx) => {
        // A link sent to a mistyped address must not remain valid beside the one to the correct address.
        await dropOneTime(tx, 'email', accountId)
        return issueOneTime(tx, 'email', { now: now(), accountId, data: { email } })
      })
      const link = `${publicUrl}/confirm-email/${token}`
      send({ ...account, email }, (mails) => mails.confirmEmail(link))
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
        return account
      })
      send(before, (mails) => mails.emailChanged)
    },
  }

  async function storeEmail(tx: Tx, id: number, email: string, verifiedAt: number | null): Promise<void> {
    if (!(await updateEmail(tx, id, { email, emailKey: emailKeyOf(email), verifiedAt }))) {
      throw refuse('invalid-field', { detail: (language) => textsIn(language).details.addressTaken })
    }
    const by: AuditActor = { accountId: id, via: verifiedAt === null ? 'session' : 'link' }
    await recordAudit(tx, { at: now(), by, action: 'email.changed', accountId: id })
  }
}

export type Recovery = ReturnType<typeof createRecovery>
