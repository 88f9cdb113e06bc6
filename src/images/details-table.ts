// SQL of a change of details, the most frequent write. As text, because kysely took longer to build it than the
// database to run it.
import { sql, type RawBuilder } from 'kysely'
import type { Tx } from '../database/database.ts'
import { later } from '../database/together.ts'
import { queuedAt } from '../events/queue.ts'
import type { CaptureUpdate, ChangedCapture } from './capture/sent-capture.ts'
import { wordsOf } from './capture/unread.ts'
import { positionColumns, type Image } from './image-table.ts'

/** What a change has to know of the image. */
export type ChangedImage = Pick<
  Image,
  'id' | 'trailId' | 'submitterId' | 'state' | 'title' | 'caption' | 'acceptedTitle' | 'acceptedCaption'
> &
  ChangedCapture

export async function findChanged(tx: Tx, id: number): Promise<ChangedImage | undefined> {
  const { rows } =
    await sql<ChangedImage>`select id, trail_id as "trailId", submitter_id as "submitterId", state,
    title, caption, accepted_title as "acceptedTitle", accepted_caption as "acceptedCaption",
    lat, lon, taken_at as "takenAt", taken_offset as "takenOffset", taken_zone as "takenZone"
    from image where id = ${id}`.execute(tx)
  return rows[0]
}

export interface Texts {
  readonly title: string
  readonly caption: string
}

export interface DetailsUpdate extends Partial<Texts> {
  /** null: not known. */
  readonly position?: { readonly lat: string; readonly lon: string } | null
  readonly capture?: CaptureUpdate
}

function positionUpdates(position: DetailsUpdate['position']) {
  const { lat, lon, latitude, longitude, cell } = positionColumns(position)
  return sql`lat = ${lat}, lon = ${lon}, latitude = ${latitude}, longitude = ${longitude}, cell = ${cell}`
}

/** Fields that were entered are no longer read from the file (images/capture/unread.ts). */
function captureUpdates(capture: CaptureUpdate) {
  const columns = Object.entries(capture).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  const said = wordsOf(capture)
  const unread = said.reduce<RawBuilder<string>>(
    (text, word) => sql`replace(${text}, ${word}, '')`,
    sql<string>`unread`,
  )
  return said.length === 0 ? columns : [...columns, sql`unread = ${unread}`]
}

/**
 * Also adds the image to the review queue, keeps it there or removes it.
 * @param accepted the texts to compare the new ones with, or undefined if there is nothing to compare.
 */
export async function updateDetails(
  tx: Tx,
  id: number,
  { title, caption, position, capture }: DetailsUpdate,
  { accepted, at }: { readonly accepted: Texts | undefined; readonly at: number },
): Promise<void> {
  const isEdited = accepted === undefined ? sql<boolean>`1 = 0` : sql<boolean>`1 = 1`
  const updates = [
    ...(title === undefined ? [] : [sql`title = ${title}`]),
    ...(caption === undefined ? [] : [sql`caption = ${caption}`]),
    ...(position === undefined ? [] : [positionUpdates(position)]),
    ...(capture === undefined ? [] : captureUpdates(capture)),
    sql`accepted_title = ${accepted?.title ?? null}, accepted_caption = ${accepted?.caption ?? null},
      details_set_at = ${at}, updated_at = ${at}, queued_at = ${queuedAt(at, isEdited)}`,
  ]
  await later(tx, sql`update image set ${sql.join(updates)} where id = ${id}`.compile(tx))
}

/** Takes an approved image back to pending; says whether it was approved. */
export async function takeBackToPending(tx: Tx, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('image')
    .set({ state: 'pending' })
    .where('id', '=', id)
    .where('state', '=', 'approved')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
