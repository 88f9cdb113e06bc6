// The accounts, credentials and resources of a fuzz run, determined by the seed.
import { createSessions } from '../../../../src/auth/sessions.ts'
import type { Role } from '../../../../src/database/schema.ts'
import { gpxOf } from '../../../account-routes/route-client.ts'
import {
  bmpStoredWhole,
  gifPicture,
  jpegPicture,
  pngPicture,
  webpPicture,
} from '../../../helpers/pictures.ts'
import { addMember } from '../../../helpers/visitor.ts'
import type { Waymark } from '../../../helpers/waymark.ts'
import { scopes } from '../../../../src/auth/scopes.ts'
import { thingsOf, type Things } from '../../../auth/matrix/matrix-things.ts'

export interface Caller {
  readonly accountId: number
  readonly bearer: Record<string, string>
  readonly session: Record<string, string>
  readonly apiKey: string
}

export interface World {
  readonly callers: readonly Caller[]
  /** Path parameters by name. */
  readonly things: Readonly<Record<string, readonly (string | number)[]>>
}

export type Pictures = Readonly<Record<string, readonly Uint8Array[]>>

const small = { width: 16, height: 12 }

export async function makePictures(): Promise<Pictures> {
  const jpegs = [await jpegPicture(small), await jpegPicture({ ...small, seed: 1 })]
  const pngs = [await pngPicture(small)]
  return {
    'image/jpeg': jpegs,
    'image/png': pngs,
    'image/gif': [await gifPicture(small)],
    'image/bmp': [bmpStoredWhole(small)],
    'image/webp': [await webpPicture(small)],
    'application/gpx+xml': [Buffer.from(gpxOf('45,7', '45.1,7.1'))],
    'text/csv': [Buffer.from('trailID,name,slug\n4711,Rim Trail,rim-trail\n')],
  }
}

export type MakeWorld = () => Promise<World>

export function prepareWorlds(waymark: Waymark): MakeWorld {
  const { database, config } = waymark.installation
  const { db } = database
  const sessions = createSessions({ db, now: () => waymark.system.now(), publicUrl: config.publicUrl })

  async function caller(role: Role): Promise<Caller> {
    const { accountId } = await addMember(waymark, role)
    const token = await waymark.tokenFor(accountId, scopes.join(' '))
    const begun = await db.transaction().execute((tx) => {
      const by = { accountId, via: 'session' } as const
      return sessions.begin(tx, { id: accountId, role }, by, { browser: 'test', how: 'password' })
    })
    return {
      accountId,
      bearer: { authorization: `Bearer ${token}` },
      session: {
        cookie: sessions.cookieOf(begun).split(';', 1)[0] ?? '',
        origin: new URL(config.publicUrl).origin,
        'sec-fetch-site': 'same-origin',
      },
      apiKey: await waymark.addKey(accountId),
    }
  }

  return async () => {
    const callers = [await caller('member'), await caller('reviewer'), await caller('admin')]
    const [member, other] = [await waymark.addPerson(), await waymark.addPerson()]
    const people = {
      member: member.accountId,
      other: other.accountId,
      onTrail: await waymark.addTrail(101, 'On'),
      offTrail: await waymark.addTrail(102, 'Off'),
      as: () => Promise.reject(new Error('nobody asks')),
    }
    const found: Things[] = []
    for (const { accountId } of callers) found.push(await thingsOf(waymark, people, 'own', accountId))
    for (const variant of ['listed', 'own pending', '', 'other public'] as const)
      found.push(await thingsOf(waymark, people, variant, people.member))
    const names = new Set(found.flatMap(Object.keys))
    const things = Object.fromEntries(
      [...names].map((name) => [name, found.flatMap((one) => one[name] ?? [])] as const),
    )
    return { callers, things }
  }
}
