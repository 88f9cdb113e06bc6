// Passkeys: who may add, use and remove them; each challenge is consumed with the ceremony it was issued for.
import { findSignInById } from '../../accounts/accounts.ts'
import { byServer, recordAudit, type AuditActor } from '../../accounts/audit/audit.ts'
import type { Db, Tx } from '../../database/database.ts'
import { requireWritable } from '../../database/read-only.ts'
import { refuse } from '../../errors.ts'
import { inEach } from '../../texts/texts.ts'
import { findOneTime, issueOneTime, useOneTime, type OneTime } from '../one-time.ts'
import {
  challengeIn,
  creationOptions,
  passkeyHost,
  readAssertion,
  readNewCredential,
  requestOptions,
  userHandleOf,
  type Assertion,
  type NewCredential,
  type PasskeyPlace,
} from './passkey-ceremonies.ts'
import {
  deletePasskey,
  findPasskey,
  insertPasskey,
  listPasskeysOf,
  notePasskeyUse,
  type PasskeyRow,
} from './passkey-table.ts'
import { noteSessionPasskey } from '../session-table.ts'
import type { BegunSession, Sessions } from '../sessions.ts'
import { visibleName } from '../visible-name.ts'

export type { PasskeyRow } from './passkey-table.ts'

export const maxPasskeys = 20

/** The user of a signed-in browser. */
export interface PasskeyOwner {
  readonly accountId: number
  readonly sessionId: string
  /** Set for staff who signed in without a passkey: they may add their first one, and no other. */
  readonly awaitsPasskey?: true
}

const tooLate = () => refuse('wrong-passkey', { detail: inEach(({ access }) => access.passkey.tooLate) })
const unknown = () => refuse('wrong-passkey', { detail: inEach(({ access }) => access.passkey.unknown) })
const copied = () => refuse('wrong-passkey', { detail: inEach(({ access }) => access.passkey.copied) })

export interface PasskeysDependencies {
  readonly db: Db
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
  readonly sessions: Pick<Sessions, 'begin'>
  readonly publicUrl: string
  /** Looked up for each passkey. */
  readonly siteName: () => string
}

export function createPasskeys({ db, now, sessions, publicUrl, siteName }: PasskeysDependencies) {
  const host = passkeyHost(publicUrl)
  const { origin } = new URL(publicUrl)

  function requirePlace(): PasskeyPlace {
    if (host === undefined) throw refuse('no-passkeys')
    return { host, origin, siteName: siteName() }
  }

  /** Stored as a hash like every secret, although browsers show it. */
  const issueChallenge = (accountId: number | null, data: OneTime['data']): Promise<string> =>
    db.transaction().execute(async (tx) => {
      await requireWritable(tx)
      return (await issueOneTime(tx, 'passkey', { now: now(), accountId, data })).token
    })

  /** @returns the existing ones. @throws refusal `quota-reached`. */
  async function requireRoom(tx: Db, accountId: number): Promise<PasskeyRow[]> {
    const passkeys = await listPasskeysOf(tx, accountId)
    if (passkeys.length < maxPasskeys) return passkeys
    throw refuse('quota-reached', {
      detail: inEach(({ limits }) => limits.passkeys(maxPasskeys, passkeys.length)),
    })
  }

  /**
   * The only sign that an authenticator was copied: it is committed together with the used challenge, although the
   * sign-in is refused.
   */
  async function noteCopy(tx: Tx, { accountId, credentialId }: PasskeyRow): Promise<void> {
    const detail = { passkey: credentialId, reason: 'count' }
    await recordAudit(tx, { at: now(), by: byServer, action: 'passkey.refused', accountId, detail })
  }

  return {
    /** Whether browsers support passkeys at PUBLIC_URL. */
    isOffered: host !== undefined,

    /** Oldest first. */
    list: (accountId: number): Promise<PasskeyRow[]> => listPasskeysOf(db, accountId),

    /**
     * The caller has confirmed the user's identity; the challenge, which is valid only in this session, carries that on
     * to `add`.
     * @throws refusals `no-passkeys`, `quota-reached`, `passkey-required`, `read-only`.
     */
    beginAdding: async ({ accountId, sessionId, awaitsPasskey }: PasskeyOwner) => {
      const place = requirePlace()
      const known = await requireRoom(db, accountId)
      if (awaitsPasskey && known.length > 0) throw refuse('passkey-required')
      const account = await findSignInById(db, accountId)
      if (!account) throw refuse('invalid-account-id')
      const challenge = await issueChallenge(accountId, { sessionId })
      return creationOptions(place, { challenge, account, known })
    },

    /** @throws refusals `no-passkeys`, `invalid-field`, `wrong-passkey`, `quota-reached`, `read-only`. */
    add: async (
      { accountId, sessionId, awaitsPasskey }: PasskeyOwner,
      { name: asked, response }: { readonly name: string; readonly response: NewCredential },
    ): Promise<PasskeyRow> => {
      const place = requirePlace()
      const name = visibleName(asked)
      const challenge = challengeIn(response.response.clientDataJSON)
      const begun = await findOneTime(db, 'passkey', challenge, now())
      if (begun?.accountId !== accountId || begun.data['sessionId'] !== sessionId) throw tooLate()
      const { publicKey, counter } = await readNewCredential(place, response, challenge)
      const passkey: PasskeyRow = {
        credentialId: response.id,
        accountId,
        publicKey: Buffer.from(publicKey).toString('base64url'),
        signCount: counter,
        transports: JSON.stringify(response.response.transports ?? []),
        name,
        createdAt: now(),
        lastUsedAt: null,
      }
      await db.transaction().execute(async (tx) => {
        if (!(await useOneTime(tx, 'passkey', challenge, now()))) throw tooLate()
        const known = await requireRoom(tx, accountId)
        if (awaitsPasskey && known.length > 0) throw refuse('passkey-required')
        if (!(await insertPasskey(tx, passkey))) {
          throw refuse('wrong-passkey', { detail: inEach(({ access }) => access.passkey.known) })
        }
        // The user has just shown it.
        if (awaitsPasskey) await noteSessionPasskey(tx, sessionId)
        const by: AuditActor = { accountId, via: 'session' }
        const detail = { passkey: passkey.credentialId, name }
        await recordAudit(tx, { at: now(), by, action: 'passkey.added', accountId, detail })
      })
      return passkey
    },

    /** @throws refusals `invalid-passkey-id`, `last-passkey`, `read-only`. */
    remove: (accountId: number, credentialId: string): Promise<void> =>
      db.transaction().execute(async (tx) => {
        if (!(await deletePasskey(tx, accountId, credentialId))) throw refuse('invalid-passkey-id')
        const account = await findSignInById(tx, accountId)
        const left = await listPasskeysOf(tx, accountId)
        if (account?.passwordHash === null && left.length === 0) throw refuse('last-passkey')
        const by: AuditActor = { accountId, via: 'session' }
        const detail = { passkey: credentialId }
        await recordAudit(tx, { at: now(), by, action: 'passkey.removed', accountId, detail })
      }),

    /** @throws refusals `no-passkeys`, `read-only`. */
    beginSignIn: async () => {
      const place = requirePlace()
      return requestOptions(place, await issueChallenge(null, {}))
    },

    /**
     * Starts a session for the account of the passkey.
     * @throws refusals `no-passkeys`, `wrong-passkey`, `account-suspended`, `read-only`.
     */
    signIn: async (assertion: Assertion, browser: string | undefined): Promise<BegunSession> => {
      const place = requirePlace()
      const { clientDataJSON, userHandle } = assertion.response
      const challenge = challengeIn(clientDataJSON)
      const begun = await findOneTime(db, 'passkey', challenge, now())
      if (!begun || begun.accountId !== null) throw tooLate()
      const passkey = await findPasskey(db, assertion.id)
      if (!passkey || userHandle !== userHandleOf(passkey.accountId)) throw unknown()
      const { credentialId, accountId } = passkey
      const signCount = await readAssertion(place, passkey, assertion, challenge)
      const session = await db.transaction().execute(async (tx) => {
        if (!(await useOneTime(tx, 'passkey', challenge, now()))) throw tooLate()
        const account = await findSignInById(tx, accountId)
        if (!account || !(await findPasskey(tx, credentialId))) throw unknown()
        if (account.suspendedAt !== null) throw refuse('account-suspended')
        const isNoted = await notePasskeyUse(tx, { credentialId, signCount, at: now() })
        if (!isNoted) return noteCopy(tx, passkey)
        const by: AuditActor = { accountId, via: 'session' }
        return sessions.begin(tx, account, by, { browser, how: 'passkey' })
      })
      if (!session) throw copied()
      return session
    },
  }
}

export type Passkeys = ReturnType<typeof createPasskeys>
