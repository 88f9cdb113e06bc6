// SQL of the export of a site: every table that it writes, page by page, in the order of ids.
import type { Db } from '../database/database.ts'
import { selectImages } from '../images/image-table.ts'

/** Rows that are read at once. */
const pageLength = 200

/** All rows of a query, which is asked for those after an id. */
async function* everyRow<Row>(
  read: (after: number) => Promise<readonly Row[]>,
  idOf: (row: Row) => number,
): AsyncGenerator<Row, void> {
  for (let after = 0; ;) {
    const rows = await read(after)
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < pageLength) return
    after = idOf(last)
  }
}

const listImages = (db: Db, isPublic: boolean, after: number) =>
  selectImages(db)
    .select(['image.latitude', 'image.longitude', 'image.deleted_at as deletedAt'])
    .where('image.id', '>', after)
    .$if(isPublic, (query) => query.where('image.state', '=', 'approved'))
    .orderBy('image.id')
    .limit(pageLength)
    .execute()

export type ExportedImage = Awaited<ReturnType<typeof listImages>>[number]

/** @param isPublic leaves out those that no list shows. */
export const everyImage = (db: Db, isPublic: boolean): AsyncGenerator<ExportedImage, void> =>
  everyRow(
    (after) => listImages(db, isPublic, after),
    ({ id }) => id,
  )

export async function countImages(db: Db, isPublic: boolean): Promise<number> {
  const { count } = await db
    .selectFrom('image')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .$if(isPublic, (query) => query.where('state', '=', 'approved'))
    .executeTakeFirstOrThrow()
  return count
}

const listRouteIds = (db: Db, isPublic: boolean, after: number) =>
  db
    .selectFrom('route')
    .innerJoin('account', 'account.id', 'route.account_id')
    .select(['route.id', 'account.display_name as displayName'])
    .where('route.id', '>', after)
    .$if(isPublic, (query) =>
      query.where('route.visibility', '=', 'public').where('account.suspended_at', 'is', null),
    )
    .orderBy('route.id')
    .limit(pageLength)
    .execute()

/** @param isPublic leaves out those that are not in the list of public routes. */
export const everyRoute = (db: Db, isPublic: boolean) =>
  everyRow(
    (after) => listRouteIds(db, isPublic, after),
    ({ id }) => id,
  )

const listAccounts = (db: Db, after: number) =>
  db
    .selectFrom('account')
    .select([
      'id',
      'display_name as displayName',
      'email',
      'email_verified_at as emailVerifiedAt',
      'role',
      'created_at as createdAt',
      'suspended_at as suspendedAt',
      'trusted_at as trustedAt',
      'deleted_at as deletedAt',
      'mails',
      'language',
    ])
    .where('id', '>', after)
    .orderBy('id')
    .limit(pageLength)
    .execute()

export type ExportedAccount = Awaited<ReturnType<typeof listAccounts>>[number]

export const everyAccount = (db: Db) =>
  everyRow(
    (after) => listAccounts(db, after),
    ({ id }) => id,
  )

export const everyEvent = (db: Db) =>
  everyRow(
    (after) =>
      db
        .selectFrom('outbox')
        .selectAll()
        .where('position', '>', after)
        .orderBy('position')
        .limit(pageLength)
        .execute(),
    ({ position }) => position,
  )

export const everyMove = (db: Db) =>
  everyRow(
    (after) =>
      db
        .selectFrom('image_history')
        .selectAll()
        .where('position', '>', after)
        .orderBy('position')
        .limit(pageLength)
        .execute(),
    ({ position }) => position,
  )

export const everyAuditEntry = (db: Db) =>
  everyRow(
    (after) =>
      db
        .selectFrom('audit')
        .selectAll()
        .where('position', '>', after)
        .orderBy('position')
        .limit(pageLength)
        .execute(),
    ({ position }) => position,
  )

export const everyReport = (db: Db) =>
  everyRow(
    (after) =>
      db.selectFrom('report').selectAll().where('id', '>', after).orderBy('id').limit(pageLength).execute(),
    ({ id }) => id,
  )

export const everyZone = (db: Db) =>
  everyRow(
    (after) =>
      db.selectFrom('zone').selectAll().where('id', '>', after).orderBy('id').limit(pageLength).execute(),
    ({ id }) => id,
  )
