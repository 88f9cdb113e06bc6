// The outbox read in order, with what tells who may hear of each event. Feed, stream and webhooks all read it here.
import { mayHear as mayHearOf, type Actor, type HeardImage } from '../auth/guard.ts'
import type { Db } from '../database/database.ts'
import { eventKinds, kindOfEvent } from '../shared/event-types.ts'

/** One event as it was stored, and whom it concerns. */
export interface FeedEvent {
  readonly position: number
  readonly type: string
  /** Milliseconds since 1970 UTC. */
  readonly at: number
  /** JSON text, told as it is. */
  readonly data: string
  /** Of an event of a route: whose it is. */
  readonly accountId: number | null
  /** Of an event of an image. */
  readonly imageId: number | null
  readonly image: HeardImage | undefined
}

/**
 * The events after a position, in order and without gaps: positions are given out under a lock that is held until the
 * commit, so whatever is read here, nothing before it can still come.
 * @param limit of rows looked at, whoever may hear of them.
 */
export async function readEventsAfter(db: Db, after: number, limit: number): Promise<FeedEvent[]> {
  const rows = await db
    .selectFrom('outbox')
    .leftJoin('image', 'image.id', 'outbox.image_id')
    .select([
      'outbox.position',
      'outbox.type',
      'outbox.at',
      'outbox.data',
      'outbox.account_id as accountId',
      'outbox.image_id as imageId',
      'outbox.trail_id as trailId',
      'outbox.submitter_id as submitterId',
      'outbox.from_state as from',
      'image.state as now',
    ])
    .where('outbox.position', '>', after)
    .orderBy('outbox.position')
    .limit(limit)
    .execute()
  return rows.map(({ position, type, at, data, accountId, imageId, trailId, submitterId, from, now }) => {
    const image = trailId === null || submitterId === null ? undefined : { trailId, submitterId, from, now }
    return { position, type, at, data, accountId, imageId, image }
  })
}

/** May the actor be told of it? */
export function mayHear(actor: Actor, event: FeedEvent): boolean {
  const kind = kindOfEvent(event.type)
  return kind !== undefined && mayHearOf(actor, eventKinds[kind], event)
}
