// SQL for the cached lists of trails (cached-lists.ts), and for the two logs that report changes.
import type { Db } from '../../database/database.ts'
import { createHotQuery } from '../../database/hot-query.ts'

/** What the images of a list have in common. */
export interface ListedTrail {
  readonly trailId: number
  readonly name: string
  readonly slug: string
}

/** Identifies the current version of a list. */
export interface ListKey extends ListedTrail {
  /** Grows with every change of the trail's images and of its name. */
  readonly version: number
  /** Distinguishes a trail from a deleted one with the same id. */
  readonly createdAt: number
  /** Position of the audit log: no name or address changes without an entry there. Null before the first. */
  readonly people: number | null
}

/** @param keep see `createHotQuery`. */
export const createListKeyQuery = (db: Db, keep: number) =>
  createHotQuery<ListKey, 'trailId'>(
    db,
    (parameter) =>
      db
        .selectFrom('trail')
        .select(({ selectFrom }) => [
          'id as trailId',
          'version',
          'name',
          'slug',
          'created_at as createdAt',
          selectFrom('counter').select('value').where('counter.name', '=', 'audit').as('people'),
        ])
        .where('id', '=', parameter('trailId')),
    { keep },
  )

/** A listed image, without what all of the list have in common. */
export interface ListedRow {
  readonly id: number
  readonly seq: number
  readonly submitterId: number
  readonly displayName: string
  readonly email: string
  readonly title: string
  readonly caption: string
  readonly lat: string
  readonly lon: string
  readonly mimeType: string
  readonly postedAt: number
}

const selectListed = (db: Db, trailId: number) =>
  db
    .selectFrom('image')
    .innerJoin('account', 'account.id', 'image.submitter_id')
    .select([
      'image.id',
      'image.seq',
      'image.submitter_id as submitterId',
      'account.display_name as displayName',
      'account.email',
      'image.title',
      'image.caption',
      'image.lat',
      'image.lon',
      'image.mime_type as mimeType',
      'image.posted_at as postedAt',
    ])
    .where('image.trail_id', '=', trailId)
    .where('image.state', '=', 'approved')

/** A page of the list, in its order. */
export function listRowsAfter(
  db: Db,
  trailId: number,
  afterSeq: number,
  limit: number,
): Promise<ListedRow[]> {
  return selectListed(db, trailId)
    .where('image.seq', '>', afterSeq)
    .orderBy('image.seq')
    .limit(limit)
    .execute()
}

/** Those of the images that are listed on the trail, in any order. */
export function listRowsAmong(db: Db, trailId: number, ids: readonly number[]): Promise<ListedRow[]> {
  return selectListed(db, trailId).where('image.id', 'in', ids).execute()
}

export interface Person {
  readonly id: number
  readonly displayName: string
  readonly email: string
}

export function listPeople(db: Db, ids: readonly number[]): Promise<Person[]> {
  return db
    .selectFrom('account')
    .select(['id', 'display_name as displayName', 'email'])
    .where('id', 'in', ids)
    .execute()
}

/** The ends of the logs: of changes to images (the outbox), and of changes to accounts (the audit log). */
export interface LogEnds {
  readonly images: number
  readonly people: number
}

export async function findLogEnds(db: Db): Promise<LogEnds> {
  const rows = await db
    .selectFrom('counter')
    .select(['name', 'value'])
    .where('name', 'in', ['outbox', 'audit'])
    .execute()
  const valueOf = (name: string): number => rows.find((row) => row.name === name)?.value ?? 0
  return { images: valueOf('outbox'), people: valueOf('audit') }
}

export interface LoggedImage {
  readonly position: number
  /** Both null if the event is not about an image. */
  readonly imageId: number | null
  readonly trailId: number | null
}

export function listImagesLogged(db: Db, after: number, limit: number): Promise<LoggedImage[]> {
  return db
    .selectFrom('outbox')
    .select(['position', 'image_id as imageId', 'trail_id as trailId'])
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .execute()
}

export interface LoggedPerson {
  readonly position: number
  /** Null if it concerns no account. */
  readonly accountId: number | null
}

export function listPeopleLogged(db: Db, after: number, limit: number): Promise<LoggedPerson[]> {
  return db
    .selectFrom('audit')
    .select(['position', 'account_id as accountId'])
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .execute()
}
