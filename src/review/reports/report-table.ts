// SQL of the table report: what visitors report of listed photos, and what closes it.
import { sql } from 'kysely'
import type { Db, Tx } from '../../database/database.ts'
import { padded, type AskRows } from '../../database/prepared-rows.ts'
import { requeue } from '../../events/queue.ts'

export interface NewReport {
  readonly id: number
  readonly imageId: number
  readonly at: number
  /** Null if nobody was signed in. */
  readonly reporterId: number | null
  readonly reason: string
  readonly note: string
}

/** The number of open reports of a listed image. */
export async function holdListed(tx: Tx, imageId: number): Promise<number | undefined> {
  // The update is what locks the row: of two reports at once the second counts the first.
  const row = await tx
    .updateTable('image')
    .set(({ ref }) => ({ open_reports: ref('open_reports') }))
    .where('id', '=', imageId)
    .where('state', '=', 'approved')
    .returning('open_reports as open')
    .executeTakeFirst()
  return row?.open
}

/** The report of this account that is still open. */
export async function findOpenReportOf(
  db: Db,
  imageId: number,
  reporterId: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('report')
    .select('id')
    .where('image_id', '=', imageId)
    .where('closed_at', 'is', null)
    .where(sql<boolean>`reporter_id + 0 = ${reporterId}`) // in a form that no index serves: an image has fewer than a person
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** Stores an open report, counts it at its image, and puts the image into the queue. */
export async function insertReport(tx: Tx, report: NewReport): Promise<void> {
  const { id, imageId, at, reporterId, reason, note } = report
  await tx
    .insertInto('report')
    .values({
      id,
      image_id: imageId,
      at,
      reporter_id: reporterId,
      reason,
      note,
      closed_at: null,
      closed_by: null,
    })
    .execute()
  await tx
    .updateTable('image')
    .set(({ eb }) => ({ open_reports: eb('open_reports', '+', 1) }))
    .where('id', '=', imageId)
    .execute()
  await requeue(tx, imageId, at)
}

/**
 * Closes the open reports of the image, as a decision on it does, and removes it from the queue unless it waits for
 * another reason. Call it in the transaction of the decision.
 * @returns how many were open.
 */
export async function closeReports(
  tx: Tx,
  imageId: number,
  { by, at }: { readonly by: number; readonly at: number },
): Promise<number> {
  // The image first: its row is what a concurrent report waits for.
  const { numUpdatedRows: reported } = await tx
    .updateTable('image')
    .set({ open_reports: 0 })
    .where('id', '=', imageId)
    .where('open_reports', '>', 0)
    .executeTakeFirst()
  if (reported === 0n) return 0
  const { numUpdatedRows } = await tx
    .updateTable('report')
    .set({ closed_at: at, closed_by: by })
    .where('image_id', '=', imageId)
    .where('closed_at', 'is', null)
    .executeTakeFirst()
  await requeue(tx, imageId, at)
  return Number(numUpdatedRows)
}

export interface Report {
  readonly id: number
  readonly at: number
  readonly reason: string
  readonly note: string
  readonly reporterId: number | null
  readonly reporterName: string | null
  readonly closedAt: number | null
  readonly closerId: number | null
  readonly closerName: string | null
}

/** A place in the order of `listReports`. */
export interface ReportCursor {
  readonly at: number
  readonly id: number
}

/** Open and closed ones, oldest first. */
export function listReports(
  db: Db,
  imageId: number,
  { after, limit }: { readonly after: ReportCursor | undefined; readonly limit: number },
): Promise<Report[]> {
  return db
    .selectFrom('report')
    .leftJoin('account as reporter', 'reporter.id', 'report.reporter_id')
    .leftJoin('account as closer', 'closer.id', 'report.closed_by')
    .select([
      'report.id',
      'report.at',
      'report.reason',
      'report.note',
      'report.reporter_id as reporterId',
      'reporter.display_name as reporterName',
      'report.closed_at as closedAt',
      'report.closed_by as closerId',
      'closer.display_name as closerName',
    ])
    .where('report.image_id', '=', imageId)
    .$if(after !== undefined, (query) =>
      query
        .where('report.at', '>=', after?.at ?? 0)
        .where(({ eb, or }) =>
          or([eb('report.at', '>', after?.at ?? 0), eb('report.id', '>', after?.id ?? 0)]),
        ),
    )
    .orderBy('report.at')
    .orderBy('report.id')
    .limit(limit)
    .execute()
}

/** An open report as the queue shows it. */
export interface OpenReport {
  readonly imageId: number
  readonly id: number
  readonly at: number
  readonly reason: string
  readonly note: string
}

const selectOpenReports = (db: Db, imageIds: readonly number[], ofEach: number) =>
  db
    .selectFrom(
      db
        .selectFrom('report')
        .select([
          'image_id as imageId',
          'id',
          'at',
          'reason',
          'note',
          sql<number>`row_number() over (partition by image_id order by at, id)`.as('place'),
        ])
        .where('image_id', 'in', [...imageIds])
        .where('closed_at', 'is', null)
        .as('open'),
    )
    .select(['open.imageId', 'open.id', 'open.at', 'open.reason', 'open.note'])
    .where('open.place', '<=', ofEach)
    .orderBy('open.imageId')
    .orderBy('open.place')

/** The oldest open reports of each of the images. @param askRows caches the query for the next page. */
export function listOpenReports(
  db: Db,
  askRows: AskRows,
  imageIds: readonly number[],
  ofEach: number,
): Promise<OpenReport[]> {
  const ids = padded(imageIds)
  return askRows({
    shape: `reports ${ids.length}`,
    values: [ofEach, ...ids],
    build: (slot) =>
      selectOpenReports(
        db,
        ids.map((_none, at) => slot(1 + at)),
        slot(0),
      ),
  })
}
