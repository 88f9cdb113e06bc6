// The things that the matrix names: own and of another account, made anew where a request may take them away.
import { insertZone } from '../../src/account-routes/zone-table.ts'
import { createApiKeys } from '../../src/auth/api-keys.ts'
import { saveConsent } from '../../src/auth/consent-table.ts'
import { registerClient } from '../../src/auth/oauth-clients.ts'
import { issueOneTime } from '../../src/auth/one-time.ts'
import { createSessions } from '../../src/auth/sessions.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import type { Waymark } from '../helpers/waymark.ts'
import type { People } from './matrix-people.ts'

export type Variant =
  | ''
  | 'own'
  | 'other'
  | 'other public'
  | 'own pending'
  | 'pending on'
  | 'pending off'
  | 'listed'

/** Whose things the endpoint can name. */
export function variantsOf(pattern: string): readonly Variant[] {
  if (/:imageID|^\/ImageHandler/.test(pattern)) return ['own pending', 'pending on', 'pending off', 'listed']
  if (pattern.startsWith('/v2/routes/')) return ['own', 'other', 'other public']
  if (/^\/(v2\/a|A)ccounts\/|:zoneID/.test(pattern)) return ['own', 'other']
  if (/:(prefix|clientId|sessionId|credentialId)/.test(pattern)) {
    return pattern.startsWith('/v2/admin/') ? ['other'] : ['own', 'other']
  }
  return ['']
}

type Things = Record<string, string | number>

const images = new WeakMap<Waymark, Map<string, number>>()

/** Images stay: no request of the matrix changes one, so one of each kind will do. */
async function imageFor(
  waymark: Waymark,
  accountId: number,
  trailId: number,
  state: string,
): Promise<number> {
  const known = images.get(waymark) ?? new Map<string, number>()
  images.set(waymark, known)
  const name = `${accountId} ${trailId} ${state}`
  let id = known.get(name)
  if (id === undefined) {
    const token = await waymark.tokenFor(accountId, 'images:write')
    const picture = await jpegPicture({ width: 12 + known.size, height: 9 })
    id = await waymark.upload({ accountId, token }, trailId, picture)
    if (state !== 'pending') {
      const reviewer = await waymark.addPerson({ role: 'reviewer' })
      await waymark.review(reviewer, id, 'approve')
    }
    known.set(name, id)
  }
  return id
}

/** Values for every parameter that an endpoint may have. */
export async function thingsOf(
  waymark: Waymark,
  people: People,
  variant: Variant,
  accountId: number,
): Promise<Things> {
  const { database, config } = waymark.installation
  const { db } = database
  const now = waymark.system.now()
  const owner = variant === 'own' ? accountId : people.other
  const fixed = { acctID: people.other, code: 'forbidden', uid: 'none', token: 'none', credentialId: 'none' }
  switch (variant) {
    case 'own pending':
      return {
        ...fixed,
        trailID: people.onTrail,
        imageID: await imageFor(waymark, accountId, people.onTrail, 'pending'),
      }
    case 'pending on':
      return {
        ...fixed,
        trailID: people.onTrail,
        imageID: await imageFor(waymark, people.other, people.onTrail, 'pending'),
      }
    case 'pending off':
      return {
        ...fixed,
        trailID: people.offTrail,
        imageID: await imageFor(waymark, people.other, people.offTrail, 'pending'),
      }
    case 'listed':
      return {
        ...fixed,
        trailID: people.onTrail,
        imageID: await imageFor(waymark, people.other, people.onTrail, 'listed'),
      }
    case '': {
      const { tokenHash } = await issueOneTime(db, 'invitation', {
        now,
        data: { email: 'guest@trails.example' },
      })
      return { ...fixed, trailID: people.onTrail, invitation: tokenHash.slice(0, 16) }
    }
    case 'own':
    case 'other':
    case 'other public': {
      await db.deleteFrom('api_key').where('account_id', '=', owner).where('name', '=', 'thing').execute() // there is a limit
      const key = await createApiKeys(db, () => now).create(owner, { name: 'thing' })
      const { clientId } = await registerClient(db, {
        accountId: owner,
        name: 'thing',
        scope: 'images:read',
        now,
        isPublic: false,
        redirectUris: [],
      })
      const sessions = createSessions({ db, now: () => now, publicUrl: config.publicUrl })
      const { id } = await db.transaction().execute(async (tx) => {
        await saveConsent(tx, { accountId: owner, clientId, scope: 'images:read', grantedAt: now })
        const by = { accountId: owner, via: 'session' } as const
        return sessions.begin(tx, { id: owner, role: 'member' }, by, { browser: 'test', how: 'test' })
      })
      const { routeId } = await waymark.app.services.accountRoutes.routes.create(
        { accountId: owner, path: '', key: undefined },
        { name: 'thing', visibility: variant === 'other public' ? 'public' : 'private' },
        '',
      )
      // There is a limit to zones, but not to these rows.
      const zoneId = waymark.system.newId()
      const zone = { id: zoneId, name: 'thing', lat: 45, lon: 7, radiusMetres: 100, createdAt: now }
      await db.transaction().execute((tx) => insertZone(tx, owner, zone))
      const ownThings = { acctID: owner, routeID: routeId, zoneID: zoneId }
      return { ...fixed, ...ownThings, prefix: key.prefix, clientId, sessionId: id }
    }
  }
}
