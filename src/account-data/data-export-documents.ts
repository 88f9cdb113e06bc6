// The JSON files of a data export: rows in the form of v2, in chunks, so that no list is in memory completely.
import { setImmediate } from 'node:timers/promises'
import { listAccountTrails } from '../accounts/account-table.ts'
import { listAudit, type AuditRow } from '../accounts/audit/audit.ts'
import { listKeysOf } from '../auth/api-key-table.ts'
import { listConsents } from '../auth/oauth/consent-table.ts'
import { listClients } from '../auth/oauth/oauth-clients-table.ts'
import { listPasskeysOf } from '../auth/passkeys/passkey-table.ts'
import { listSessionsOf } from '../auth/session-table.ts'
import { extensionOf } from '../shared/formats/image-formats.ts'
import { sharesOf } from '../shared/v2/route-shares.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import type { Db } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { openFields, takenFields } from '../images/capture/capture-fields.ts'
import { imageFields } from '../images/present.ts'
import {
  findPersonRow,
  listTakenIdentities,
  listTakenImages,
  listTakenMoves,
  listTakenReports,
  listTakenRoutes,
  listTakenWebhooks,
  listTakenZones,
  type TakenImage,
  type TakenMove,
} from './data-export-table.ts'

/** How many rows are read at once. */
export const pageLength = 100
const maxClients = 10_000

const writeTimestampOrNull = (at: number | null): string | null => (at === null ? null : writeTimestamp(at))
const words = (text: string): string[] => text.split(' ').filter((word) => word !== '')

/** In pages; other requests get their turn after each. */
export async function* pagesOf(ids: readonly number[]): AsyncGenerator<readonly number[]> {
  for (let at = 0; at < ids.length; at += pageLength) {
    await setImmediate() // the database answers without yielding to the event loop
    yield ids.slice(at, at + pageLength)
  }
}

/** The rows with these ids; deleted ones are left out. */
export function inOrder<Row extends { readonly id: number }>(
  ids: readonly number[],
  rows: readonly Row[],
): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** One item per line: readable, and never a single long text. */
async function* jsonList(items: AsyncIterable<object>): AsyncGenerator<string> {
  let before = '[\n'
  for await (const item of items) {
    yield before + JSON.stringify(item)
    before = ',\n'
  }
  yield before === '[\n' ? '[]' : '\n]'
}

export async function* inBytes(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text, 'utf8')
}

function auditDocument({ at, actorId, via, action, detail }: AuditRow, accountId: number): object {
  const by = actorId === accountId ? 'you' : actorId === null ? 'the server or its operator' : 'an admin'
  return { at: writeTimestamp(at), action, by, via, detail: JSON.parse(detail) as unknown }
}

/** Newest first. */
async function* auditOf(db: Db, accountId: number): AsyncGenerator<object> {
  let before: number | undefined
  for (;;) {
    const rows = await listAudit(db, { accountId, before, limit: pageLength })
    for (const row of rows) yield auditDocument(row, accountId)
    if (rows.length < pageLength) return
    before = rows.at(-1)?.position
    await setImmediate()
  }
}

/** The account and what has access to it, without any secrets. */
async function personDocument(db: Db, accountId: number, now: number): Promise<object> {
  const person = await findPersonRow(db, accountId)
  if (!person) throw refuse('invalid-account-id')
  return {
    acctID: person.id,
    displayName: person.display_name,
    email: person.email,
    emailVerifiedAt: writeTimestampOrNull(person.email_verified_at),
    role: person.role,
    trails: person.role === 'reviewer' ? await listAccountTrails(db, accountId) : [],
    createdAt: writeTimestamp(person.created_at),
    skipsReviewSince: writeTimestampOrNull(person.trusted_at),
    mails: person.mails,
    language: person.language,
    sessions: (await listSessionsOf(db, accountId, now)).map((session) => ({
      id: session.id,
      browser: session.browser,
      createdAt: writeTimestamp(session.createdAt),
      lastSeenAt: writeTimestamp(session.lastSeenAt),
      expiresAt: writeTimestamp(session.expiresAt),
    })),
    passkeys: (await listPasskeysOf(db, accountId)).map(({ name, createdAt, lastUsedAt }) => ({
      name,
      createdAt: writeTimestamp(createdAt),
      lastUsedAt: writeTimestampOrNull(lastUsedAt),
    })),
    apiKeys: (await listKeysOf(db, accountId)).map((key) => ({
      prefix: key.prefix,
      name: key.name,
      createdAt: writeTimestamp(key.createdAt),
      expiresAt: writeTimestampOrNull(key.expiresAt),
      revokedAt: writeTimestampOrNull(key.revokedAt),
      lastUsedAt: writeTimestampOrNull(key.lastUsedAt),
    })),
    applications: (await listConsents(db, accountId)).map((consent) => ({
      clientId: consent.clientId,
      name: consent.name,
      publisher: consent.publisher,
      scopes: words(consent.scope),
      grantedAt: writeTimestamp(consent.grantedAt),
    })),
    clients: (await listClients(db, { accountId, limit: maxClients })).map((client) => ({
      clientId: client.id,
      name: client.name,
      scopes: words(client.scope),
      redirectUris: JSON.parse(client.redirectUris) as unknown,
      createdAt: writeTimestamp(client.createdAt),
    })),
    externalIdentities: (await listTakenIdentities(db, accountId)).map((identity) => ({
      issuer: identity.issuer,
      subject: identity.subject,
      createdAt: writeTimestamp(identity.created_at),
    })),
    zones: (await listTakenZones(db, accountId)).map((zone) => ({
      zoneID: zone.id,
      name: zone.name,
      lat: zone.lat,
      lon: zone.lon,
      radiusMetres: zone.radius_metres,
      createdAt: writeTimestamp(zone.created_at),
    })),
    webhooks: (await listTakenWebhooks(db, accountId)).map((webhook) => ({
      webhookID: webhook.id,
      url: webhook.url,
      events: JSON.parse(webhook.events) as unknown,
      createdAt: writeTimestamp(webhook.created_at),
      disabledAt: writeTimestampOrNull(webhook.disabled_at),
      disabledReason: webhook.disabled_reason,
    })),
    reports: (await listTakenReports(db, accountId)).map((report) => ({
      imageID: report.image_id,
      at: writeTimestamp(report.at),
      reason: report.reason,
      note: report.note,
      closedAt: writeTimestampOrNull(report.closed_at),
    })),
  }
}

/** account.json. @throws refusal `invalid-account-id`. */
export async function* accountJson(db: Db, accountId: number, now: number): AsyncGenerator<string> {
  const head = JSON.stringify(await personDocument(db, accountId, now), undefined, 2)
  yield `${head.slice(0, -'\n}'.length)},\n  "audit": `
  yield* jsonList(auditOf(db, accountId))
  yield '\n}\n'
}

/** The path of an image's original in the zip. */
export function photoName({ id, mimeType }: Pick<TakenImage, 'id' | 'mimeType'>): string {
  return `photos/${id}.${extensionOf(mimeType) ?? 'bin'}`
}

export const gpxName = (routeId: number): string => `routes/${routeId}.gpx`

function moveDocument(move: TakenMove): object {
  return {
    at: writeTimestamp(move.at),
    actor: { acctID: move.actor_id, displayName: move.display_name },
    from: move.from_state,
    to: move.to_state,
    reason: move.reason,
    note: move.note,
  }
}

function imageDocument(image: TakenImage, moves: readonly TakenMove[]): object {
  const { submitterID: _submitter, displayName: _name, edited: _edited, ...fields } = imageFields(image)
  const isPlaced = image.latitude !== null
  return {
    ...fields,
    ...openFields(image, isPlaced),
    ...takenFields(image, isPlaced, 'exact'),
    milesAlong: image.milesAlong,
    file: photoName(image),
    acceptedTitle: image.acceptedTitle,
    acceptedCaption: image.acceptedCaption,
    lat: image.latitude,
    lon: image.longitude,
    deletedAt: writeTimestampOrNull(image.deletedAt),
    history: moves.map(moveDocument),
  }
}

async function* imagesOf(db: Db, accountId: number, ids: readonly number[]): AsyncGenerator<object> {
  for await (const page of pagesOf(ids)) {
    const moves = Map.groupBy(await listTakenMoves(db, page), (move) => move.image_id)
    for (const image of inOrder(page, await listTakenImages(db, accountId, page)))
      yield imageDocument(image, moves.get(image.id) ?? [])
  }
}

/** images.json */
export async function* imagesJson(db: Db, accountId: number, ids: readonly number[]): AsyncGenerator<string> {
  yield* jsonList(imagesOf(db, accountId, ids))
  yield '\n'
}

async function* routesOf(db: Db, accountId: number, ids: readonly number[]): AsyncGenerator<object> {
  for await (const page of pagesOf(ids))
    for (const route of inOrder(page, await listTakenRoutes(db, accountId, page)))
      yield {
        routeID: route.id,
        file: gpxName(route.id),
        name: route.name,
        description: route.description,
        lengthMiles: route.length ?? route.miles,
        isLengthStated: route.length !== null,
        visibility: route.visibility,
        shares: sharesOf(route.shares),
        gpxBytes: route.gpx_bytes,
        createdAt: writeTimestamp(route.created_at),
        updatedAt: writeTimestamp(route.updated_at),
      }
}

/** routes.json */
export async function* routesJson(db: Db, accountId: number, ids: readonly number[]): AsyncGenerator<string> {
  yield* jsonList(routesOf(db, accountId, ids))
  yield '\n'
}

export const readme = (
  madeAt: number,
  accountId: number,
): string => `This is everything that Waymark stores about account ${accountId}, exported on ${writeTimestamp(madeAt)}.

account.json  your profile, your sessions, what can act for you (keys, applications, clients, webhooks), your
              privacy zones, your reports of others' photos, and the audit log of your account. It contains no
              passwords, keys or secrets.
images.json   every photo you uploaded, in any state, including the trash: its details, the licence and terms at
              the time of the upload, and each decision about it.
photos/       the original files as you uploaded them, including position and camera data; named by imageID.
routes.json   your routes.
routes/       their GPX as you uploaded it, byte for byte, whether or not it can be read; named by routeID.
MISSING.txt   only if something could not be read: what, and why.

The parts were read one after the other, as they were written: a change made meanwhile may be in one part and
not in another. Times are in UTC, except that takenAt has the local UTC offset. Lengths are in miles, positions
in degrees (WGS84).
`
