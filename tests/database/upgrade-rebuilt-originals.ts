// Migration 0019 on a database of the version before: originals stay as uploaded, and older nodes keep working beside
// newer ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { migrate } from '../../src/database/migrate.ts'
import type { ContentTable } from '../../src/database/schema.ts'
import { holdContent } from '../../src/images/storage/content-table.ts'
import { noteStoredWhole } from '../../src/images/storage/original-table.ts'
import { imageRow, insertParents, type OpenEmptyDatabase } from './database-suite.ts'

const another = 'cd'.repeat(32)

export function testRebuiltOriginals(name: string, openEmpty: OpenEmptyDatabase): void {
  void test(`${name}: 0019 marks every original as stored, and those that an older node adds`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database, { upTo: '0016-stored-flags' })
    await insertParents(db)
    const old = db.withTables<{ content: Omit<ContentTable, 'original'> }>()
    const contents = () => db.selectFrom('content').selectAll().orderBy('sha256').execute()
    const marked = { sha256: '12'.repeat(32), bytes: 2 ** 40, condemned_at: 7 }
    await old.insertInto('content').values(marked).execute()
    const known = () =>
      db.selectFrom('content').select(['sha256', 'bytes', 'condemned_at']).orderBy('sha256').execute()
    const before = await known()
    assert.ok(before.length >= 2)
    await migrate(database)
    assert.deepEqual(await known(), before)
    assert.ok((await contents()).every(({ original }) => original === 'stored'))

    await old.insertInto('content').values({ sha256: another, bytes: 3, condemned_at: null }).execute()
    const placeOf = async (sha256: string) =>
      (await contents()).find((row) => row.sha256 === sha256)?.original
    const hold = (sha256: string, isKeptWhole: boolean) =>
      db
        .transaction()
        .execute((tx) => holdContent(tx, sha256, { bytes: 3, original: isKeptWhole ? 'whole' : 'rebuilt' }))
    assert.equal(await placeOf(another), 'stored')
    // Uploaded again to a newer node, it may be stored twice until the back-fill has run.
    assert.deepEqual([await hold(another, false), await placeOf(another)], [true, 'stored'])
    assert.deepEqual([await hold(another, true), await placeOf(another)], [true, 'whole'])
    assert.deepEqual([await hold(another, false), await placeOf(another)], [true, 'stored'])
    assert.deepEqual([await hold(imageRow.sha256, true), await placeOf(imageRow.sha256)], [true, 'whole'])
    const fresh = 'ef'.repeat(32)
    assert.deepEqual([await hold(fresh, false), await placeOf(fresh)], [true, 'rebuilt'])
    assert.deepEqual([await hold(fresh, false), await placeOf(fresh)], [true, 'rebuilt'])
    assert.deepEqual(
      [await noteStoredWhole(db, marked.sha256), await placeOf(marked.sha256)],
      [false, 'stored'],
    )
    assert.deepEqual([await noteStoredWhole(db, fresh), await placeOf(fresh)], [true, 'whole'])
    assert.equal(await noteStoredWhole(db, '00'.repeat(32)), true)
    // As an older node does it.
    await old
      .insertInto('content')
      .values({ sha256: fresh, bytes: 3, condemned_at: null })
      .onConflict((conflict) => conflict.column('sha256').doUpdateSet({ bytes: 3 }))
      .execute()
    assert.equal(await placeOf(fresh), 'whole')
    const left = await sql<{ sha256: string }>`select sha256 from content
      where original in ('stored', 'leaving') order by sha256`.execute(db)
    assert.deepEqual(
      left.rows.map(({ sha256 }) => sha256),
      [marked.sha256, another],
    )
  })
}
