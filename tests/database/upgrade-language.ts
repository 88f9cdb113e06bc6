// Migration 0014 on a database of the version before: accounts are unchanged, have no language, and can set one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findProfile, updateLanguage } from '../../src/accounts/account-table.ts'
import { migrate } from '../../src/database/migrate.ts'
import { accountRow, insertParents, type OpenEmptyDatabase } from './database-suite.ts'

export function testAccountLanguage(name: string, openEmpty: OpenEmptyDatabase): void {
  void test(`${name}: 0014 leaves accounts unchanged and without a language, also those of an older node`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database, { upTo: '0013-rendition-version' })
    await insertParents(db)
    const before = await db.selectFrom('account').selectAll().executeTakeFirstOrThrow()
    assert.deepEqual((await migrate(database)).applied.slice(0, 1), ['0014-account-language'])
    const after = await db.selectFrom('account').selectAll().executeTakeFirstOrThrow()
    assert.deepEqual(
      { ...after },
      {
        ...before,
        language: null,
        route_count: 0,
        route_bytes: 0,
        unclaimed_at: null,
      },
    )
    const later = { ...accountRow, id: accountRow.id + 1, email_key: 'later@trails.example' }
    await db.insertInto('account').values(later).execute()
    await updateLanguage(db, accountRow.id, 'de')
    assert.equal((await findProfile(db, accountRow.id))?.language, 'de')
    assert.equal((await findProfile(db, later.id))?.language, null)
    assert.equal(await database.findDamage(), undefined)
  })
}
