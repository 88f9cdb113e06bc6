// Where the authorization server keeps tokens, codes, grants and sessions: oidc-provider's adapter on our database.
//
//   save ──▶ live ──consume──▶ consumed ──consume again──▶ the whole grant destroyed, InvalidGrant
//             │                   │
//             └── destroy, revokeByGrantId, or sweepExpired once it has expired ──▶ gone
import { hash } from 'node:crypto'
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'
import { InvalidGrant } from 'oidc-provider/lib/helpers/errors.js'
import type { Db } from '../../database/database.ts'
import { findClient } from './oauth-clients.ts'
import { ensureOwnClient, ownClientId } from './own-client.ts'
import * as table from './oauth-objects-table.ts'
import type { Secret } from '../secret.ts'

/** Kinds that are an access token, and so are asked for at every request. */
export const accessTokenKinds: readonly string[] = ['AccessToken', 'ClientCredentials']
/** Kinds that live and die with a grant. */
const grantedKinds: ReadonlySet<string> = new Set([
  'AccessToken',
  'AuthorizationCode',
  'DeviceCode',
  'RefreshToken',
])
/**
 * Kinds stored in the clear, because nothing in them but `jti` is a credential. Any other is sealed: an interaction
 * holds a copy of the session cookie, and sessions and device codes are also found by something else than their id,
 * and then must give back an id that the database does not hold.
 */
const plainKinds: ReadonlySet<string> = new Set([
  'AccessToken',
  'AuthorizationCode',
  'ClientCredentials',
  'Grant',
  'RefreshToken',
])

const hour = 3_600_000
/** How long an expired object stays: a device that polls with its code must still be told `expired_token`. */
const keptMs = hour
/**
 * How long an expired access token stays: so long may a client come back with it and be told "expired" (401, fetch
 * another) and not "unknown" (403 on the classic routes, contract C30).
 */
const accessTokenKeptMs = 7 * 24 * hour

export const hashId = (id: string): string => hash('sha256', id)

export interface StoreDependencies {
  readonly db: Db
  readonly secret: Secret
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
}

/** Deletes a grant and everything issued under it, in the order that lets no token slip in between. */
async function destroyGrant(db: Db, grantId: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await table.deleteObject(transaction, { kind: 'Grant', idHash: hashId(grantId) })
    await table.deleteObjectsOfGrant(transaction, grantId)
  })
}

/**
 * Saves what belongs to a grant, unless the grant is gone: two redemptions of one code may run at once, and what
 * the winner issues after the loser destroyed the grant must not live.
 */
async function saveUnderGrant(db: Db, object: table.NewObject, grantId: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const isGranted = await table.holdObject(transaction, { kind: 'Grant', idHash: hashId(grantId) })
    if (!isGranted) throw new InvalidGrant('the grant was revoked')
    await table.saveObject(transaction, object)
  })
}

/** What suspending an account and revoking an application look for; sessions and interactions are nobody's yet. */
function ownerOf({ accountId, clientId }: AdapterPayload) {
  const id = Number(accountId)
  return {
    accountId: Number.isSafeInteger(id) && id > 0 ? id : null,
    clientId: typeof clientId === 'string' ? clientId : null,
  }
}

/** The fields that the provider sets by the clock of its process, in seconds. */
const timesOfProvider: ReadonlySet<string> = new Set(['exp', 'iat', 'iiat', 'authTime', 'loginTs'])

/**
 * The provider reads the clock of its process, and the clocks of the node that writes an object and the node that reads it
 * may differ by minutes. So stored times are by our clock.
 */
const withTimes = (payload: AdapterPayload, bySeconds: number): AdapterPayload =>
  bySeconds === 0
    ? payload
    : Object.fromEntries(
        Object.entries(payload).map(([name, value]: [string, unknown]) => [
          name,
          timesOfProvider.has(name) && typeof value === 'number' ? value + bySeconds : value,
        ]),
      )

function objectAdapter(kind: string, { db, secret, now }: StoreDependencies): Adapter {
  const keyOf = (id: string): table.ObjectKey => ({ kind, idHash: hashId(id) })

  /** How far our clock is ahead of the clock of the process. */
  const aheadSeconds = (): number => Math.round((now() - Date.now()) / 1_000)

  /** An opaque token is its `jti`, so that is never stored in the clear. */
  function write(told: AdapterPayload): string {
    const payload = withTimes(told, aheadSeconds())
    if (!plainKinds.has(kind)) return secret.seal(JSON.stringify(payload))
    return JSON.stringify(Object.fromEntries(Object.entries(payload).filter(([name]) => name !== 'jti')))
  }

  /** Undefined where SECRET_FILE was replaced meanwhile: then the session is over, and nothing is broken. */
  function open(sealed: string): string | undefined {
    try {
      return secret.unseal(sealed)
    } catch {
      return undefined
    }
  }

  function read(row: table.ObjectRow | undefined, id?: string): AdapterPayload | undefined {
    if (!row) return undefined
    // The provider itself refuses an expired device code, with the error that RFC 8628 wants.
    if (row.expiresAt !== null && row.expiresAt <= now() && kind !== 'DeviceCode') return undefined
    const text = plainKinds.has(kind) ? row.payload : open(row.payload)
    if (text === undefined) return undefined
    const payload = JSON.parse(text) as AdapterPayload
    if (id !== undefined) payload.jti = id
    if (row.consumedAt !== null) payload.consumed = Math.floor(row.consumedAt / 1_000)
    return withTimes(payload, -aheadSeconds())
  }

  return {
    upsert: async (id, payload, expiresInSeconds) => {
      const grantId = grantedKinds.has(kind) ? payload.grantId : undefined
      const object = {
        ...keyOf(id),
        payload: write(payload),
        grantId: grantId ?? null,
        userCode: payload.userCode === undefined ? null : hashId(payload.userCode),
        ...ownerOf(payload),
        uid: (accessTokenKinds.includes(kind) ? payload.clientId : payload.uid) ?? null,
        // By our clock, which is the one that it will be compared with.
        expiresAt:
          expiresInSeconds === undefined ? null : (Math.floor(now() / 1_000) + expiresInSeconds) * 1_000,
      }
      await (grantId === undefined ? table.saveObject(db, object) : saveUnderGrant(db, object, grantId))
    },
    find: async (id) => read(await table.findObject(db, keyOf(id)), id),
    findByUid: async (uid) => read(await table.findObjectBy(db, kind, 'uid', uid)),
    findByUserCode: async (userCode) =>
      read(await table.findObjectBy(db, kind, 'user_code', hashId(userCode))),
    consume: async (id) => {
      // The provider looks first and consumes then; whoever loses the race in between is refused here, and since
      // nobody can tell which of the two was the thief, the grant dies for both (RFC 9700 section 4.14).
      if (await table.consumeObject(db, keyOf(id), now())) return
      const row = await table.findObject(db, keyOf(id))
      if (row?.grantId) await destroyGrant(db, row.grantId)
      throw new InvalidGrant('it was already used')
    },
    destroy: (id) => table.deleteObject(db, keyOf(id)),
    revokeByGrantId: (grantId) => table.deleteObjectsOfGrant(db, grantId, kind),
  }
}

/** Clients are ours: the provider reads them and nothing else, since registration over HTTP is off. */
function clientAdapter({ db, now }: StoreDependencies): Adapter {
  const refuseWrite = async (): Promise<never> => {
    throw new Error('The authorization server never writes clients: that is registerClient.')
  }
  return {
    find: async (clientId) => {
      if (clientId === ownClientId) await ensureOwnClient(db, now())
      return findClient(db, clientId)
    },
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    upsert: refuseWrite,
    consume: refuseWrite,
    destroy: refuseWrite,
    revokeByGrantId: refuseWrite,
  }
}

export function createOauthStore(dependencies: StoreDependencies): AdapterFactory {
  return (kind) => (kind === 'Client' ? clientAdapter(dependencies) : objectAdapter(kind, dependencies))
}

/** Deletes what expired long enough ago that nobody asks for it any more; says how many. */
export function sweepExpired(db: Db, now: number): Promise<number> {
  return table.deleteExpired(db, {
    before: now - keptMs,
    lasting: accessTokenKinds,
    lastingBefore: now - accessTokenKeptMs,
  })
}
