// The transactional outbox: an event is stored in the same transaction as its change.
// Statements that every change needs are written as text: kysely took several times as long to build them.
import { sql } from 'kysely'
import type { Tag } from '../commits.ts'
import { touch } from '../database/written.ts'
import type { Db, Tx } from '../database/database.ts'
import { leave, type LeftEvent, type LeftMove } from '../database/left.ts'
import type { EventTypeOf } from '../shared/event-types.ts'
import { imageStates } from '../shared/image-states.ts'
import { chainDigest, chainStart } from '../database/history-chain.ts'
import { requireWritable } from '../database/read-only.ts'
import type { ImageState } from '../database/schema.ts'
import { refuse } from '../errors.ts'
import { toldSquareOf } from '../shared/geo/cells.ts'
import type { WaymarkEvent } from './events.ts'
import { requeue } from './queue.ts'

/** The counter of positions. */
const outbox = 'outbox'

/**
 * Takes the next positions of the feed. The counter's row stays locked until the transaction ends, so positions have no
 * gaps and follow the order of commits on every database; a sequence or auto-increment promises neither.
 * @returns the last of them.
 */
export async function takePositions(tx: Tx, count: number): Promise<number> {
  await requireWritable(tx) // every change passes here, and so none can slip through while the switch is thrown
  const { rows } = await sql<{ value: number }>`insert into counter (name, value) values (${outbox}, ${count})
    on conflict (name) do update set value = counter.value + ${count} returning value`.execute(tx)
  const [counter] = rows
  if (counter === undefined) throw new Error('The counter of the outbox returned no row.')
  return counter.value
}

const ofNoImage = { imageId: null, trailId: null, submitterId: null, from: null, to: null }

/**
 * The map squares that the event touches, since the map shows approved photos: the current square of the photo. Its
 * previous square, if the transaction moves it, is reported by the statement that moves it (database/written.ts). The
 * counter's row is already locked, so nobody else can move the photo.
 */
async function squareTags(tx: Tx, imageId: number, states: readonly (ImageState | null)[]): Promise<Tag[]> {
  if (!states.includes('approved')) return []
  const { rows } = await sql<{ cell: number | null }>`select cell from image where id = ${imageId}`.execute(
    tx,
  )
  const [row] = rows
  if (row === undefined) return ['squares']
  return row.cell === null ? [] : [`square:${toldSquareOf(row.cell)}`]
}

async function tagsOf(tx: Tx, event: WaymarkEvent): Promise<Tag[]> {
  if (!('imageId' in event)) return [`routes-of:${event.accountId}`, 'routes']
  const { imageId, trailId, from, to } = event
  return [`image:${imageId}`, `trail:${trailId}`, 'photos', ...(await squareTags(tx, imageId, [from, to]))]
}

/** A row of the outbox without its position. */
function rowOf(event: WaymarkEvent): LeftEvent {
  const { type, at, data } = event
  const accountId = 'accountId' in event ? event.accountId : null
  const { imageId, trailId, submitterId, from, to } = 'imageId' in event ? event : ofNoImage
  return { type, at, data: JSON.stringify(data), accountId, imageId, trailId, submitterId, from, to }
}

/** @returns whether the event, and the move that it reports, is left to the sequencer. */
async function leaveEvent(tx: Tx, event: WaymarkEvent, move?: LeftMove): Promise<boolean> {
  if (!(await leave(tx, { kind: 'event', event: rowOf(event), move }))) return false
  await requireWritable(tx)
  await touch(tx, await tagsOf(tx, event))
  return true
}

/** @returns its position in the feed. */
async function storeEvent(tx: Tx, event: WaymarkEvent): Promise<number> {
  const position = await takePositions(tx, 1)
  await touch(tx, await tagsOf(tx, event))
  const { type, at, data, accountId, imageId, trailId, submitterId, from, to } = rowOf(event)
  await sql`insert into outbox
    (position, type, at, data, account_id, image_id, trail_id, submitter_id, from_state, to_state)
    values (${position}, ${type}, ${at}, ${data}, ${accountId}, ${imageId}, ${trailId},
      ${submitterId}, ${from}, ${to})`.execute(tx)
  return position
}

/** Stores the event. */
export async function recordEvent(tx: Tx, event: WaymarkEvent): Promise<void> {
  if (!(await leaveEvent(tx, event))) await storeEvent(tx, event)
}

/**
 * Marks that a list of the trail may have changed. Versions follow the order of commits.
 * @throws refusal `invalid-trail-id` if the trail was deleted.
 */
export async function bumpTrailVersion(tx: Tx, trailId: number): Promise<void> {
  if (await leave(tx, { kind: 'version', trailId })) return
  const { rows } = await sql`update trail set version = version + 1 where id = ${trailId}
    returning version`.execute(tx)
  if (rows.length === 0) throw refuse('invalid-trail-id') // deleted since the request found it
}

/** The next sequence number for an image on its trail. */
export interface PlaceOnTrail {
  /** The position in the list, after all others. */
  readonly seq: number
  /** The version of the trail's line. */
  readonly lineVersion: number
}

/**
 * Is true until the transaction ends if that has the trail as a key, or runs alone. The version is to be raised with the new
 * image (`bumpTrailVersion`), so that it is never lower than the position.
 * @throws refusal `invalid-trail-id` if the trail is gone.
 */
export async function findPlaceOnTrail(db: Db, trailId: number): Promise<PlaceOnTrail> {
  const { rows } = await sql<{ version: number; newest: number; lineVersion: number }>`select version,
      line_version as "lineVersion", (select coalesce(max(seq), 0) from image where trail_id = trail.id) as newest
    from trail where id = ${trailId}`.execute(db)
  const [trail] = rows
  if (!trail) throw refuse('invalid-trail-id') // deleted since the request found it
  return { seq: Math.max(trail.version, trail.newest) + 1, lineVersion: trail.lineVersion }
}

const countPrefix = 'images:'

/** Updates the counts of `countImages` in the transaction of the state change, so that they are never wrong. */
async function countMove(tx: Tx, from: ImageState | null, to: ImageState): Promise<void> {
  if (from === to) return
  await tx
    .insertInto('counter')
    .values({ name: countPrefix + to, value: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((expression) => ({ value: expression('counter.value', '+', 1) })),
    )
    .execute()
  if (from === null) return
  await tx
    .updateTable('counter')
    .set((expression) => ({ value: expression('value', '-', 1) }))
    .where('name', '=', countPrefix + from)
    .execute()
}

/** Counts images whose rows go for good, in the transaction that takes them away. */
export async function countGone(tx: Tx, from: ImageState, count = 1): Promise<void> {
  await tx
    .updateTable('counter')
    .set((expression) => ({ value: expression('value', '-', count) }))
    .where('name', '=', countPrefix + from)
    .execute()
}

/** How many images are in each state, without counting them. */
export async function countImages(db: Db): Promise<Record<ImageState, number>> {
  const rows = await db
    .selectFrom('counter')
    .select(['name', 'value'])
    .where(
      'name',
      'in',
      imageStates.map((state) => countPrefix + state),
    )
    .execute()
  const valueOf = (state: ImageState): number =>
    rows.find(({ name }) => name === countPrefix + state)?.value ?? 0
  return Object.fromEntries(imageStates.map((state) => [state, valueOf(state)])) as Record<ImageState, number>
}

/** Position of the newest event; 0 before the first. */
export async function newestPosition(db: Db): Promise<number> {
  const row = await db.selectFrom('counter').select('value').where('name', '=', outbox).executeTakeFirst()
  return row?.value ?? 0
}

/** An image's passage from one state to another; `from` is null for its upload. */
export interface ImageMove {
  readonly type: EventTypeOf<'image'>
  readonly at: number
  readonly imageId: number
  readonly trailId: number
  readonly submitterId: number
  readonly actorId: number
  readonly from: ImageState | null
  readonly to: ImageState
  readonly reason?: string | undefined
  readonly note?: string | undefined
}

/** The digest of the newest history row. No other can come in between, since the counter's row is locked. */
export async function digestBefore(tx: Tx, position: number): Promise<string> {
  const row = await tx
    .selectFrom('image_history')
    .select('digest')
    .where('position', '<', position)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.digest ?? chainStart
}

/**
 * Stores a move's event and its row in the append-only history, under one position, counts it, and puts the image into
 * the review queue or takes it out.
 */
export async function recordMove(tx: Tx, move: ImageMove): Promise<void> {
  const { type, at, imageId, trailId, submitterId, from, to } = move
  const { actorId, reason = null, note = null } = move
  const data = { imageID: imageId, trailID: trailId, status: to }
  const event: WaymarkEvent = { type, at, imageId, trailId, submitterId, from, to, data }
  if (!(await leaveEvent(tx, event, { actorId, reason, note })))
    await storeMove(tx, move, await storeEvent(tx, event))
  if (from !== null) await requeue(tx, imageId, at) // a new image is inserted with its queue position
}

/** The row of the history, and the counts. */
async function storeMove(tx: Tx, move: ImageMove, position: number): Promise<void> {
  const { at, imageId, from, to } = move
  const row = {
    position,
    image_id: imageId,
    at,
    actor_id: move.actorId,
    from_state: from,
    to_state: to,
    reason: move.reason ?? null,
    note: move.note ?? null,
  }
  const digest = chainDigest(await digestBefore(tx, position), row)
  await tx
    .insertInto('image_history')
    .values({ ...row, digest })
    .execute()
  await countMove(tx, from, to)
}
