// The resources used in the matrix: own and of another account, recreated if a request may delete them.
import { insertZone } from '../../../src/account-routes/zones/zone-table.ts'
import { createApiKeys } from '../../../src/auth/api-keys.ts'
import { saveConsent } from '../../../src/auth/oauth/consent-table.ts'
import { registerClient } from '../../../src/auth/oauth/oauth-clients.ts'
import { issueOneTime } from '../../../src/auth/one-time.ts'
import { createSessions } from '../../../src/auth/sessions.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import type { Waymark } from '../../helpers/waymark.ts'
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

/** Whose resources the endpoint can address. */
export function variantsOf(pattern: string): readonly Variant[] {
  if (/:imageID|^\/ImageHandler/.test(pattern)) return ['own pending', 'pending on', 'pending off', 'listed']
  if (pattern.startsWith('/v2/routes/')) return ['own', 'other', 'other public']
  if (/^\/(v2\/a|A)ccounts\/|:zoneID|:webhookID/.test(pattern)) return ['own', 'other']
  if (/:(prefix|clientId|sessionId|credentialId)/.test(pattern)) {
    return pattern.startsWith('/v2/admin/') ? ['other'] : ['own', 'other']
  }
  return ['']
}

export type Things = Record<string, string | number>

const images = new WeakMap<Waymark, Map<string, number>>()
let pictures = 0

/** One of each kind is enough, until a request deletes it. */
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
  const { db } = waymark.installation.database
  const row = await db
    .selectFrom('image')
    .select('state')
    .where('id', '=', id ?? 0)
    .executeTakeFirst()
  if (id === undefined || row?.state === 'deleted') {
    pictures += 1
    const token = await waymark.tokenFor(accountId, 'images:write')
    const picture = await jpegPicture({ width: 12 + pictures, height: 9 })
    id = await waymark.upload({ accountId, token }, trailId, picture)
    if (state !== 'pending') {
      const reviewer = await waymark.addPerson({ role: 'reviewer' })
      await waymark.review(reviewer, id, 'approve')
    }
    known.set(name, id)
  }
  return id
}

/** A webhook with a finished delivery. */
async function webhookFor({ installation, system }: Waymark, accountId: number): Promise<Things> {
  const [webhookID, deliveryID, at] = [system.newId(), system.newId(), system.now()]
  const url = 'https://receiver.example/'
  const secret = 'none, since nothing is sent'
  await installation.database.db.transaction().execute(async (tx) => {
    await tx
      .insertInto('webhook')
      .values({
        id: webhookID,
        account_id: accountId,
        url,
        events: '["*"]',
        scope: '',
        secret,
        created_at: at,
      })
      .execute()
    const ended = { state: 'delivered', attempts: 1, finished_at: at } as const
    const of = { webhook_id: webhookID, type: 'webhook.test', data: '{}', at }
    await tx
      .insertInto('delivery')
      .values({ id: deliveryID, ...of, ...ended })
      .execute()
  })
  return { webhookID, deliveryID }
}

/** Values for all path parameters. */
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
      // Zones are limited, but these rows are not.
      const zoneId = waymark.system.newId()
      const zone = { id: zoneId, name: 'thing', lat: 45, lon: 7, radiusMetres: 100, createdAt: now }
      await db.transaction().execute((tx) => insertZone(tx, owner, zone))
      const webhookThings = await webhookFor(waymark, owner)
      const ownThings = { acctID: owner, routeID: routeId, zoneID: zoneId, ...webhookThings }
      return { ...fixed, ...ownThings, prefix: key.prefix, clientId, sessionId: id }
    }
  }
}
