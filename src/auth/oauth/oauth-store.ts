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

/** Kinds that are access tokens, and so are looked up with every request. */
export const accessTokenKinds: readonly string[] = ['AccessToken', 'ClientCredentials']
/** Kinds that are deleted with their grant. */
const grantedKinds: ReadonlySet<string> = new Set([
  'AccessToken',
  'AuthorizationCode',
  'DeviceCode',
  'RefreshToken',
])
/**
 * Kinds that are stored unencrypted, because only their `jti` is a credential. All others are encrypted: an interaction
 * contains a copy of the session cookie, and sessions and device codes are also found by a second key, and must then
 * return an id that the database does not contain.
 */
const plainKinds: ReadonlySet<string> = new Set([
  'AccessToken',
  'AuthorizationCode',
  'ClientCredentials',
  'Grant',
  'RefreshToken',
])

const hour = 3_600_000
/** How long an expired object is kept: a device that polls with its code must still get `expired_token`. */
const keptMs = hour
/**
 * How long an expired access token is kept, so that its client gets "expired" (401, get a new one) and not "unknown"
 * (403 on the classic routes, contract C30).
 */
const accessTokenKeptMs = 7 * 24 * hour

export const hashId = (id: string): string => hash('sha256', id)

export interface StoreDependencies {
  readonly db: Db
  readonly secret: Secret
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
}

/** Deletes a grant and everything issued under it, in an order that lets no token escape. */
async function destroyGrant(db: Db, grantId: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await table.deleteObject(transaction, { kind: 'Grant', idHash: hashId(grantId) })
    await table.deleteObjectsOfGrant(transaction, grantId)
  })
}

/**
 * Saves an object of a grant, unless the grant was deleted: two redemptions of one code may run at once, and what the
 * winner issues after the loser has destroyed the grant must not survive.
 */
async function saveUnderGrant(db: Db, object: table.NewObject, grantId: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const isGranted = await table.holdObject(transaction, { kind: 'Grant', idHash: hashId(grantId) })
    if (!isGranted) throw new InvalidGrant('the grant was revoked')
    await table.saveObject(transaction, object)
  })
}

/**
 * The columns by which suspending an account and revoking an application find objects; sessions and interactions have
 * no owner yet.
 */
function ownerOf({ accountId, clientId }: AdapterPayload) {
  const id = Number(accountId)
  return {
    accountId: Number.isSafeInteger(id) && id > 0 ? id : null,
    clientId: typeof clientId === 'string' ? clientId : null,
  }
}

/** Fields that the provider sets by the clock of its process, in seconds. */
const timesOfProvider: ReadonlySet<string> = new Set(['exp', 'iat', 'iiat', 'authTime', 'loginTs'])

/**
 * The provider uses the clock of its process, and the clocks of the node that writes an object and the node that reads
 * it may differ by minutes. So stored times are by our clock.
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

  /** How far our clock is ahead of the process clock. */
  const aheadSeconds = (): number => Math.round((now() - Date.now()) / 1_000)

  /** An opaque token is its `jti`, so that is never stored unencrypted. */
  function write(given: AdapterPayload): string {
    const payload = withTimes(given, aheadSeconds())
    if (!plainKinds.has(kind)) return secret.seal(JSON.stringify(payload))
    return JSON.stringify(Object.fromEntries(Object.entries(payload).filter(([name]) => name !== 'jti')))
  }

  /** Undefined if SECRET_FILE was replaced since: then the session is over, which is not an error. */
  function open(sealed: string): string | undefined {
    try {
      return secret.unseal(sealed)
    } catch {
      return undefined
    }
  }

  function read(row: table.ObjectRow | undefined, id?: string): AdapterPayload | undefined {
    if (!row) return undefined
    // The provider itself refuses an expired device code, with the error that RFC 8628 requires.
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
        // By our clock, with which it will be compared.
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
      // The provider looks up first and consumes then. A caller that loses the race in between is refused here and,
      // since nobody can tell which of the two is the thief, the grant is revoked for both (RFC 9700 section 4.14).
      if (await table.consumeObject(db, keyOf(id), now())) return
      const row = await table.findObject(db, keyOf(id))
      if (row?.grantId) await destroyGrant(db, row.grantId)
      throw new InvalidGrant('it was already used')
    },
    destroy: (id) => table.deleteObject(db, keyOf(id)),
    revokeByGrantId: (grantId) => table.deleteObjectsOfGrant(db, grantId, kind),
  }
}

/** The provider only reads clients, since registration over HTTP is off. */
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

/** Deletes objects that expired so long ago that nobody asks for them any more; returns how many. */
export function sweepExpired(db: Db, now: number): Promise<number> {
  return table.deleteExpired(db, {
    before: now - keptMs,
    lasting: accessTokenKinds,
    lastingBefore: now - accessTokenKeptMs,
  })
}
