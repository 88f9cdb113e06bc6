// Where the walk of the sweep over a large store goes on: the first digits of a hash, as a number in the table counter.
import type { Db } from '../../database/database.ts'
import { findReadOnly } from '../../database/read-only.ts'

const name = 'sweep-place'
/** 48 bits: a number that both engines keep exactly, and of 10⁹ contents hardly two begin alike. */
const digits = 12

/** @returns undefined for the beginning. */
export async function readSweepPlace(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom('counter').select('value').where('name', '=', name).executeTakeFirst()
  return row === undefined || row.value === 0 ? undefined : row.value.toString(16).padStart(digits, '0')
}

/** @param sha256 the content at which the next run begins; undefined for the beginning. */
export async function saveSweepPlace(db: Db, sha256: string | undefined): Promise<void> {
  const value = sha256 === undefined ? 0 : Number.parseInt(sha256.slice(0, digits), 16)
  await db.transaction().execute(async (tx) => {
    if (await findReadOnly(tx)) return // the walk is the same again when changes are taken
    await tx
      .insertInto('counter')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute()
  })
}
