// Migration 0028 on a database of the version before: existing accounts are claimed, and nothing counts as pulled.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from '../../src/database/migrate.ts'
import {
  findPulled,
  listSources,
  notePulled,
  type PulledKind,
  type PulledNow,
} from '../../src/database/pulled-table.ts'
import { accountRow, insertParents, migrationNames, type OpenEmptyDatabase } from './database-suite.ts'

export function testPulled(name: string, openEmpty: OpenEmptyDatabase): void {
  void test(`${name}: 0028 leaves every account claimed, and a pulled item has one row, written by its last pull`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    const before0028 = migrationNames.findLast((migration) => migration < '0028')
    assert.ok(before0028)
    await migrate(database, { upTo: before0028 })
    await insertParents(db)
    const before = await db.selectFrom('account').selectAll().execute()
    await migrate(database)
    const after = await db.selectFrom('account').selectAll().execute()
    assert.deepEqual(
      after,
      before.map((row) => Object.assign(row, { unclaimed_at: null })),
    )
    // An older node, which does not know the column, keeps working beside newer ones.
    await db
      .insertInto('account')
      .values({ ...accountRow, id: accountRow.id - 1, email_key: 'other@example.org' })
      .execute()
    const row = await db
      .selectFrom('account')
      .select('unclaimed_at')
      .where('id', '=', accountRow.id - 1)
      .execute()
    assert.deepEqual(
      row.map(({ unclaimed_at: since }) => since),
      [null],
    )

    const ids = [1, 2, 9_007_199_254_740_991]
    const source = 'https://old.example/V1'
    assert.equal((await findPulled(db, 'image', ids)).size, 0)
    const note = (kind: PulledKind, now: PulledNow) =>
      db.transaction().execute((tx) => notePulled(tx, kind, now))
    await note('image', { id: 9_007_199_254_740_991, source, digest: 'first', form: 'original' })
    await note('image', { id: 9_007_199_254_740_991, source, digest: 'second' })
    await note('image', { id: 2, source: 'https://other.example', digest: 'lg' })
    await note('route', { id: 1, source, digest: 'route' })
    assert.deepEqual(
      await findPulled(db, 'image', ids),
      new Map([
        [2, { source: 'https://other.example', digest: 'lg', form: null }],
        [9_007_199_254_740_991, { source, digest: 'second', form: 'original' }],
      ]),
    )
    assert.deepEqual(await listSources(db), [source, 'https://other.example'])
  })

  void test(`${name}: 0031 keeps what was pulled before, as size lg`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    const before0031 = migrationNames.findLast((migration) => migration < '0031')
    assert.ok(before0031)
    await migrate(database, { upTo: before0031 })
    const row = { kind: 'image', id: 7, source: 'https://old.example/V1', digest: 'd' } as const
    await db.insertInto('pulled').values(row).execute()
    await migrate(database)
    const { kind: _, id, ...rest } = row
    assert.deepEqual(await findPulled(db, 'image', [7]), new Map([[id, { ...rest, form: null }]]))
    // An older node inserts rows without it.
    await db
      .insertInto('pulled')
      .values({ ...row, id: 8 })
      .execute()
    assert.equal((await findPulled(db, 'image', [8])).get(8)?.form, null)
  })
}
