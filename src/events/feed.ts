// The events of one actor: in order, without gaps, with access checked at delivery; and their JSON.
import { setImmediate as turn } from 'node:timers/promises'
import type { Actor } from '../auth/guard.ts'
import { eventTypes } from '../shared/event-types.ts'
import { writeTimestamp } from '../shared/v2/timestamps.ts'
import type { Db } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import { mayReceive, readEventsAfter, type FeedEvent } from './feed-table.ts'
import { newestPosition } from './outbox.ts'
import { readFloor } from './outbox-floor.ts'

/**
 * Rows read in one query, and rows examined in one request, visible to the caller or not. The first query reads only the
 * page and one row more, which tells whether there is a next page: most callers can see most events.
 */
const rowsAtOnce = 500
const maxRows = 5_000

export interface FeedQuery {
  /** The last position seen; 0 for the beginning. */
  readonly after: number
  readonly limit: number
  /** Undefined for all. */
  readonly types: ReadonlySet<string> | undefined
}

export interface FeedPage {
  readonly events: readonly FeedEvent[]
  /** Up to here, the actor may see no other events than those returned. */
  readonly position: number
  /** Whether there are events after `position`. */
  readonly isMore: boolean
}

/** Was it requested, and may the actor receive it? */
export function isReceivedBy(
  actor: Actor,
  { types }: Pick<FeedQuery, 'types'>,
): (event: FeedEvent) => boolean {
  const isAllowed = mayReceive(actor)
  return (event) => (types === undefined || types.has(event.type)) && isAllowed(event)
}

/** @throws refusal `events-gone` if events after the position were deleted. */
export async function requireKept(db: Db, position: number): Promise<void> {
  const floor = await readFloor(db)
  if (position >= floor) return
  throw refuse('events-gone', {
    detail: inEach(({ limits }) => limits.eventsGone(position, floor + 1)),
    members: { oldestPosition: floor + 1, newestPosition: await newestPosition(db) },
  })
}

/** Events read after a position start with the next position, unless some were deleted. @throws refusal `events-gone`. */
async function requireGapless(db: Db, position: number, [first]: readonly FeedEvent[]): Promise<void> {
  if (first !== undefined && first.position > position + 1) await requireKept(db, position)
}

/**
 * The next events that the actor may see, among those that one request examines.
 * @throws refusal `events-gone`.
 */
export async function readFeed(db: Db, actor: Actor, query: FeedQuery): Promise<FeedPage> {
  const isReceived = isReceivedBy(actor, query)
  const events: FeedEvent[] = []
  let position = query.after
  let atOnce = query.limit + 1
  for (let left = maxRows; left > 0; left -= atOnce) {
    atOnce = Math.min(left === maxRows ? atOnce : rowsAtOnce, left)
    const rows = await readEventsAfter(db, position, atOnce)
    await requireGapless(db, position, rows)
    for (const event of rows) {
      if (events.length === query.limit) return { events, position, isMore: true }
      position = event.position
      if (isReceived(event)) events.push(event)
    }
    if (rows.length < atOnce) return { events, position, isMore: false }
    await turn() // others first
  }
  return { events, position, isMore: true }
}

/** One event as JSON text, the same in feed and stream. Its data is stored in this form. */
export const writeEvent = ({ position, type, at, data }: FeedEvent): string =>
  `{"position":${position},"type":${JSON.stringify(type)},"at":"${writeTimestamp(at)}","data":${data}}`

/** Parses a position. @returns undefined if it is not one. */
export function parsePosition(text: string): number | undefined {
  const position = Number(text)
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(position) ? position : undefined
}

/**
 * A position beyond the newest event belongs to another feed, such as one from before a restore: positions are assigned
 * again after it, so continuing from there would skip events.
 * @throws refusal `invalid-query`.
 */
export async function requireReached(db: Db, position: number): Promise<void> {
  const newest = await newestPosition(db)
  if (position <= newest) return
  throw refuse('invalid-query', {
    detail: `Position ${position} is ahead of the newest event (${newest}); start again from 0.`,
  })
}

/** The parameter types, such as `image.approved,image.removed`. @throws refusal `invalid-query`. */
export function readTypes(text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined) return undefined
  const words = text.split(',')
  const known: readonly string[] = eventTypes
  if (words.every((word) => known.includes(word))) return new Set(words)
  throw refuse('invalid-query', {
    detail: `The parameter types must be a comma-separated list of ${eventTypes.join(', ')}.`,
  })
}
