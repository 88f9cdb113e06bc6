// Known devices: a browser that was signed in to an account before can try its password even while strangers are
// guessing.
// The cookie gives no access. It is encrypted with SECRET_FILE, and invalid once the account's epoch has changed.
import { randomBytes } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Db } from '../database/database.ts'
import type { Secret } from './secret.ts'

const dayMs = 24 * 3_600_000
const lifeMs = 180 * dayMs
/** Families share a computer. */
const maxAccounts = 5

/** One account's sign-in in this browser. */
interface SignedInBefore {
  readonly accountId: number
  readonly epoch: number
  /** Milliseconds since 1970 UTC. */
  readonly at: number
}

export interface KnownDevice {
  /** A random id under which its attempts are counted. */
  readonly id: string
  readonly accounts: readonly SignedInBefore[]
}

interface Sealed extends KnownDevice {
  /** Separates it from other things encrypted with the same secret. */
  readonly purpose: 'known-device'
}

export interface KnownDevicesDependencies {
  readonly db: Db
  readonly secret: Pick<Secret, 'seal' | 'unseal'>
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number
  readonly publicUrl: string
}

async function findEpoch(db: Db, accountId: number): Promise<number> {
  const row = await db
    .selectFrom('account')
    .select('device_epoch as epoch')
    .where('id', '=', accountId)
    .executeTakeFirst()
  return row?.epoch ?? 0
}

/** Makes every device of the account unknown, in the transaction of the reason. */
export async function forgetDevices(db: Db, accountId: number): Promise<void> {
  await db
    .updateTable('account')
    .set((expression) => ({ device_epoch: expression('device_epoch', '+', 1) }))
    .where('id', '=', accountId)
    .execute()
}

export function createKnownDevices({ db, secret, now, publicUrl }: KnownDevicesDependencies) {
  const isSecure = publicUrl.startsWith('https:')
  const name = isSecure ? '__Host-waymark-device' : 'waymark-device'

  /** Undefined if the cookie is not ours, was altered, or was encrypted with a secret that no longer exists. */
  function open(sealed: string): Sealed | undefined {
    try {
      const read = JSON.parse(secret.unseal(sealed)) as Partial<Sealed>
      return read.purpose === 'known-device' ? (read as Sealed) : undefined
    } catch {
      return undefined
    }
  }

  function deviceIn(cookies: string | undefined): KnownDevice | undefined {
    const sealed = cookies === undefined ? undefined : parseCookie(cookies)[name]
    const device = sealed === undefined ? undefined : open(sealed)
    if (device === undefined) return undefined
    const oldest = now() - lifeMs
    return { id: device.id, accounts: device.accounts.filter(({ at }) => at > oldest) }
  }

  return {
    /** The device in a Cookie header. */
    deviceIn,

    /** Was the account signed in on this device, and not invalidated since? */
    isKnown: async (device: KnownDevice, accountId: number): Promise<boolean> => {
      const before = device.accounts.find((account) => account.accountId === accountId)
      return before !== undefined && before.epoch === (await findEpoch(db, accountId))
    },

    /** The Set-Cookie value that makes the browser known to the account, besides others that it is known to. */
    remember: async (cookies: string | undefined, accountId: number): Promise<string> => {
      const { id, accounts } = deviceIn(cookies) ?? { id: randomBytes(9).toString('base64url'), accounts: [] }
      const others = accounts.filter((account) => account.accountId !== accountId)
      const latest: SignedInBefore = { accountId, epoch: await findEpoch(db, accountId), at: now() }
      const device: Sealed = {
        purpose: 'known-device',
        id,
        accounts: [latest, ...others].slice(0, maxAccounts),
      }
      return stringifySetCookie({
        name,
        value: secret.seal(JSON.stringify(device)),
        httpOnly: true,
        sameSite: 'lax',
        secure: isSecure,
        path: '/',
        maxAge: lifeMs / 1_000,
      })
    },
  }
}

export type KnownDevices = ReturnType<typeof createKnownDevices>
