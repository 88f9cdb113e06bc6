// SQL of decision emails: the moves to report to submitters, how far each was notified, and their addresses.
import type { Db } from '../database/database.ts'
import type { ImageState, Role } from '../database/schema.ts'

/** Up to where all submitters were notified; with an account's id after a colon, up to where that one was, if further. */
const cursor = 'notices'
const markPrefix = `${cursor}:`

export interface Move {
  readonly position: number
  readonly at: number
  readonly imageId: number
  readonly submitterId: number
  readonly actorId: number
  readonly from: ImageState | null
  readonly to: ImageState
  readonly reason: string | null
}

/** The moves after a position, up to another, in order. */
export function listMoves(
  db: Db,
  { after, upTo, limit }: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<Move[]> {
  return db
    .selectFrom('image_history')
    .innerJoin('outbox', 'outbox.position', 'image_history.position')
    .select([
      'image_history.position',
      'image_history.at',
      'image_history.image_id as imageId',
      'outbox.submitter_id as submitterId',
      'image_history.actor_id as actorId',
      'image_history.from_state as from',
      'image_history.to_state as to',
      'image_history.reason',
    ])
    .$narrowType<{ submitterId: number }>()
    .where('image_history.position', '>', after)
    .where('image_history.position', '<=', upTo)
    .where('outbox.submitter_id', 'is not', null)
    .orderBy('image_history.position')
    .limit(limit)
    .execute()
}

/** Undefined before the first time. */
export async function findCursor(db: Db): Promise<number | undefined> {
  const row = await db.selectFrom('counter').select('value').where('name', '=', cursor).executeTakeFirst()
  return row?.value
}

async function raise(db: Db, name: string, value: number): Promise<void> {
  await db
    .insertInto('counter')
    .values({ name, value })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ value }).where('counter.value', '<', value),
    )
    .execute()
}

/** Up to where single submitters were notified, by their id. */
export async function listMarks(db: Db): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('counter')
    .select(['name', 'value'])
    .where('name', 'like', `${markPrefix}%`)
    .execute()
  return new Map(rows.map(({ name, value }) => [Number(name.slice(markPrefix.length)), value]))
}

export const markNotified = (db: Db, submitterId: number, position: number): Promise<void> =>
  raise(db, markPrefix + submitterId, position)

/** Everyone was notified up to this position, so the marks of single submitters below it are deleted. */
export async function raiseCursor(db: Db, position: number): Promise<void> {
  await raise(db, cursor, position)
  await db
    .deleteFrom('counter')
    .where('name', 'like', `${markPrefix}%`)
    .where('value', '<=', position)
    .execute()
}

export interface Recipient {
  readonly id: number
  readonly email: string
  readonly role: Role
  readonly language: string | null
}

const recipients = (db: Db) =>
  db
    .selectFrom('account')
    .select(['id', 'email', 'role', 'language'])
    .where('suspended_at', 'is', null)
    .where('deleted_at', 'is', null)
    .where('unclaimed_at', 'is', null)
    .where('mails', '=', 'on')

/** The account, if it is active and wants emails. */
export const findRecipient = (db: Db, id: number): Promise<Recipient | undefined> =>
  recipients(db).where('id', '=', id).executeTakeFirst()

/** Reviewers and admins who want mail. */
export const listStaff = (db: Db): Promise<Recipient[]> =>
  recipients(db).where('role', 'in', ['reviewer', 'admin']).orderBy('id').execute()

/** How many photos wait for review; only on these trails, if given. */
export async function countWaiting(db: Db, trails?: readonly number[]): Promise<number> {
  const { waiting } = await db
    .selectFrom('image')
    .select(({ fn }) => fn.countAll<number | string>().as('waiting'))
    .where('queued_at', 'is not', null)
    .$if(trails !== undefined, (query) => query.where('trail_id', 'in', trails ?? []))
    .executeTakeFirstOrThrow()
  return Number(waiting)
}

export interface MailedPhoto {
  readonly id: number
  readonly title: string
  readonly trailName: string
  readonly state: ImageState
}

/** Those of them that still exist. */
export function listPhotos(db: Db, ids: readonly number[]): Promise<MailedPhoto[]> {
  return db
    .selectFrom('image')
    .innerJoin('trail', 'trail.id', 'image.trail_id')
    .select(['image.id', 'image.title', 'trail.name as trailName', 'image.state'])
    .where('image.id', 'in', ids)
    .execute()
}

/**
 * Takes the counter up to the value. @returns whether it was this call that did: of several servers, one.
 * @param value above any before.
 */
export async function takeCounter(db: Db, name: string, value: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('counter')
    .values({ name, value })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ value }).where('counter.value', '<', value),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Resets it to the value before `takeCounter`, unless another has advanced it. */
export async function giveCounterBack(db: Db, name: string, value: number): Promise<void> {
  await db
    .updateTable('counter')
    .set({ value: value - 1 })
    .where('name', '=', name)
    .where('value', '=', value)
    .execute()
}
