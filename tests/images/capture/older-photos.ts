// Photos as stored by versions before 0.3: only the position was read from their files.
import type { Db } from '../../../src/database/database.ts'

export async function leaveUnread(db: Db): Promise<void> {
  await db
    .updateTable('image')
    .set({
      taken_at: null,
      taken_offset: null,
      taken_zone: null,
      taken_on: null,
      position_source: null,
      position_accuracy: null,
      direction: null,
      altitude: null,
      unread: 'time position direction altitude',
    })
    .execute()
}

const columns = [
  'id',
  'state',
  'lat',
  'lon',
  'latitude',
  'cell',
  'updated_at',
  'taken_at',
  'taken_offset',
  'taken_zone',
  'taken_on',
  'position_source',
  'position_accuracy',
  'direction',
  'altitude',
  'unread',
] as const

/** Everything of all photos that a back-fill may or may not change. */
export const rowsOf = (db: Db) => db.selectFrom('image').select(columns).orderBy('id').execute()
