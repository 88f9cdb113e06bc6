// Accounts with data of every kind, for tests of data export and deletion, and an independent zip reader.
import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'
import { insertZone } from '../../src/account-routes/zones/zone-table.ts'
import { createApiKeys } from '../../src/auth/api-keys.ts'
import { saveConsent } from '../../src/auth/oauth/consent-table.ts'
import { insertLink } from '../../src/auth/issuers/external-identity-table.ts'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { insertPasskey } from '../../src/auth/passkeys/passkey-table.ts'
import { byServer, recordAudit } from '../../src/accounts/audit/audit.ts'
import { jpegPicture } from './pictures.ts'
import { addSignedIn, type Member } from './visitor.ts'
import type { Person, Waymark } from './waymark.ts'

export interface Owner extends Member {
  readonly token: string
}

/** A signed-in member with a token. */
export async function addOwner(waymark: Waymark, role: 'member' | 'reviewer' | 'admin' = 'member') {
  const member = await addSignedIn(waymark, role)
  const token = await waymark.tokenFor(member.accountId, 'images:read images:write routes:read routes:write')
  return Object.assign(member, { token }) satisfies Owner
}

export interface OwnedThings {
  /** Images in upload order. */
  readonly images: { readonly pending: number; readonly listed: number; readonly trash: number }
  readonly originals: ReadonlyMap<number, Buffer>
  readonly routeId: number
  readonly gpx: string
  readonly unreadableRouteId: number
  readonly clientId: string
  readonly prefix: string
  readonly webhookId: number
}

const gpxOf = (name: string): string =>
  `<?xml version="1.0"?>\n<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>${name} ü</name><trkseg><trkpt lat="45.1" lon="7.1"/><trkpt lat="45.2" lon="7.2"/></trkseg></trk></gpx>\n`

let pictures = 0

/** Different bytes on each call. */
export async function anotherPicture(): Promise<Buffer> {
  pictures += 1
  return Buffer.from(
    await jpegPicture({ width: 20 + (pictures % 200), height: 15 + Math.floor(pictures / 200) }),
  )
}

/** Adds data of every kind that an export contains and a deletion removes. */
export async function furnish(
  waymark: Waymark,
  owner: Owner,
  { trailId, reviewer, mark }: { readonly trailId: number; readonly reviewer: Person; readonly mark: string },
): Promise<OwnedThings> {
  const { db } = waymark.installation.database
  const { accountId } = owner
  const now = waymark.system.now()
  const originals = new Map<number, Buffer>()
  const upload = async (): Promise<number> => {
    const picture = await anotherPicture()
    const id = await waymark.upload(owner, trailId, picture)
    originals.set(id, picture)
    return id
  }
  const images = { pending: await upload(), listed: await upload(), trash: await upload() }
  assert.equal((await waymark.review(reviewer, images.listed, 'approve')).status, 200)
  const deleted = await waymark.fetch(`/v2/images/${images.trash}`, { method: 'DELETE', token: owner.token })
  assert.equal(deleted.status, 204)

  const { routes } = waymark.app.services.accountRoutes
  const gpx = gpxOf(mark)
  const target = { accountId, path: '', key: undefined }
  const { routeId } = await routes.create(target, { name: `${mark} route`, gpx, visibility: 'public' }, '')
  const unreadable = await routes.create(target, { name: `${mark} unreadable` }, '')
  const broken = Buffer.from('<gpx>not closed')
  await db.updateTable('route_gpx').set({ gpx: broken }).where('route_id', '=', unreadable.routeId).execute()

  const key = await createApiKeys(db, () => now).create(accountId, { name: `${mark} key` })
  waymark.secrets.note('API key', key.apiKey)
  const client = { accountId, name: `${mark} app`, scope: 'images:read', now, isPublic: true }
  const redirectUris = ['https://app.example/back']
  const { clientId } = await registerClient(db, { ...client, redirectUris })
  const webhookId = waymark.system.newId()
  await db.transaction().execute(async (tx) => {
    await insertZone(tx, accountId, {
      id: waymark.system.newId(),
      name: `${mark} home`,
      lat: 45.1,
      lon: 7.1,
      radiusMetres: 300,
      createdAt: now,
    })
    await tx
      .insertInto('zone_set')
      .values({ account_id: accountId, revision: 1, salt: `salt ${mark}`, displacement: 'disc' })
      .execute()
    await insertPasskey(tx, {
      credentialId: `credential-${accountId}`,
      accountId,
      publicKey: 'AA',
      signCount: 0,
      transports: '[]',
      name: `${mark} passkey`,
      createdAt: now,
      lastUsedAt: null,
    })
    await insertLink(tx, { issuer: 'https://issuer.example', subject: `${mark} subject` }, accountId, now)
    await saveConsent(tx, { accountId, clientId, scope: 'images:read', grantedAt: now })
    const by = { accountId, via: 'session' } as const
    const detail = { displayName: `${mark} before` }
    await recordAudit(tx, { at: now, by, action: 'account.changed', accountId, detail })
    const invited = { email: owner.email.toUpperCase(), role: 'member' }
    await recordAudit(tx, {
      at: now,
      by: byServer,
      action: 'invitation.issued',
      accountId: null,
      detail: invited,
    })
    await tx
      .insertInto('webhook')
      .values({
        id: webhookId,
        account_id: accountId,
        url: `https://hooks.example/${mark}`,
        events: '["image.approved"]',
        scope: 'images:read',
        secret: `sealed ${mark}`,
        created_at: now,
        disabled_at: null,
        disabled_reason: null,
      })
      .execute()
    await tx
      .insertInto('delivery')
      .values({
        id: waymark.system.newId(),
        webhook_id: webhookId,
        position: null,
        type: 'test',
        data: '{}',
        at: now,
        state: 'failed',
        attempts: 1,
        next_at: null,
        finished_at: now,
      })
      .execute()
  })
  return {
    images,
    originals,
    routeId,
    gpx,
    unreadableRouteId: unreadable.routeId,
    clientId,
    prefix: key.prefix,
    webhookId,
  }
}

/** Headers of a request that follows a link on one of our pages. */
export function browserHeaders({ jar }: Member): Record<string, string> {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  return { cookie, 'sec-fetch-site': 'same-origin' }
}

/** The data export as bytes, requested by the person's browser. */
export async function takeOut(waymark: Waymark, owner: Member): Promise<{ answer: Response; zip: Buffer }> {
  const answer = await fetch(`${waymark.url}/v2/me/takeout`, { headers: browserHeaders(owner) })
  return { answer, zip: Buffer.from(await answer.arrayBuffer()) }
}

/** All files of a zip by name, read and verified by yauzl. */
export async function filesIn(zip: Buffer): Promise<Map<string, Buffer>> {
  const opened = await fromBufferPromise(zip, { strictFileNames: true })
  const files = new Map<string, Buffer>()
  for await (const entry of opened.eachEntry()) {
    files.set(entry.fileName, await buffer(await opened.openReadStreamPromise(entry)))
  }
  return files
}

export function jsonOf(files: ReadonlyMap<string, Buffer>, name: string): unknown {
  const file = files.get(name)
  assert.ok(file, `there is no ${name}`)
  return JSON.parse(file.toString('utf8'))
}
