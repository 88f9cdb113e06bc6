// SQL of the review queue: which images wait, in the order in which they were added, and how many there are.
import { sql, type SelectQueryBuilder } from 'kysely'
import type { Db } from '../database/database.ts'
import type { ImageState, Schema } from '../database/schema.ts'
import { countImages } from '../events/outbox.ts'

/** Why an image waits. An edited one may be reported too. */
export const waitingKinds = ['pending', 'edited', 'reported'] as const
export type WaitingKind = (typeof waitingKinds)[number]

/** A position in the queue: oldest first, then by id. It does not change while the image waits. */
export interface QueueCursor {
  readonly queuedAt: number
  readonly id: number
}

/** Who has claimed an image: the reviewer, another, or nobody. */
export type Claimed = 'mine' | 'others' | 'none'

export interface QueueFilters {
  /** The trails that the reviewer is limited to; undefined if there is no limit. */
  readonly trails: ReadonlySet<number> | undefined
  readonly kind?: WaitingKind | undefined
  readonly trailId?: number | undefined
  readonly submitterId?: number | undefined
  readonly claimed?: Claimed | undefined
  readonly after?: QueueCursor | undefined
}

type ImageQuery<Selected> = SelectQueryBuilder<Schema, 'image', Selected>

/** Written so that no index on the state is used: SQLite would walk all listed images to find the few that wait. */
const stateIs = (state: ImageState) => sql<boolean>`image.state || '' = ${state}`

/** Exactly the words of the partial indexes, and not parameters, so that the database can use them. */
const isEdited = sql<boolean>`image.accepted_title is not null`
const isReported = sql<boolean>`image.open_reports > 0`

function ofKind<Selected>(query: ImageQuery<Selected>, kind: WaitingKind | undefined): ImageQuery<Selected> {
  if (kind === undefined) return query
  if (kind === 'pending') return query.where(stateIs('pending'))
  return query.where(kind === 'edited' ? isEdited : isReported).where(stateIs('approved'))
}

function within<Selected>(
  query: ImageQuery<Selected>,
  trails: ReadonlySet<number> | undefined,
): ImageQuery<Selected> {
  return trails === undefined ? query : query.where('image.trail_id', 'in', [...trails])
}

const waiting = (db: Db, trails: ReadonlySet<number> | undefined) =>
  within(db.selectFrom('image').where('image.queued_at', 'is not', null), trails)

/** Those in the reviewer's hands, or in another's: found from the claims, of which there are few, and not from the queue. */
function held(db: Db, { trails, claimed }: QueueFilters, { viewer, now }: QueuePage) {
  const claims = db
    .selectFrom('claim')
    .select('claim.image_id')
    .where('claim.expires_at', '>', now)
    .where('claim.account_id', claimed === 'mine' ? '=' : '!=', viewer)
  const isOnTrails = sql<boolean>`image.trail_id + 0 in (${sql.join([...(trails ?? []), -1])})`
  return db
    .selectFrom('image')
    .where('image.id', 'in', claims)
    .where(sql<boolean>`image.queued_at + 0 is not null`) // in a form that no index serves, as the trails
    .$if(trails !== undefined, (query) => query.where(isOnTrails))
}

/** The ids of a page: selects only what its filters need, so that an index usually covers it. */
export function selectPage(db: Db, filters: QueueFilters, page: QueuePage) {
  const { trails, kind, trailId, submitterId, claimed, after } = filters
  const isHeld = claimed === 'mine' || claimed === 'others'
  return ofKind(isHeld ? held(db, filters, page) : waiting(db, trails), kind)
    .select('image.id')
    .$if(trailId !== undefined, (query) => query.where('image.trail_id', '=', trailId ?? 0))
    .$if(submitterId !== undefined, (query) => query.where('image.submitter_id', '=', submitterId ?? 0))
    .$if(claimed === 'none', (query) =>
      query.where(({ exists, not, selectFrom }) => {
        const claims = selectFrom('claim').select('claim.image_id')
        return not(
          exists(claims.whereRef('claim.image_id', '=', 'image.id').where('claim.expires_at', '>', page.now)),
        )
      }),
    )
    .$if(after !== undefined, (query) =>
      // The first condition says nothing new: it is what lets an index begin at the cursor.
      query
        .where('image.queued_at', '>=', after?.queuedAt ?? 0)
        .where(({ eb, or }) =>
          or([eb('image.queued_at', '>', after?.queuedAt ?? 0), eb('image.id', '>', after?.id ?? 0)]),
        ),
    )
    .orderBy('image.queued_at')
    .orderBy('image.id')
    .limit(page.limit)
}

export interface QueuePage {
  /** Whose claims are `mine`. */
  readonly viewer: number
  readonly now: number
  readonly limit: number
}

export interface Waiting {
  readonly pending: number
  readonly edited: number
  readonly reported: number
  /** Since when the oldest has been waiting, in milliseconds since 1970 UTC; null if none is. */
  readonly oldest: number | null
}

async function count(query: ImageQuery<object>): Promise<number> {
  const { images } = await query
    .select(({ fn }) => fn.countAll<number | string>().as('images'))
    .executeTakeFirstOrThrow()
  return Number(images)
}

const countPending = (db: Db, trails: ReadonlySet<number>): Promise<number> =>
  count(within(db.selectFrom('image').where('image.state', '=', 'pending'), trails))

/** How many wait on these trails, or on all, now. An image may be both edited and reported. */
export async function countWaiting(db: Db, trails?: ReadonlySet<number>): Promise<Waiting> {
  const pending = trails === undefined ? (await countImages(db)).pending : await countPending(db, trails)
  const edited = await count(ofKind(waiting(db, trails), 'edited'))
  const reported = await count(ofKind(waiting(db, trails), 'reported'))
  const oldest = await waiting(db, trails)
    .select(({ fn }) => fn.min<number | string | null>('image.queued_at').as('at'))
    .executeTakeFirstOrThrow()
  return {
    pending,
    edited,
    reported,
    oldest: oldest.at === null ? null : Number(oldest.at),
  }
}
