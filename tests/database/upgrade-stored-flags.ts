// Migration 0016 on a database of the version before: hashes stay, and near duplicates are computed when first needed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from '../../src/database/migrate.ts'
import { complete, listUnpaired, pairUnpaired, unseen } from '../../src/events/near-pairs-table.ts'
import { imageRow, insertParents, trailRow, type OpenEmptyDatabase } from './database-suite.ts'

const hash = { trail_id: trailRow.id, dhash: '0'.repeat(16), band_0: 0, band_1: 0, band_2: 0, band_3: 0 }

export function testStoredFlags(name: string, openEmpty: OpenEmptyDatabase): void {
  void test(`${name}: 0016 leaves hashes unchanged, and finds what an older node adds`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database, { upTo: '0014-account-language' })
    await insertParents(db)
    await db
      .insertInto('image')
      .values({ ...imageRow, id: 1 })
      .execute()
    const older = db.withTables<{ image_hash: typeof hash & { image_id: number } }>()
    await older
      .insertInto('image_hash')
      .values({ ...hash, image_id: 1 })
      .execute()
    assert.ok((await migrate(database)).applied.includes('0016-stored-flags'))
    const before = await db.selectFrom('image_hash').selectAll().executeTakeFirstOrThrow()
    assert.deepEqual({ ...before }, { ...hash, image_id: 1, paired: unseen })
    await db
      .insertInto('image')
      .values({ ...imageRow, id: 2, seq: 2 })
      .execute()
    await older
      .insertInto('image_hash')
      .values({ ...hash, image_id: 2 })
      .execute()
    await db.transaction().execute(async (tx) => {
      const brought = await listUnpaired(tx, trailRow.id, 10)
      assert.deepEqual(
        brought.map(({ id }) => id),
        [2],
      )
      for (const row of brought) await pairUnpaired(tx, trailRow.id, row)
    })
    const after = await db
      .selectFrom('image_hash')
      .select(['image_id', 'paired'])
      .orderBy('image_id')
      .execute()
    assert.deepEqual(
      after.map(({ paired }) => paired),
      [unseen, complete],
    )
    const [pair, ...others] = await db.selectFrom('near_pair').selectAll().execute()
    assert.deepEqual({ ...pair }, { image_id: 2, bits: 0, other_id: 1 })
    assert.deepEqual(others, [])
    await db.deleteFrom('image').where('id', '=', 1).execute()
    assert.deepEqual(await db.selectFrom('near_pair').selectAll().execute(), [], 'they go with either image')
    assert.equal(await database.findDamage(), undefined)
  })
}
