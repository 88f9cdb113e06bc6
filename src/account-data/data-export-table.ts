// SQL of the data export: everything of one account, page by page, and nothing of others.
import { yieldTurn } from '../shared/yielding.ts'
import type { Db } from '../database/database.ts'
import { selectImages } from '../images/image-table.ts'

export function findPersonRow(db: Db, accountId: number) {
  return db
    .selectFrom('account')
    .select([
      'id',
      'display_name',
      'email',
      'email_verified_at',
      'role',
      'created_at',
      'trusted_at',
      'mails',
      'language',
    ])
    .where('id', '=', accountId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
}

export function listTakenWebhooks(db: Db, accountId: number) {
  return db
    .selectFrom('webhook')
    .select(['id', 'url', 'events', 'created_at', 'disabled_at', 'disabled_reason'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export function listTakenZones(db: Db, accountId: number) {
  return db
    .selectFrom('zone')
    .select(['id', 'name', 'lat', 'lon', 'radius_metres', 'created_at'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export function listTakenIdentities(db: Db, accountId: number) {
  return db
    .selectFrom('external_identity')
    .select(['issuer', 'subject', 'created_at'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .execute()
}

/** Reports that the user made about others' photos. */
export function listTakenReports(db: Db, accountId: number) {
  return db
    .selectFrom('report')
    .select(['image_id', 'at', 'reason', 'note', 'closed_at'])
    .where('reporter_id', '=', accountId)
    .orderBy('at')
    .execute()
}

const idsOfTurn = 2_000

/** In upload order; in pages, since an account may have a hundred thousand. */
export async function listImageIds(db: Db, accountId: number): Promise<number[]> {
  const ids: number[] = []
  let after = { postedAt: Number.MIN_SAFE_INTEGER, id: 0 } // photos of other servers may be older than 1970
  for (;;) {
    const rows = await db
      .selectFrom('image')
      .select(['id', 'posted_at as postedAt'])
      .where('submitter_id', '=', accountId)
      .where('posted_at', '>=', after.postedAt)
      .where(({ eb, or }) => or([eb('posted_at', '>', after.postedAt), eb('id', '>', after.id)]))
      .orderBy('posted_at')
      .orderBy('id')
      .limit(idsOfTurn)
      .execute()
    ids.push(...rows.map(({ id }) => id))
    const last = rows.at(-1)
    if (last === undefined || rows.length < idsOfTurn) return ids
    after = last
    await yieldTurn()
  }
}

/** Those that still exist, in any order. */
export function listTakenImages(db: Db, accountId: number, ids: readonly number[]) {
  return selectImages(db)
    .select(['image.latitude', 'image.longitude', 'image.deleted_at as deletedAt'])
    .where('image.submitter_id', '=', accountId)
    .where('image.id', 'in', ids)
    .execute()
}

export type TakenImage = Awaited<ReturnType<typeof listTakenImages>>[number]

/** Oldest first. */
export function listTakenMoves(db: Db, ids: readonly number[]) {
  return db
    .selectFrom('image_history')
    .innerJoin('account', 'account.id', 'image_history.actor_id')
    .select([
      'image_history.image_id',
      'image_history.at',
      'image_history.actor_id',
      'account.display_name',
      'image_history.from_state',
      'image_history.to_state',
      'image_history.reason',
      'image_history.note',
    ])
    .where('image_history.image_id', 'in', ids)
    .orderBy('image_history.position')
    .execute()
}

export type TakenMove = Awaited<ReturnType<typeof listTakenMoves>>[number]

/** Oldest first. */
export async function listRouteIds(db: Db, accountId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('route')
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Those that still exist, in any order. */
export function listTakenRoutes(db: Db, accountId: number, ids: readonly number[]) {
  return db
    .selectFrom('route')
    .select([
      'id',
      'name',
      'description',
      'length',
      'miles',
      'gpx_bytes',
      'visibility',
      'shares',
      'created_at',
      'updated_at',
    ])
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .execute()
}

/** As stored, possibly compressed. */
export async function findTakenGpx(
  db: Db,
  accountId: number,
  routeId: number,
): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('route_gpx')
    .innerJoin('route', 'route.id', 'route_gpx.route_id')
    .select('route_gpx.gpx')
    .where('route_gpx.route_id', '=', routeId)
    .where('route.account_id', '=', accountId)
    .executeTakeFirst()
  return row?.gpx
}
