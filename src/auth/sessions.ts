// Browser sessions: a random cookie, stored as a hash, with a fixed expiry, and revocable at once.
import { hash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'
import { findSignInById } from '../accounts/accounts.ts'
import { recordAudit, type AuditActor } from '../accounts/audit/audit.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Role } from '../database/schema.ts'
import { languageCookieFor } from './language-cookie.ts'
import { forgetDevices } from './known-devices.ts'
import {
  deleteExpiredSessions,
  deleteSession,
  deleteSessionsOf,
  findSession,
  insertSession,
  listSessionsOf,
  noteSessionUse,
  type SessionRow,
} from './session-table.ts'

export type { SessionRow } from './session-table.ts'

const hour = 3_600_000
const memberLifeMs = 14 * 24 * hour
/** Staff sign in once per working day. */
const staffLifeMs = 12 * hour
/** How stale "last seen" may be: updating it with every request would cost a durable write per read. */
const seenResolutionMs = 60_000
/** How long after signing in no password is asked for: a browser left open must not give the account away. */
const freshMs = 600_000
const maxBrowserNameLength = 200

export interface LiveSession extends SessionRow {
  readonly role: Role
  readonly displayName: string
  /** Until when the cached session need not be looked up again: its expiry, or the next update of "last seen". */
  readonly until: number
}

export interface BegunSession {
  /** The value of the cookie, which cannot be shown again. */
  readonly token: string
  readonly id: string
  readonly accountId: number
  /** Milliseconds since 1970 UTC. */
  readonly expiresAt: number
  /** The user's chosen language, as stored with the account. */
  readonly language: string | null
}

const hashToken = (token: string): string => hash('sha256', token)

export interface SessionsDependencies {
  readonly db: Db
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
  readonly publicUrl: string
}

/** A sign-in of the last ten minutes: the person at the browser is most likely the one who signed in. */
export const isFresh = (signedInAt: number, now: number): boolean => signedInAt > now - freshMs

/** Browsers accept the prefix only from the host itself over TLS, so no other host of the domain can set it. */
export const sessionCookieName = (publicUrl: string): string =>
  publicUrl.startsWith('https:') ? '__Host-waymark' : 'waymark'

export function createSessions({ db, now, publicUrl }: SessionsDependencies) {
  const { protocol } = new URL(publicUrl)
  const isSecure = protocol === 'https:'
  const cookieName = sessionCookieName(publicUrl)
  const cookie = { name: cookieName, httpOnly: true, sameSite: 'lax', secure: isSecure, path: '/' } as const

  return {
    /** The value of Set-Cookie for a session. */
    cookieOf: ({ token, expiresAt }: BegunSession): string => {
      // Not a date: with a wrong clock in the browser, the session would end at once or last too long.
      const maxAge = Math.max(0, Math.floor((expiresAt - now()) / 1_000))
      return stringifySetCookie({ ...cookie, value: token, maxAge })
    },

    /** The Set-Cookie value that carries the user's language to a browser without a chosen one. */
    languageCookieOf: ({ language }: BegunSession, headers: IncomingHttpHeaders): string | undefined =>
      languageCookieFor(headers, language, publicUrl),

    /** The Set-Cookie value that deletes the cookie. */
    noCookie: (): string => stringifySetCookie({ ...cookie, value: '', maxAge: 0 }),

    /** The session's token in a Cookie header, or undefined. */
    tokenIn: (header: string | undefined): string | undefined =>
      header === undefined ? undefined : parseCookie(header)[cookieName],

    /**
     * Starts a session, in the transaction that verified the sign-in.
     * @throws refusal `read-only`.
     */
    begin: async (
      tx: Tx,
      account: { readonly id: number; readonly role: Role },
      by: AuditActor,
      options: { readonly browser: string | undefined; readonly how: string },
    ): Promise<BegunSession> => {
      const at = now()
      const token = randomBytes(32).toString('base64url')
      const id = randomBytes(9).toString('base64url')
      const expiresAt = at + (account.role === 'member' ? memberLifeMs : staffLifeMs)
      const browser = (options.browser ?? '').slice(0, maxBrowserNameLength)
      await insertSession(tx, {
        id,
        tokenHash: hashToken(token),
        accountId: account.id,
        createdAt: at,
        lastSeenAt: at,
        expiresAt,
        browser,
        how: options.how,
      })
      await recordAudit(tx, {
        at,
        by,
        action: 'session.begun',
        accountId: account.id,
        detail: { session: id, how: options.how },
      })
      const { language = null } = (await findSignInById(tx, account.id)) ?? {}
      return { token, id, accountId: account.id, expiresAt, language }
    },

    /** The live session of the token; undefined if it has ended or its account is suspended. */
    find: async (token: string): Promise<LiveSession | undefined> => {
      const session = await findSession(db, hashToken(token))
      const at = now()
      if (!session || session.expiresAt <= at) return undefined
      // The role may have changed since: a member who became a reviewer signs in again after the lifetime for staff.
      if (session.role !== 'member' && session.createdAt + staffLifeMs <= at) return undefined
      const isNoted = session.lastSeenAt >= at - seenResolutionMs
      if (!isNoted) await noteSessionUse(db, session.id, at).catch(() => undefined)
      const endsAt =
        session.role === 'member'
          ? session.expiresAt
          : Math.min(session.expiresAt, session.createdAt + staffLifeMs)
      const seenAt = isNoted ? session.lastSeenAt : at
      return { ...session, until: Math.min(endsAt, seenAt + seenResolutionMs) }
    },

    list: (accountId: number): Promise<SessionRow[]> => listSessionsOf(db, accountId, now()),

    /** Ends one session of the account. @returns whether there was one. */
    revoke: (accountId: number, id: string, by: AuditActor): Promise<boolean> =>
      db.transaction().execute(async (tx) => {
        if (!(await deleteSession(tx, accountId, id))) return false
        await recordAudit(tx, {
          at: now(),
          by,
          action: 'session.revoked',
          accountId,
          detail: { session: id },
        })
        return true
      }),

    /**
     * Ends all sessions of the account but this one, and makes its devices unknown.
     * @returns how many ended. @throws refusal `read-only`.
     */
    revokeOthers: (accountId: number, keptId: string, by: AuditActor): Promise<number> =>
      db.transaction().execute(async (tx) => {
        await forgetDevices(tx, accountId)
        const ended = await deleteSessionsOf(tx, accountId, keptId)
        if (ended === 0) return 0
        const detail = { sessions: ended, kept: keptId }
        await recordAudit(tx, { at: now(), by, action: 'session.revoked', accountId, detail })
        return ended
      }),

    /** Ends all sessions of the account but one, in the transaction of the reason. @returns how many ended. */
    revokeAll: (tx: Tx, accountId: number, exceptId?: string): Promise<number> =>
      deleteSessionsOf(tx, accountId, exceptId),

    sweep: (): Promise<number> => deleteExpiredSessions(db, now()),
  }
}

export type Sessions = ReturnType<typeof createSessions>
