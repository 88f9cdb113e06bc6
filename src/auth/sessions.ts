// Browser sessions: a random cookie, stored hashed, that ends at a fixed time and at once when it is revoked.
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
/** Whoever reviews or administers signs in once a working day. */
const staffLifeMs = 12 * hour
/** How stale "last seen" may be: writing it at every request would cost a durable write for every read. */
const seenResolutionMs = 60_000
/** How long after signing in nobody asks who is there: a browser left open must not give the account away. */
const freshMs = 600_000
const maxBrowserNameLength = 200

export interface LiveSession extends SessionRow {
  readonly role: Role
  readonly displayName: string
  /** Until when it need not be looked at again: its end, or when its use is to be noted next. */
  readonly until: number
}

export interface BegunSession {
  /** The cookie's value; it cannot be had again. */
  readonly token: string
  readonly id: string
  readonly accountId: number
  /** Milliseconds since 1970 UTC. */
  readonly expiresAt: number
  /** That the person chose, as stored with the account. */
  readonly language: string | null
}

const hashToken = (token: string): string => hash('sha256', token)

export interface SessionsDependencies {
  readonly db: Db
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
  readonly publicUrl: string
}

/** A sign-in of the last ten minutes: whoever is at the browser is most likely who signed in. */
export const isFresh = (signedInAt: number, now: number): boolean => signedInAt > now - freshMs

/** A browser takes the prefix only from the host itself over TLS, so no neighbour under the same domain can set it. */
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
      // Not a date: the clock of the browser may be wrong, and the session would end at once or last.
      const maxAge = Math.max(0, Math.floor((expiresAt - now()) / 1_000))
      return stringifySetCookie({ ...cookie, value: token, maxAge })
    },

    /** The value of Set-Cookie that brings the person's language to a browser in which none was chosen. */
    languageCookieOf: ({ language }: BegunSession, headers: IncomingHttpHeaders): string | undefined =>
      languageCookieFor(headers, language, publicUrl),

    /** The value of Set-Cookie that makes the browser forget. */
    noCookie: (): string => stringifySetCookie({ ...cookie, value: '', maxAge: 0 }),

    /** The session's token in a Cookie header, or undefined. */
    tokenIn: (header: string | undefined): string | undefined =>
      header === undefined ? undefined : parseCookie(header)[cookieName],

    /**
     * Begins a session, in the transaction that found the reason for it.
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

    /** The live session that the token opens; undefined where it ended or its account is suspended. */
    find: async (token: string): Promise<LiveSession | undefined> => {
      const session = await findSession(db, hashToken(token))
      const at = now()
      if (!session || session.expiresAt <= at) return undefined
      // The role may have changed since: a member made reviewer signs in again after a staff member's time.
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
