// SQL of the set of images, newest first. Whatever is asked for, no query of it walks more than some thousand rows:
//
//   an index has it all, in order ───→ one query
//   a box with few images in it ─────→ these few, found by their cells
//   a reviewer of some trails ───────→ the newest of each, put together
//   anything else ───────────────────→ the fitting index, some thousand rows at a time, with a turn for others between
import { sql, type RawBuilder } from 'kysely'
import { cellRangesOf, type CellRange } from '../../shared/geo/cells.ts'
import { yieldTurn } from '../../shared/yielding.ts'
import type { Box } from '../../shared/geo/measures.ts'
import type { Db } from '../../database/database.ts'
import { padded } from '../../database/prepared-rows.ts'
import type { ImageState } from '../../database/schema.ts'
import {
  isTakenOn,
  isWithin,
  selectImages,
  type Image,
  type ImageCursor,
  type ImageFilters,
} from '../image-table.ts'

/** Rows of an index, of the first step and of any. */
const walkedAtFirst = 500
const walkedAtOnce = 1_500
/** A box with at most this many in its cells is read completely; otherwise walking finds the newest sooner. */
const maxInBox = 1_000
const rangesOfBox = 16
/** A reviewer of more trails sees so much that walking all images soon fills a page. */
const maxTrails = 100
const trailsOfTurn = 5
/** An account with at most this many images is walked itself, even if a trail is requested too. */
const fewImages = 1_000

const presentStates: readonly ImageState[] = ['pending', 'approved', 'rejected', 'removed']

type Column = 'image.state' | 'image.trail_id' | 'image.submitter_id'

const is = (column: Column, value: string | number): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(column)} = ${value}`

/** Written so that no index is used: SQLite, which has no statistics here, would otherwise walk a longer one. */
const happensToBe = (column: Column, value: string | number): RawBuilder<boolean> =>
  column === 'image.state'
    ? sql<boolean>`${sql.ref(column)} || '' = ${value}`
    : sql<boolean>`${sql.ref(column)} + 0 = ${value}`

/** The index that is walked: of all images, an account's, or a trail's; each in order. */
type Walk = 'posted' | 'submitter' | 'trail'

/** By times, and by what the index covers. */
function alongWalk({ submitterId, trailId, state, since, after }: ImageFilters, walk: Walk) {
  const conditions: RawBuilder<boolean>[] = []
  if (walk === 'submitter') conditions.push(is('image.submitter_id', submitterId ?? 0))
  if (walk === 'trail') conditions.push(is('image.trail_id', trailId ?? 0))
  else if (state !== undefined) conditions.push(is('image.state', state))
  if (since !== undefined) conditions.push(sql<boolean>`image.posted_at >= ${since}`)
  if (after !== undefined) conditions.push(isBefore(after))
  return conditions
}

function isBefore({ postedAt, id }: ImageCursor): RawBuilder<boolean> {
  // The first condition says nothing new: it is what lets an index begin at the cursor and not at the newest image.
  return sql<boolean>`image.posted_at <= ${postedAt} and (image.posted_at < ${postedAt} or image.id < ${id})`
}

const isNotBefore = ({ postedAt, id }: ImageCursor): RawBuilder<boolean> =>
  sql<boolean>`image.posted_at >= ${postedAt} and (image.posted_at > ${postedAt} or image.id >= ${id})`

/** All other filters, applied per row. */
function besides({ submitterId, trailId, state, within, taken, reach }: ImageFilters, walk: Walk | 'box') {
  const conditions: RawBuilder<boolean>[] = []
  if (submitterId !== undefined && walk !== 'submitter')
    conditions.push(happensToBe('image.submitter_id', submitterId))
  if (trailId !== undefined && walk !== 'trail') conditions.push(happensToBe('image.trail_id', trailId))
  if (state !== undefined && (walk === 'trail' || walk === 'box'))
    conditions.push(happensToBe('image.state', state))
  if (state === undefined) conditions.push(sql<boolean>`image.state != ${'deleted'}`)
  if (within !== undefined) conditions.push(isWithin(within))
  if (taken !== undefined) conditions.push(isTakenOn(taken))
  if (reach !== undefined)
    conditions.push(
      sql<boolean>`(image.trail_id + 0 in (${sql.join([...reach.trails, -1])}) or image.submitter_id + 0 = ${reach.submitterId})`,
    )
  return conditions
}

const all = (conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> =>
  sql.join<boolean>([...conditions], sql` and `)

/** The image this many rows further on; undefined if the walk ends before. Read from an index alone. */
function rowAlong(db: Db, filters: ImageFilters, walk: Walk, rows: number): Promise<ImageCursor | undefined> {
  const conditions = alongWalk(filters, walk)
  return db
    .selectFrom('image')
    .select(['image.posted_at as postedAt', 'image.id'])
    .$if(conditions.length > 0, (query) => query.where(all(conditions)))
    .orderBy('image.posted_at', 'desc')
    .orderBy('image.id', 'desc')
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst()
}

function listAlong(
  db: Db,
  filters: ImageFilters,
  walk: Walk,
  { limit, downTo }: { readonly limit: number; readonly downTo?: ImageCursor | undefined },
): Promise<Image[]> {
  return selectImages(db)
    .where(
      all([...alongWalk(filters, walk), ...besides(filters, walk), ...(downTo ? [isNotBefore(downTo)] : [])]),
    )
    .orderBy('image.posted_at', 'desc')
    .orderBy('image.id', 'desc')
    .limit(limit)
    .execute()
}

async function listInSteps(db: Db, filters: ImageFilters, walk: Walk, limit: number): Promise<Image[]> {
  const found: Image[] = []
  let after = filters.after
  for (let rows = walkedAtFirst; ; rows = walkedAtOnce) {
    const here = { ...filters, after }
    const downTo = await rowAlong(db, here, walk, rows)
    found.push(...(await listAlong(db, here, walk, { limit: limit - found.length, downTo })))
    if (downTo === undefined || found.length === limit) return found
    after = downTo
    await yieldTurn()
  }
}

/** If both an account and a trail are requested, the one with fewer images, or at least few. */
async function walkFor(db: Db, filters: ImageFilters): Promise<Walk> {
  const { submitterId, trailId } = filters
  if (submitterId === undefined) return trailId === undefined ? 'posted' : 'trail'
  if (trailId === undefined) return 'submitter'
  return (await rowAlong(db, filters, 'submitter', fewImages)) === undefined ? 'submitter' : 'trail'
}

/** Images that may be in the box: of these states, in cells that it touches. */
function inCells(db: Db, ranges: readonly CellRange[], states: readonly ImageState[]) {
  // The same number of values for every box, so that there are few query texts.
  const values = Array.from({ length: rangesOfBox }, (_none, index) => ranges[index] ?? { first: 1, last: 0 })
  const rows = values.map(({ first, last }) => sql`(cast(${first} as bigint), cast(${last} as bigint))`)
  const part = sql<{ column1: number; column2: number }>`(values ${sql.join(rows)})`.as('part')
  return (
    db
      // SQLite keeps the order of a cross join: each range, and within it the order of the index.
      .selectFrom(part)
      .crossJoin('image')
      .where('image.state', 'in', states)
      .whereRef('image.cell', '>=', 'part.column1')
      .whereRef('image.cell', '<=', 'part.column2')
  )
}

/** Undefined if there are too many in the cells of the box. */
async function listInBox(
  db: Db,
  filters: ImageFilters & { readonly within: Box },
  limit: number,
): Promise<Image[] | undefined> {
  const { within, state, since, after } = filters
  const ranges = cellRangesOf(within, rangesOfBox)
  const near = await inCells(db, ranges, state === undefined ? presentStates : [state])
    .select('image.id')
    .limit(maxInBox + 1)
    .execute()
  if (near.length > maxInBox) return undefined
  if (near.length === 0) return []
  // Listed by id: PostgreSQL cannot know how few images are in the ranges, and would read all images to find them.
  return selectImages(db)
    .where('image.id', 'in', padded(near.map(({ id }) => id)))
    .where(all(besides(filters, 'box')))
    .$if(since !== undefined, (query) => query.where(sql<boolean>`image.posted_at >= ${since}`))
    .$if(after !== undefined, (query) => (after ? query.where(isBefore(after)) : query))
    .orderBy('image.posted_at', 'desc')
    .orderBy('image.id', 'desc')
    .limit(limit)
    .execute()
}

const newestFirst = (one: Image, other: Image): number => other.postedAt - one.postedAt || other.id - one.id

interface NewestOfTrail {
  readonly id: number
  /** From its newest image after the cursor, in any state; null if it has none. */
  readonly postedAt: number | null
}

/** The trails, that with the newest image first. */
async function inOrder(
  db: Db,
  trails: readonly number[],
  after: ImageCursor | undefined,
): Promise<NewestOfTrail[]> {
  const rows = await db
    .selectFrom('trail')
    .select(({ selectFrom }) => [
      'trail.id',
      selectFrom('image')
        .select('image.posted_at')
        .whereRef('image.trail_id', '=', 'trail.id')
        .$if(after !== undefined, (query) => query.where('image.posted_at', '<=', after?.postedAt ?? 0))
        .orderBy('image.posted_at', 'desc')
        .limit(1)
        .as('postedAt'),
    ])
    .where('trail.id', 'in', [...trails])
    .execute()
  const timeOf = ({ postedAt }: NewestOfTrail): number => postedAt ?? Number.MIN_SAFE_INTEGER
  return rows.toSorted((one, other) => timeOf(other) - timeOf(one))
}

/**
 * The newest of each trail and of the account's own, merged; trails that begin after the end of the page so far are
 * skipped.
 */
async function listOfReach(db: Db, filters: ImageFilters, limit: number): Promise<Image[]> {
  const { reach, submitterId, trailId, ...rest } = filters
  if (reach === undefined) return []
  const own = { ...rest, submitterId: reach.submitterId }
  if (trailId !== undefined) {
    if (reach.trails.has(trailId)) return listWithoutReach(db, { ...rest, submitterId, trailId }, limit)
    const isOwn = submitterId === undefined || submitterId === reach.submitterId
    return isOwn ? listWithoutReach(db, { ...own, trailId }, limit) : []
  }
  if (submitterId === reach.submitterId) return listWithoutReach(db, own, limit)
  let page = submitterId === undefined ? await listWithoutReach(db, own, limit) : []
  const trails = await inOrder(db, [...reach.trails], rest.after)
  for (const [index, { id: trail, postedAt }] of trails.entries()) {
    const last = page.length === limit ? page.at(-1) : undefined
    if (postedAt === null || (last && postedAt < last.postedAt)) break
    const since = last ? Math.max(last.postedAt, rest.since ?? last.postedAt) : rest.since
    const known = new Set(page.map(({ id }) => id))
    const more = await listWithoutReach(db, { ...rest, submitterId, trailId: trail, since }, limit)
    page = [...page, ...more.filter(({ id }) => !known.has(id))].toSorted(newestFirst).slice(0, limit)
    if (index % trailsOfTurn === trailsOfTurn - 1) await yieldTurn()
  }
  return page
}

async function listWithoutReach(db: Db, filters: ImageFilters, limit: number): Promise<Image[]> {
  const { submitterId, trailId, state, within, taken, reach } = filters
  const walk = await walkFor(db, filters)
  const isAllAlong = walk !== 'trail' || (submitterId === undefined && state === undefined)
  const isSimple =
    within === undefined &&
    taken === undefined &&
    reach === undefined &&
    (trailId === undefined || walk === 'trail')
  return isAllAlong && isSimple
    ? listAlong(db, filters, walk, { limit })
    : listInSteps(db, filters, walk, limit)
}

/** Images that are not deleted, newest first. */
export async function listImages(db: Db, filters: ImageFilters, limit: number): Promise<Image[]> {
  const { within, reach } = filters
  const boxed = within && (await listInBox(db, { ...filters, within }, limit))
  if (boxed !== undefined) return boxed
  const isSplit = reach !== undefined && reach.trails.size <= maxTrails
  return isSplit ? listOfReach(db, filters, limit) : listWithoutReach(db, filters, limit)
}
