// Creating an account: at sign-up, with an invitation, or as the first admin with the set-up link.
import type { Accounts } from '../accounts/accounts.ts'
import { checkEmail, emailKeyOf, findSignIn } from '../accounts/accounts.ts'
import { recordAudit, type AuditActor } from '../accounts/audit/audit.ts'
import {
  dropOneTime,
  dropOneTimeByHash,
  findOneTime,
  issueOneTime,
  listOneTime,
  useOneTime,
  type OneTime,
} from '../auth/one-time.ts'
import type { BegunSession, Sessions } from '../auth/sessions.ts'
import type { Db } from '../database/database.ts'
import type { OneTimeKind, Role } from '../database/schema.ts'
import { requireWritable } from '../database/read-only.ts'
import { refuse } from '../errors.ts'
import type { Attempts } from '../http/rates/attempts.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { Language } from '../shared/languages.ts'
import { mailLanguage } from '../texts/request-language.ts'
import { textsIn } from '../texts/texts.ts'
import { mailTo, recipientOf } from './mails.ts'
import type { Recovery } from './recovery.ts'

export type SignUp = 'open' | 'invite' | 'closed'

/** What the link offers. */
export interface Joining {
  readonly kind: Extract<OneTimeKind, 'sign-up' | 'invitation' | 'set-up'>
  /** Given by the link; undefined if the user enters it. */
  readonly email: string | undefined
  readonly role: Role
}

export interface JoinRequest {
  readonly email: string
  readonly displayName: string
  readonly password: string
  readonly browser: string | undefined
  readonly language: Language
}

export interface Invitation {
  /** Names it in lists; no secret. */
  readonly id: string
  readonly email: string
  readonly role: Role
  readonly createdAt: number
  readonly expiresAt: number
}

export interface JoiningDependencies {
  readonly db: Db
  readonly now: () => number
  readonly accounts: Accounts
  readonly sessions: Sessions
  /** Undefined if no email can be sent. */
  readonly mailer: Mailer | undefined
  readonly signUp: SignUp
  readonly publicUrl: string
  /** Undefined on the command line, which sends no emails. */
  readonly asking:
    | {
        readonly mayMail: Attempts['mayMail']
        readonly makeResetLink: Recovery['makeResetLink']
      }
    | undefined
}

const kinds = ['set-up', 'invitation', 'sign-up'] as const
/** A second start within this time, such as of another node, leaves the link that the first has printed valid. */
const setUpKeptMs = 10_000

function joiningOf(kind: Joining['kind'], { data }: OneTime): Joining {
  const email = typeof data['email'] === 'string' ? data['email'] : undefined
  const role = data['role'] === 'admin' || data['role'] === 'reviewer' ? data['role'] : 'member'
  return { kind, email, role: kind === 'set-up' ? 'admin' : role }
}

export function createJoining(dependencies: JoiningDependencies) {
  const { db, now, accounts, sessions, mailer, signUp, publicUrl, asking } = dependencies
  const linkOf = (token: string): string => `${publicUrl}/join/${token}`
  const over = () => refuse('link-used')

  async function find(token: string): Promise<Joining> {
    for (const kind of kinds) {
      const found = await findOneTime(db, kind, token, now())
      if (found) return joiningOf(kind, found)
    }
    throw over()
  }

  return {
    signUp,
    /** Can an address be proved before the account is made? */
    provesAddresses: mailer !== undefined,

    /** What the link promises. @throws refusal `link-used`. */
    find,

    /**
     * Makes the account that the link promises, and signs it in. Of any number of attempts one succeeds.
     * @throws refusals `link-used`, `invalid-field`, `read-only`.
     */
    join: async (token: string, request: JoinRequest): Promise<BegunSession> => {
      const { kind, email: promised, role } = await find(token)
      const email = promised ?? request.email
      const { displayName, password, browser, language } = request
      const account = await accounts.prepare({
        email,
        displayName,
        role,
        id: undefined,
        password,
        language,
        isEmailVerified: promised !== undefined && mailer !== undefined,
      })
      return db.transaction().execute(async (tx) => {
        if (!(await useOneTime(tx, kind, token, now()))) throw over()
        const id = await accounts.createIn(tx, account, { accountId: null, via: 'link' })
        if (kind === 'set-up') await dropOneTime(tx, 'set-up', null)
        return sessions.begin(tx, { id, role }, { accountId: id, via: 'link' }, { browser, how: kind })
      })
    },

    /**
     * Emails a sign-up link to the address; only its owner learns whether it already has an account.
     * @throws refusals `sign-up-closed`, `invalid-field`, `read-only`.
     */
    ask: async (email: string, asked: Language): Promise<void> => {
      if (signUp !== 'open' || !mailer) throw refuse('sign-up-closed')
      checkEmail(email)
      await requireWritable(db)
      mailer.send(async () => {
        if (!(await asking?.mayMail(recipientOf(email)))) return undefined
        const known = await findSignIn(db, emailKeyOf(email))
        // With a link, as by /reset, with which it shares the limit: exhausting it still leaves the owner a link.
        if (known) {
          const isSuspended = known.suspendedAt !== null
          const by: AuditActor = { accountId: null, via: 'link' }
          const resetLink = isSuspended ? undefined : await asking?.makeResetLink(known.id, by, known.email)
          return mailTo(known.email, mailLanguage(known.language, asked), (mails) =>
            mails.knownAddress(`${publicUrl}/sign-in`, resetLink),
          )
        }
        const { token } = await issueOneTime(db, 'sign-up', { now: now(), data: { email } })
        return mailTo(email, asked, (mails) => mails.signUp(linkOf(token)))
      })
    },

    /**
     * Creates an account without verifying the address, if sign-up is open and no email can be sent.
     * @throws refusals `sign-up-closed`, `invalid-field`, `read-only`.
     */
    signUpUnproved: async (request: JoinRequest): Promise<BegunSession> => {
      if (signUp !== 'open' || mailer) throw refuse('sign-up-closed')
      const { browser, ...person } = request
      const { email } = person
      const account = await accounts.prepare({ ...person, role: 'member', id: undefined })
      if (await findSignIn(db, emailKeyOf(email))) {
        throw refuse('invalid-field', {
          detail: (language) => textsIn(language).details.addressKnown,
        })
      }
      return db.transaction().execute(async (tx) => {
        const id = await accounts.createIn(tx, account, { accountId: null, via: 'link' })
        return sessions.begin(
          tx,
          { id, role: 'member' },
          { accountId: id, via: 'session' },
          { browser, how: 'sign-up' },
        )
      })
    },

    /**
     * Invites an address with a role; emailed if possible.
     * @returns the link, which cannot be shown again. @throws refusals `invalid-field`, `sign-up-closed`, `read-only`.
     */
    invite: async (
      email: string,
      role: Role,
      by: AuditActor,
      asked: Language = 'en',
    ): Promise<{ id: string; link: string; expiresAt: number }> => {
      if (signUp === 'closed') throw refuse('sign-up-closed')
      checkEmail(email)
      const known = await findSignIn(db, emailKeyOf(email))
      if (known) {
        throw refuse('invalid-field', {
          detail: `An account with this email address already exists: ${known.id}.`,
        })
      }
      const at = now()
      const { token, tokenHash, expiresAt } = await db.transaction().execute(async (tx) => {
        const issued = await issueOneTime(tx, 'invitation', { now: at, data: { email, role } })
        await recordAudit(tx, {
          at,
          by,
          action: 'invitation.issued',
          accountId: null,
          detail: { email, role },
        })
        return issued
      })
      const link = linkOf(token)
      mailer?.send(mailTo(email, asked, (mails) => mails.invitation(link)))
      return { id: tokenHash.slice(0, 16), link, expiresAt }
    },

    /** Invitations that can still be taken up, newest first. */
    listInvitations: async (): Promise<Invitation[]> =>
      (await listOneTime(db, 'invitation', now())).map((row) => {
        const { email = '', role } = joiningOf('invitation', row)
        const { tokenHash, createdAt, expiresAt } = row
        return { id: tokenHash.slice(0, 16), email, role, createdAt, expiresAt }
      }),

    /** @throws refusals `not-found`, `read-only`. */
    revokeInvitation: (id: string, by: AuditActor): Promise<void> =>
      db.transaction().execute(async (tx) => {
        const found = (await listOneTime(tx, 'invitation', now())).find(({ tokenHash }) =>
          tokenHash.startsWith(id),
        )
        if (id.length !== 16 || !found || !(await dropOneTimeByHash(tx, 'invitation', found.tokenHash)))
          throw refuse('not-found')
        await recordAudit(tx, {
          at: now(),
          by,
          action: 'invitation.revoked',
          accountId: null,
          detail: { email: found.data['email'] },
        })
      }),

    /**
     * The link that creates the first admin (contract D6). It invalidates an earlier one, unless that was created just
     * now: of several nodes that start at once, one prints a link.
     * @param asked by an operator who waits for it, and always gets one.
     */
    makeSetUpLink: (asked?: 'asked'): Promise<string | undefined> =>
      db.transaction().execute(async (tx) => {
        const at = now()
        const known = await listOneTime(tx, 'set-up', at)
        if (asked === undefined && known.some(({ createdAt }) => createdAt > at - setUpKeptMs))
          return undefined
        await dropOneTime(tx, 'set-up', null)
        return linkOf((await issueOneTime(tx, 'set-up', { now: at })).token)
      }),
  }
}

export type JoiningService = ReturnType<typeof createJoining>
