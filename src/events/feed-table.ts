// Reads the outbox in order, with what decides who may receive each event; used by feed, stream and webhooks.
import { sql } from 'kysely'
import { mayReceive as mayReceiveOf, type Actor, type Concerned } from '../auth/guard.ts'
import type { Db } from '../database/database.ts'
import { eventKinds, kindOfEvent, kindsOfEvents } from '../shared/event-types.ts'

/** One event as stored, and whom it concerns. */
export interface FeedEvent extends Concerned {
  readonly position: number
  readonly type: string
  /** Milliseconds since 1970 UTC. */
  readonly at: number
  /** JSON text, delivered unchanged. */
  readonly data: string
  /** For events of images. */
  readonly imageId: number | null
}

/**
 * The events after a position, in order and without gaps: positions are assigned under a lock that is held until the
 * commit, so nothing can still appear before what is read here.
 * @param limit of rows examined, visible to the caller or not.
 */
export async function readEventsAfter(db: Db, after: number, limit: number): Promise<FeedEvent[]> {
  const { rows } = await sql<FeedEvent>`select outbox.position, outbox.type, outbox.at, outbox.data,
      outbox.account_id as "accountId", outbox.image_id as "imageId", outbox.trail_id as "trailId",
      outbox.submitter_id as "submitterId", outbox.from_state as "from", image.state as "now"
    from outbox left join image on image.id = outbox.image_id
    where outbox.position > ${after} order by outbox.position limit ${limit}`.execute(db)
  return rows
}

/** Which events may the actor receive? */
export function mayReceive(actor: Actor): (event: FeedEvent) => boolean {
  const byKind = new Map(kindsOfEvents.map((kind) => [kind, mayReceiveOf(actor, eventKinds[kind])]))
  return (event) => {
    const kind = kindOfEvent(event.type)
    return kind !== undefined && byKind.get(kind)?.(event) === true
  }
}
