// SQL of the listed images of a trail in order along its line.
import { sql } from 'kysely'
import type { Db } from '../../database/database.ts'
import { isTakenOn, isWithin, type Listed, type ListedFilters } from '../image-table.ts'

/** A position in this order: by miles, then by upload. Photos off the line come last; their miles are null. */
export interface AlongCursor {
  readonly miles: number | null
  readonly seq: number
}

export interface ListedAlong extends Listed {
  readonly miles: number | null
}

export interface AlongFilters extends Omit<ListedFilters, 'afterSeq'> {
  readonly after: AlongCursor | undefined
}

function filtered(db: Db, trailId: number, { since, within, taken }: AlongFilters) {
  return db
    .selectFrom('image')
    .select(['image.id', 'image.seq', 'image.miles_along as miles'])
    .where('image.trail_id', '=', trailId)
    .where('image.state', '=', 'approved')
    .$if(since !== undefined, (some) => some.where('image.posted_at', '>=', since ?? 0))
    .$if(within !== undefined, (some) => (within ? some.where(isWithin(within)) : some))
    .$if(taken !== undefined, (some) => (taken ? some.where(isTakenOn(taken)) : some))
}

function listOnLine(db: Db, trailId: number, filters: AlongFilters, limit: number): Promise<ListedAlong[]> {
  const { miles, seq } = filters.after ?? { miles: 0, seq: 0 }
  const from = miles ?? 0
  return (
    filtered(db, trailId, filters)
      // The first condition says nothing new but at the beginning: it is what lets an index begin at the cursor.
      .where('image.miles_along', '>=', from)
      .where(sql<boolean>`(image.miles_along > ${from} or image.seq > ${seq})`)
      .orderBy('image.miles_along')
      .orderBy('image.seq')
      .limit(limit)
      .execute()
  )
}

function listOffLine(db: Db, trailId: number, filters: AlongFilters, limit: number): Promise<ListedAlong[]> {
  const afterSeq = filters.after?.miles === null ? filters.after.seq : 0
  return filtered(db, trailId, filters)
    .where('image.miles_along', 'is', null)
    .where('image.seq', '>', afterSeq)
    .orderBy('image.seq')
    .limit(limit)
    .execute()
}

export async function listListedAlong(
  db: Db,
  trailId: number,
  filters: AlongFilters,
  limit: number,
): Promise<readonly ListedAlong[]> {
  const isPastLine = filters.after?.miles === null
  const onLine = isPastLine ? [] : await listOnLine(db, trailId, filters, limit)
  if (onLine.length === limit) return onLine
  return [...onLine, ...(await listOffLine(db, trailId, filters, limit - onLine.length))]
}

export interface PlacedAlong {
  readonly imageID: number
  readonly milesAlong: number
  readonly title: string
}

/** Photos on the line, in its order. If there are more than `max`, an even selection of about that many, always the same. */
export async function listPlacesAlong(db: Db, trailId: number, max: number): Promise<PlacedAlong[]> {
  const onLine = db
    .selectFrom('image')
    .where('image.trail_id', '=', trailId)
    .where('image.state', '=', 'approved')
    .where('image.miles_along', '>=', 0)
  const { count } = await onLine
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  const every = Math.ceil(Number(count) / max)
  const selected = () => {
    // By rank, since `seq` has gaps that repeat: photos that are uploaded, titled and approved in turn have every third.
    const rank = sql<number>`row_number() over (order by image.miles_along, image.seq)`.as('rank')
    return db
      .selectFrom(onLine.select(['image.id', rank]).as('ranked'))
      .select('ranked.id')
      .where(sql<boolean>`(ranked.rank - 1) % ${sql.lit(every)} = 0`)
  }
  return onLine
    .$if(every > 1, (some) => some.where('image.id', 'in', selected()))
    .select(['image.id as imageID', 'image.miles_along as milesAlong', 'image.title'])
    .orderBy('image.miles_along')
    .orderBy('image.seq')
    .$narrowType<{ milesAlong: number }>()
    .execute()
}
