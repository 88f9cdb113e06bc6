// SQL of the table image: one function per question.
import { sql, type Insertable, type RawBuilder } from 'kysely'
import type { daysSearchableBy, GuardedImage } from '../auth/guard.ts'
import { cellOf } from '../shared/geo/cells.ts'
import type { Box } from '../shared/geo/measures.ts'
import type { Db, Tx } from '../database/database.ts'
import { createHotQuery } from '../database/hot-query.ts'
import { later } from '../database/together.ts'
import { createPreparedRows, preparedInsert } from '../database/prepared-rows.ts'
import type { ImageState, ImageTable } from '../database/schema.ts'
import type { StoredCapture } from './capture/capture-fields.ts'

/** An image with what its answers show of trail and submitter, always the current names (contract C19). */
export interface Image extends StoredCapture {
  readonly id: number
  readonly trailId: number
  readonly trailName: string
  readonly trailSlug: string
  readonly submitterId: number
  readonly displayName: string
  readonly email: string
  readonly state: ImageState
  readonly title: string
  readonly caption: string
  readonly lat: string
  readonly lon: string
  readonly mimeType: string
  readonly sha256: string
  readonly bytes: number
  readonly width: number
  readonly height: number
  readonly postedAt: number
  readonly updatedAt: number
  /** The texts that review accepted, while the present ones differ from them; both null otherwise (contract C22). */
  readonly acceptedTitle: string | null
  readonly acceptedCaption: string | null
  /** The version in force at upload; null if there was none. */
  readonly licence: string | null
  readonly termsVersion: string | null
  /** Along the line of the trail; null if far from it. */
  readonly milesAlong: number | null
}

/** For table files alone: of images, and of the export of one's own data. */
export function selectImages(db: Db) {
  return db
    .selectFrom('image')
    .innerJoin('trail', 'trail.id', 'image.trail_id')
    .innerJoin('account', 'account.id', 'image.submitter_id')
    .select([
      'image.id',
      'image.trail_id as trailId',
      'trail.name as trailName',
      'trail.slug as trailSlug',
      'image.submitter_id as submitterId',
      'account.display_name as displayName',
      'account.email',
      'image.state',
      'image.title',
      'image.caption',
      'image.lat',
      'image.lon',
      'image.mime_type as mimeType',
      'image.sha256',
      'image.bytes',
      'image.width',
      'image.height',
      'image.posted_at as postedAt',
      'image.updated_at as updatedAt',
      'image.accepted_title as acceptedTitle',
      'image.accepted_caption as acceptedCaption',
      'image.licence',
      'image.terms_version as termsVersion',
      'image.taken_at as takenAt',
      'image.taken_offset as takenOffset',
      'image.taken_zone as takenZone',
      'image.position_source as positionSource',
      'image.position_accuracy as positionAccuracy',
      'image.direction',
      'image.altitude',
      'image.miles_along as milesAlong',
    ])
}

export function findImage(db: Db, id: number): Promise<Image | undefined> {
  return selectImages(db).where('image.id', '=', id).executeTakeFirst()
}

/** The images that exist, in any order; without those in the trash. */
export function listImagesOf(db: Db, ids: readonly number[]): Promise<Image[]> {
  return selectImages(db)
    .where('image.id', 'in', [...ids])
    .where('image.state', '!=', 'deleted')
    .execute()
}

/** The images of a trail that its list shows, in order of upload. */
export function listListed(db: Db, trailId: number): Promise<Image[]> {
  return selectImages(db)
    .where('image.trail_id', '=', trailId)
    .where('image.state', '=', 'approved')
    .orderBy('image.seq')
    .execute()
}

/** Days such as 2026-05-14, both inclusive, and the images for which the filter is allowed (auth/guard.ts). */
export interface TakenDays {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly of: ReturnType<typeof daysSearchableBy>
}

export interface ListedFilters {
  /** Posted at this time or later. */
  readonly since?: number | undefined
  readonly within?: Box | undefined
  readonly taken?: TakenDays | undefined
  /** The `seq` of the last image of the page before. */
  readonly afterSeq?: number | undefined
}

export interface Listed {
  readonly id: number
  readonly seq: number
}

/** @returns what gives a page of the images that the list of a trail shows, in order of upload. */
export function createListedPage(db: Db) {
  const ask = createPreparedRows(db)
  return (trailId: number, filters: ListedFilters, limit: number): Promise<Listed[]> => {
    const { since, within, taken, afterSeq } = filters
    const shape = `${since === undefined} ${afterSeq === undefined}`
    const query = (slot: (place: number) => never) =>
      db
        .selectFrom('image')
        .select(['image.id', 'image.seq'])
        .where('image.trail_id', '=', slot(0))
        .where('image.state', '=', 'approved')
        .$if(since !== undefined, (some) => some.where('image.posted_at', '>=', slot(2)))
        .$if(within !== undefined, (some) => (within ? some.where(isWithin(within)) : some))
        .$if(taken !== undefined, (some) => (taken ? some.where(isTakenOn(taken)) : some))
        .$if(afterSeq !== undefined, (some) => some.where('image.seq', '>', slot(3)))
        .orderBy('image.seq')
        .limit(slot(1))
    // The values of a box and of days are part of the query text, and there are too many to cache a statement for each.
    if (within !== undefined || taken !== undefined)
      return query((place) => [trailId, limit, since, afterSeq][place] as never).execute()
    return ask<Listed>({ shape, values: [trailId, limit, since ?? 0, afterSeq ?? 0], build: query })
  }
}

/** A place in the order of `listImages`: newest first, equal moments by id. */
export interface ImageCursor {
  readonly postedAt: number
  readonly id: number
}

export interface ImageFilters {
  readonly submitterId?: number | undefined
  readonly trailId?: number | undefined
  readonly state?: ImageState | undefined
  /** Posted at this time or later. */
  readonly since?: number | undefined
  readonly within?: Box | undefined
  readonly taken?: TakenDays | undefined
  readonly after?: ImageCursor | undefined
  /** Only images on these trails, and the account's own: what a reviewer sees who is limited to some trails. */
  readonly reach?: { readonly trails: ReadonlySet<number>; readonly submitterId: number } | undefined
}

/** A box that crosses the antimeridian has its west greater than its east (RFC 7946, section 5.2). */
export function isWithin({ west, south, east, north }: Box): RawBuilder<boolean> {
  const inLongitude =
    west <= east
      ? sql<boolean>`image.longitude >= ${west} and image.longitude <= ${east}`
      : sql<boolean>`(image.longitude >= ${west} or image.longitude <= ${east})`
  return sql<boolean>`(image.latitude >= ${south} and image.latitude <= ${north} and ${inLongitude})`
}

/** Whether an image was taken on one of the days, as far as the viewer may know. */
export function isTakenOn({ from, to, of }: TakenDays): RawBuilder<boolean> {
  if (of === 'none') return sql<boolean>`1 = 0`
  const conditions = [
    // Redundant if there is a first or last day.
    sql`image.taken_on is not null`,
    ...(from === undefined ? [] : [sql`image.taken_on >= ${from}`]),
    ...(to === undefined ? [] : [sql`image.taken_on <= ${to}`]),
    ...(of === 'all' ? [] : [sql`image.submitter_id = ${of.submitterId}`]),
  ]
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`
}

export async function isImageIdFree(db: Db, id: number): Promise<boolean> {
  const { rows } = await sql`select 1 from image where id = ${id}`.execute(db)
  return rows.length === 0
}

/** Its id is free. Counts its bytes for its account. */
export async function insertImage(tx: Tx, image: Insertable<ImageTable>): Promise<void> {
  await later(tx, preparedInsert(tx, 'image', image))
  await countBytes(tx, image.submitter_id, image.bytes)
}

/** Updates the account's counts, in the transaction that adds or purges an image. */
export async function countBytes(tx: Tx, accountId: number, more: number): Promise<void> {
  const counting = sql`update account set image_bytes = image_bytes + ${more} where id = ${accountId}`
  await later(tx, counting.compile(tx))
}

function placed(position: { readonly lat: string; readonly lon: string }) {
  const latitude = Number(position.lat)
  const longitude = Number(position.lon)
  return { ...position, latitude, longitude, cell: cellOf(latitude, longitude) }
}

/** The forms in which a position is stored: as sent, as numbers, and as a place on the map. */
export function positionColumns(position: { readonly lat: string; readonly lon: string } | null | undefined) {
  return position === undefined || position === null
    ? { lat: '0', lon: '0', latitude: null, longitude: null, cell: null }
    : placed(position)
}

/** What serving the bytes of an image needs to know of it. */
export interface ImageFile {
  readonly id: number
  readonly state: ImageState
  readonly submitterId: number
  readonly trailId: number
  readonly sha256: string
  readonly mimeType: string
}

const selectFile = (db: Db) =>
  db
    .selectFrom('image')
    .select([
      'id',
      'state',
      'submitter_id as submitterId',
      'trail_id as trailId',
      'sha256',
      'mime_type as mimeType',
    ])

/** What the guard needs to know about an image, synchronously if possible. */
export const createGuardedQuery = (db: Db) =>
  createHotQuery<GuardedImage, 'id'>(db, (parameter) =>
    db
      .selectFrom('image')
      .select(['state', 'submitter_id as submitterId', 'trail_id as trailId'])
      .where('id', '=', parameter('id')),
  )

/** `findImage`, built and compiled once. */
export const createImageQuery = (db: Db) =>
  createHotQuery<Image, 'id'>(db, (parameter) => selectImages(db).where('image.id', '=', parameter('id')))

/** What a view of an image needs. */
export const createFileQuery = (db: Db) =>
  createHotQuery<ImageFile, 'id'>(db, (parameter) => selectFile(db).where('id', '=', parameter('id')))
