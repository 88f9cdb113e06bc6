// Signing in by password: limits counted before the check, the same time for unknown accounts, one sentence for either mistake.
import { hash } from 'node:crypto'
import { emailKeyOf, findSignIn } from '../accounts/accounts.ts'
import { isPassword } from '../auth/passwords.ts'
import type { BegunSession, Sessions } from '../auth/sessions.ts'
import type { Db } from '../database/database.ts'
import { refuse } from '../errors.ts'

/** Of no password, at today's cost: what an unknown account is compared with, so that it takes as long as a known one. */
const nobody = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`
/** A longer one is none, and hashing it would cost. */
const longestPassword = 1_024

export interface SignInRequest {
  readonly email: string
  readonly password: string
  /** Which the limit by address counts. */
  readonly address: string
  readonly browser: string | undefined
}

export interface SignInDependencies {
  readonly db: Db
  readonly sessions: Sessions
  /** Counts an attempt. @throws refusal `too-many-requests`. */
  readonly spend: (limit: 'sign-in' | 'sign-in-account', bucket: string) => Promise<unknown>
}

export function createSignIn({ db, sessions, spend }: SignInDependencies) {
  return {
    /**
     * Checks address and password and begins a session.
     * @throws refusals `too-many-requests`, `wrong-sign-in`, `account-suspended`, `read-only`.
     */
    byPassword: async ({ email, password, address, browser }: SignInRequest): Promise<BegunSession> => {
      const key = emailKeyOf(email)
      await spend('sign-in', address)
      await spend('sign-in-account', hash('sha256', key))
      if (password.length > longestPassword) throw refuse('wrong-sign-in')
      const account = await findSignIn(db, key)
      const isRight = await isPassword(password, account?.passwordHash ?? nobody)
      if (!account || !isRight) throw refuse('wrong-sign-in')
      if (account.suspendedAt !== null) throw refuse('account-suspended')
      return db
        .transaction()
        .execute((tx) =>
          sessions.begin(
            tx,
            account,
            { accountId: account.id, via: 'session' },
            { browser, how: 'password' },
          ),
        )
    },
  }
}

export type SignIn = ReturnType<typeof createSignIn>
