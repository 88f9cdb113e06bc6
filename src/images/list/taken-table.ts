// SQL of the listed images of a trail by the day on which they were taken: pages in that order, and how many each month has.
import { sql } from 'kysely'
import type { Db } from '../../database/database.ts'
import { isTakenOn, isWithin, type Listed, type ListedFilters } from '../image-table.ts'

/** A position in this order: by day, then by upload. Photos without a day come last; their day is null. */
export interface TakenCursor {
  readonly day: string | null
  readonly seq: number
}

export interface ListedByDay extends Listed {
  readonly day: string | null
}

export interface ByDayFilters extends Omit<ListedFilters, 'afterSeq'> {
  readonly after: TakenCursor | undefined
}

export interface TakenMonth {
  /** Such as 2026-05. */
  readonly month: string
  readonly images: number
}

const listed = (db: Db, trailId: number) =>
  db.selectFrom('image').where('image.trail_id', '=', trailId).where('image.state', '=', 'approved')

function filtered(db: Db, trailId: number, { since, within, taken }: ByDayFilters) {
  return listed(db, trailId)
    .select(['image.id', 'image.seq', 'image.taken_on as day'])
    .$if(since !== undefined, (some) => some.where('image.posted_at', '>=', since ?? 0))
    .$if(within !== undefined, (some) => (within ? some.where(isWithin(within)) : some))
    .$if(taken !== undefined, (some) => (taken ? some.where(isTakenOn(taken)) : some))
}

function listWithDay(
  db: Db,
  trailId: number,
  filters: ByDayFilters,
  limit: number,
): Promise<readonly ListedByDay[]> {
  const { day, seq } = filters.after ?? { day: '', seq: 0 }
  const from = day ?? ''
  return (
    filtered(db, trailId, filters)
      // The first condition says nothing new but at the beginning: it is what lets an index begin at the cursor.
      .where('image.taken_on', '>=', from)
      .where(sql<boolean>`(image.taken_on > ${from} or image.seq > ${seq})`)
      .orderBy('image.taken_on')
      .orderBy('image.seq')
      .limit(limit)
      .execute()
  )
}

function listWithoutDay(
  db: Db,
  trailId: number,
  filters: ByDayFilters,
  limit: number,
): Promise<readonly ListedByDay[]> {
  const afterSeq = filters.after?.day === null ? filters.after.seq : 0
  return filtered(db, trailId, filters)
    .where('image.taken_on', 'is', null)
    .where('image.seq', '>', afterSeq)
    .orderBy('image.seq')
    .limit(limit)
    .execute()
}

/** For those who may know the day of every image (auth/guard.ts, daysSearchableBy). */
export async function listListedByDay(
  db: Db,
  trailId: number,
  filters: ByDayFilters,
  limit: number,
): Promise<readonly ListedByDay[]> {
  const isPastDays = filters.after?.day === null
  const dated = isPastDays ? [] : await listWithDay(db, trailId, filters, limit)
  if (dated.length === limit || filters.taken !== undefined) return dated
  return [...dated, ...(await listWithoutDay(db, trailId, filters, limit - dated.length))]
}

/** The oldest first; no month without images. */
export async function listTakenMonths(db: Db, trailId: number): Promise<readonly TakenMonth[]> {
  const month = sql<string>`substr(image.taken_on, 1, 7)`
  const rows = await listed(db, trailId)
    .where('image.taken_on', 'is not', null)
    .select([month.as('month'), ({ fn }) => fn.countAll<number | string>().as('images')])
    .groupBy(month)
    .orderBy(month)
    .execute()
  return rows.map(({ month: name, images }) => ({ month: name, images: Number(images) }))
}
