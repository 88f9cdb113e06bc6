// SQL of a page of the review queue: each image with everything that is shown, and its stored flags.
import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { padded, type AskRows } from '../database/prepared-rows.ts'
import type { PositionSource, TakenZone } from '../shared/taken.ts'
import type { ImageState } from '../database/schema.ts'
import { maxNear } from '../events/near-pairs-table.ts'
import { selectPage, type QueueFilters, type QueuePage } from './queue-table.ts'

/** Ids that a flag names at most. */
export const maxIds = 10

export interface QueuedImage {
  readonly id: number
  readonly queuedAt: number
  readonly trailId: number
  readonly trailName: string
  readonly submitterId: number
  readonly displayName: string
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
  readonly acceptedTitle: string | null
  readonly acceptedCaption: string | null
  readonly licence: string | null
  readonly termsVersion: string | null
  /** Milliseconds since 1970 UTC, and the minutes that the clock there was ahead of it. */
  readonly takenAt: number | null
  readonly takenOffset: number | null
  readonly takenZone: TakenZone | null
  readonly positionSource: PositionSource | null
  readonly positionAccuracy: number | null
  readonly direction: number | null
  readonly altitude: number | null
  readonly milesAlong: number | null
  readonly latitude: number | null
  readonly longitude: number | null
  readonly openReports: number
  readonly claimerId: number | null
  readonly claimerName: string | null
  readonly claimedUntil: number | null
  /** Null if no hash was computed. */
  readonly dhash: string | null
  /** Of its hash: see events/near-pairs-table.ts. */
  readonly paired: number | null
  /** True (1 in SQLite) if an older node has added a photo to the trail. */
  readonly hasUnpaired: number | boolean
  /** For each near photo its id, the number of differing bits, and its state, nearest first: `81 2 approved,…`. */
  readonly near: string | null
  /** For each other image with the same bytes its id and trail, those that the reviewer may see first: `81 3,…`. */
  readonly twins: string | null
  /** Null if the trail has no line. */
  readonly lineOf: number | null
  /** The version and position for which the distance was measured; null if it was not. */
  readonly measuredOf: number | null
  /** Also null if the line has no vertex. */
  readonly metres: number | null
}

/** Whether a distance is of the present place and line. */
const isOfPresent = sql<boolean>`image_distance.latitude = image.latitude
  and image_distance.longitude = image.longitude and image_distance.updated_at = trail.updated_at
  and ${sql.join(
    ['miles', 'west', 'south', 'east', 'north'].map(
      (name) => sql`${sql.ref(`image_distance.${name}`)} is not distinct from ${sql.ref(`trail.${name}`)}`,
    ),
    sql` and `,
  )}`

/** Most have none, which is known without starting an aggregate. */
const nearOnes = sql<string | null>`case when exists (
  select 1 from near_pair as any_pair where any_pair.image_id = image.id
) then (select string_agg(
    cast(near.other_id as text) || ' ' || cast(near.bits as text) || ' ' || other.state, ','
    order by near.bits, near.other_id)
  from (select near_pair.other_id, near_pair.bits from near_pair where near_pair.image_id = image.id
    order by near_pair.bits, near_pair.other_id limit ${sql.lit(maxNear)}) as near
  inner join image as other on other.id = near.other_id) end`

/** Those on the reviewer's trails come first, if they are limited to some. */
function twinsOf(trails: ReadonlySet<number> | undefined) {
  const isFar =
    trails === undefined
      ? sql`0`
      : sql`case when twin.trail_id in (${sql.join([...trails, -1])}) then 0 else 1 end`
  return sql<string | null>`case when exists (
      select 1 from image as any_twin where any_twin.sha256 = image.sha256 and any_twin.id != image.id
    ) then (select string_agg(
      cast(twins.id as text) || ' ' || cast(twins.trail_id as text), ',' order by twins.is_far, twins.id)
    from (select twin.id, twin.trail_id, ${isFar} as is_far from image as twin
      where twin.sha256 = image.sha256 and twin.id != image.id and twin.state != 'deleted'
      order by 3, 1 limit ${sql.lit(maxIds)}) as twins) end`
}

function buildQueue(db: Db, filters: QueueFilters, page: QueuePage) {
  return db
    .selectFrom(selectPage(db, filters, page).as('page'))
    .innerJoin('image', 'image.id', 'page.id')
    .innerJoin('trail', 'trail.id', 'image.trail_id')
    .innerJoin('account', 'account.id', 'image.submitter_id')
    .leftJoin('image_hash', 'image_hash.image_id', 'image.id')
    .leftJoin('image_distance', (join) =>
      join.onRef('image_distance.image_id', '=', 'image.id').on(isOfPresent),
    )
    .leftJoin('trail_line', 'trail_line.trail_id', 'image.trail_id')
    .leftJoin('claim', (join) =>
      join.onRef('claim.image_id', '=', 'image.id').on('claim.expires_at', '>', page.now),
    )
    .leftJoin('account as claimer', 'claimer.id', 'claim.account_id')
    .select([
      'image.id',
      sql<number>`image.queued_at`.as('queuedAt'),
      'image.trail_id as trailId',
      'trail.name as trailName',
      'image.submitter_id as submitterId',
      'account.display_name as displayName',
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
      'image.latitude',
      'image.longitude',
      'image.open_reports as openReports',
      'claim.account_id as claimerId',
      'claimer.display_name as claimerName',
      'claim.expires_at as claimedUntil',
      'image_hash.dhash',
      'image_hash.paired',
      sql<number | boolean>`exists (select 1 from image_hash as brought
        where brought.trail_id = image.trail_id and brought.paired is null)`.as('hasUnpaired'),
      nearOnes.as('near'),
      twinsOf(filters.trails).as('twins'),
      'trail_line.trail_id as lineOf',
      'image_distance.image_id as measuredOf',
      'image_distance.metres',
    ])
}

/** Oldest first. @param askRows caches the query for the next page. */
export async function listQueue(
  db: Db,
  askRows: AskRows,
  filters: QueueFilters,
  page: QueuePage,
): Promise<QueuedImage[]> {
  const { kind, claimed, trailId, submitterId, after } = filters
  const trails = filters.trails && padded([...filters.trails])
  const has = {
    trail: trailId !== undefined,
    submitter: submitterId !== undefined,
    after: after !== undefined,
  }
  const rows = await askRows<QueuedImage>({
    shape: `${kind} ${claimed} ${trails?.length} ${has.trail} ${has.submitter} ${has.after}`,
    values: [
      page.viewer,
      page.now,
      page.limit,
      trailId ?? 0,
      submitterId ?? 0,
      after?.queuedAt ?? 0,
      after?.id ?? 0,
      ...(trails ?? []),
    ],
    build: (slot) =>
      buildQueue(
        db,
        {
          kind,
          claimed,
          trails: trails && new Set<number>(trails.map((_none, at) => slot(7 + at))),
          trailId: has.trail ? slot(3) : undefined,
          submitterId: has.submitter ? slot(4) : undefined,
          after: has.after ? { queuedAt: slot(5), id: slot(6) } : undefined,
        },
        { viewer: slot(0), now: slot(1), limit: slot(2) },
      ),
  })
  // Sorted here and not by the database, which would first copy each long row into a sorter.
  return rows.toSorted((one, other) => one.queuedAt - other.queuedAt || one.id - other.id)
}
