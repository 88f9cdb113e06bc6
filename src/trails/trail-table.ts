// SQL of the tables trail and trail_line.
import type { Box } from '../shared/geo/measures.ts'
import type { Db, Tx } from '../database/database.ts'
import { contains, fold, meets } from '../database/matching.ts'
import { gramsIn } from '../database/trail-grams.ts'
import { selectFound, type TrailFilters } from './trail-search-table.ts'

export type { TrailCursor, TrailFilters } from './trail-search-table.ts'

export interface Trail {
  readonly id: number
  readonly name: string
  readonly slug: string
}

/** Metres. */
export interface Heights {
  /** Both null if no part of the line has two elevations. */
  readonly ascent: number | null
  readonly descent: number | null
  readonly highest: number
  readonly lowest: number
}

/** The stored line of a trail. */
export interface TrailLine {
  /** A GeoJSON LineString or MultiLineString. */
  readonly text: string
  readonly box: Box
  readonly miles: number
  readonly heights: Heights | undefined
}

/** The columns to write; an undefined line or description stays unchanged, and null removes the line. */
export interface WrittenTrail extends Trail {
  readonly line?: TrailLine | null | undefined
  readonly description?: string | undefined
}

/** A trail on the v2 surface, without its line. */
export interface TrailSummary extends Trail {
  /** Its position in the order of the list. */
  readonly sortKey: string
  readonly box: Box | undefined
  readonly miles: number | null
  readonly ascent: number | null
  readonly descent: number | null
  readonly highest: number | null
  readonly lowest: number | null
  /** Number of images in its public list. */
  readonly images: number
  /** The newest of them; null if there is none. */
  readonly cover: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

export interface TrailDetails extends TrailSummary {
  readonly description: string
  /** GeoJSON text; null without a line. */
  readonly geometry: string | null
}

export function findTrail(db: Db, id: number): Promise<Trail | undefined> {
  return db.selectFrom('trail').select(['id', 'name', 'slug']).where('id', '=', id).executeTakeFirst()
}

const keyCharacters = 40

/** Columns derived from the texts of a trail; migration 0007 did the same for existing trails. */
function textColumns({ name, slug }: Trail) {
  const start = Array.from(fold(name.trim())).slice(0, keyCharacters).join('')
  return { name, slug, search: fold(`${name}\n${slug}`), sort_key: start }
}

function lineColumns(line: TrailLine | null | undefined) {
  if (line === undefined) return {}
  if (line === null) return { west: null, south: null, east: null, north: null, miles: null }
  return { ...line.box, miles: line.miles }
}

const deleteLines = (db: Db, trailIds: readonly number[]) =>
  db.deleteFrom('trail_line').where('trail_id', 'in', trailIds).execute()

async function writeLines(db: Db, trails: readonly WrittenTrail[]): Promise<void> {
  const erased = trails.filter(({ line }) => line === null).map(({ id }) => id)
  if (erased.length > 0) await deleteLines(db, erased)
  const rows = trails.flatMap(({ id, line }) => (line ? [{ trail_id: id, geometry: line.text }] : []))
  if (rows.length === 0) return
  await db
    .insertInto('trail_line')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('trail_id').doUpdateSet(({ ref }) => ({ geometry: ref('excluded.geometry') })),
    )
    .execute()
}

/** After the lines, because changing them deletes the old elevations (migration 0022). */
async function writeHeights(db: Db, trails: readonly WrittenTrail[]): Promise<void> {
  for (const { id, line } of trails)
    if (line?.heights)
      await db
        .updateTable('trail')
        .set(({ ref }) => ({ ...line.heights, climb_version: ref('line_version') }))
        .where('id', '=', id)
        .execute()
}

/**
 * Adds or updates trails with distinct IDs; their images' lists change with them. Either all of them have a line
 * (possibly null) or none does; the same for descriptions.
 */
export async function upsertTrails(db: Db, trails: readonly WrittenTrail[], at: number): Promise<void> {
  const hasLines = trails[0]?.line !== undefined
  const hasDescriptions = trails[0]?.description !== undefined
  await db
    .insertInto('trail')
    .values(
      trails.map((trail) => ({
        id: trail.id,
        version: 1,
        created_at: at,
        updated_at: at,
        ...textColumns(trail),
        ...lineColumns(trail.line),
        ...(hasDescriptions && { description: trail.description ?? '' }),
      })),
    )
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ eb, ref }) => ({
        name: ref('excluded.name'),
        slug: ref('excluded.slug'),
        search: ref('excluded.search'),
        sort_key: ref('excluded.sort_key'),
        updated_at: at,
        version: eb('trail.version', '+', 1),
        ...(hasLines && {
          west: ref('excluded.west'),
          south: ref('excluded.south'),
          east: ref('excluded.east'),
          north: ref('excluded.north'),
          miles: ref('excluded.miles'),
        }),
        ...(hasDescriptions && { description: ref('excluded.description') }),
      })),
    )
    .execute()
  if (!hasLines) return
  await writeLines(db, trails)
  await writeHeights(db, trails)
}

function selectSummaries(db: Db) {
  return db
    .selectFrom('trail')
    .select([
      'trail.id',
      'trail.name',
      'trail.slug',
      'trail.sort_key as sortKey',
      'trail.west',
      'trail.south',
      'trail.east',
      'trail.north',
      'trail.miles',
      'trail.ascent',
      'trail.descent',
      'trail.highest',
      'trail.lowest',
      'trail.created_at as createdAt',
      'trail.updated_at as updatedAt',
    ])
    .select(({ selectFrom }) =>
      selectFrom('image')
        .whereRef('image.trail_id', '=', 'trail.id')
        .where('image.state', '=', 'approved')
        .select(({ fn }) => fn.countAll().as('count'))
        .as('images'),
    )
    .select(({ selectFrom }) =>
      selectFrom('image')
        .whereRef('image.trail_id', '=', 'trail.id')
        .where('image.state', '=', 'approved')
        .orderBy('image.seq', 'desc')
        .limit(1)
        .select('image.id')
        .as('cover'),
    )
}

type BoxColumns = { [Side in keyof Box]: number | null }

function summaryOf<Row extends BoxColumns & { readonly images: unknown }>(row: Row) {
  const { west, south, east, north, images, ...rest } = row
  const hasBox = west !== null && south !== null && east !== null && north !== null
  return { ...rest, images: Number(images), box: hasBox ? { west, south, east, north } : undefined }
}

export async function listTrails(db: Db, filters: TrailFilters, limit: number): Promise<TrailSummary[]> {
  const { words, slug, within, after } = filters
  const grams = slug === undefined && words !== undefined ? gramsIn(words) : []
  const rows = await selectSummaries(db)
    .$if(grams.length > 0, (query) => query.where('trail.id', 'in', selectFound(grams, filters, limit)))
    .$if(words !== undefined, (query) => query.where(contains('trail.search', words ?? '')))
    .$if(slug !== undefined, (query) => query.where('trail.slug', '=', slug ?? ''))
    .$if(within !== undefined, (query) => (within ? query.where(meets('trail', within)) : query))
    .$if(after !== undefined, (query) =>
      // The first condition is redundant: it lets the index start at the cursor.
      query
        .where('trail.sort_key', '>=', after?.sortKey ?? '')
        .where(({ eb, or }) =>
          or([eb('trail.sort_key', '>', after?.sortKey ?? ''), eb('trail.id', '>', after?.id ?? 0)]),
        ),
    )
    .orderBy('trail.sort_key')
    .orderBy('trail.id')
    .limit(limit)
    .execute()
  return rows.map(summaryOf)
}

export async function findTrailDetails(db: Db, id: number): Promise<TrailDetails | undefined> {
  const row = await selectSummaries(db)
    .leftJoin('trail_line', 'trail_line.trail_id', 'trail.id')
    .select(['trail.description', 'trail_line.geometry'])
    .where('trail.id', '=', id)
    .executeTakeFirst()
  return row && summaryOf(row)
}

/** The trails with these IDs, and those with these slugs. */
export async function listNamed(db: Db, ids: readonly number[], slugs: readonly string[]): Promise<Trail[]> {
  const trails = db.selectFrom('trail').select(['id', 'name', 'slug'])
  const byId = ids.length === 0 ? [] : await trails.where('id', 'in', ids).execute()
  const bySlug = slugs.length === 0 ? [] : await trails.where('slug', 'in', slugs).execute()
  return [...byId, ...bySlug]
}

/** The lines of these trails, as GeoJSON text. */
export async function listLines(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('trail_line')
    .select(['trail_id as id', 'geometry'])
    .where('trail_id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, geometry }) => [id, geometry]))
}

/** The descriptions of these trails; '' if there is none. */
export async function listDescriptions(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('trail').select(['id', 'description']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, description }) => [id, description]))
}

/** In order of their IDs, starting after this one. */
export function listAfter(db: Db, afterId: number, limit: number): Promise<Trail[]> {
  return db
    .selectFrom('trail')
    .select(['id', 'name', 'slug'])
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Locks the trail until the transaction ends. Returns false if there is no such trail. */
export async function lockTrail(tx: Tx, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('trail')
    .set((expression) => ({ version: expression('version', '+', 1) }))
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
