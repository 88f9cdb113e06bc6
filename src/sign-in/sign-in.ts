// Signing in by password: attempts counted before the check, the same time for unknown accounts, one sentence for either mistake.
import { hash } from 'node:crypto'
import type { Incidents } from '../accounts/audit/incidents.ts'
import { emailKeyOf, findSignIn } from '../accounts/accounts.ts'
import type { KnownDevices } from '../auth/known-devices.ts'
import { isPassword } from '../auth/passwords.ts'
import type { BegunSession, Sessions } from '../auth/sessions.ts'
import type { Db } from '../database/database.ts'
import { Refusal, refuse, type DetailIn } from '../errors.ts'
import type { Attempt, Attempts } from '../http/rates/attempts.ts'
import { textsIn } from '../texts/texts.ts'
import { countCharacters } from '../shared/text/characters.ts'

/** A hash of no password, at today's cost, for unknown accounts, so that they take as long as known ones. */
const nobody = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`
const maxPasswordLength = 1_024

export interface SignInRequest {
  readonly email: string
  readonly password: string
  /** Which the limit by address counts. */
  readonly address: string
  readonly browser: string | undefined
  /** The Cookie header: a known device has its own count. */
  readonly cookies: string | undefined
}

export interface SignInDependencies {
  readonly db: Db
  readonly sessions: Sessions
  readonly devices: KnownDevices
  readonly attempts: Attempts
  readonly noteIncident: Incidents['note']
  /** Other ways to sign in, which strangers cannot block. */
  readonly hasPasskeys: boolean
  readonly canMail: boolean
}

export function createSignIn(dependencies: SignInDependencies) {
  const { db, sessions, devices, attempts, noteIncident, hasPasskeys, canMail } = dependencies

  /** The same for everybody: it must not reveal whether the account exists. */
  const waitSentence =
    (seconds: number): DetailIn =>
    (language) =>
      textsIn(language).details.wait(seconds, { hasPasskeys, canMail })

  async function tryOnKnownDevice(
    accountId: number | undefined,
    { cookies }: SignInRequest,
  ): Promise<Attempt | undefined> {
    const device = accountId === undefined ? undefined : devices.deviceIn(cookies)
    if (!device || accountId === undefined || !(await devices.isKnown(device, accountId))) return undefined
    return attempts.tryBegin([{ slowing: 'device', bucket: `${device.id} ${accountId}` }])
  }

  /** Counts the attempt. A known device that has used up its own attempts still has those of a stranger. */
  async function begin(key: string, accountId: number | undefined, request: SignInRequest): Promise<Attempt> {
    const onDevice = await tryOnKnownDevice(accountId, request)
    if (onDevice) return onDevice
    const account = hash('sha256', key)
    return attempts.begin(
      [
        { slowing: 'address', bucket: request.address },
        { slowing: 'account', bucket: `${account} ${request.address}` },
        { slowing: 'everywhere', bucket: account },
      ],
      waitSentence,
    )
  }

  return {
    /**
     * Checks address and password, and starts a session.
     * @throws refusals `too-many-requests`, `wrong-sign-in`, `account-suspended`, `read-only`.
     */
    byPassword: async (request: SignInRequest): Promise<BegunSession> => {
      const { email, password, browser } = request
      const key = emailKeyOf(email)
      const account = await findSignIn(db, key)
      const failed = (): void =>
        noteIncident({ action: 'sign-in.failed', accountId: account?.id ?? null, address: request.address })
      const attempt = await begin(key, account?.id, request).catch((error: unknown) => {
        if (error instanceof Refusal) failed()
        throw error
      })
      // A longer one is none, and hashing it would cost.
      const isRight =
        countCharacters(password) <= maxPasswordLength &&
        (await isPassword(password, account?.passwordHash ?? nobody))
      if (!account || !isRight) {
        failed()
        throw refuse('wrong-sign-in')
      }
      await attempt.refund()
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
