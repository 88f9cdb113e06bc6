// Migration 0025 on a database of the version before: existing choices stay, and branding is not set.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTransaction } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import {
  deleteOtherBrandFiles,
  findBrandFile,
  insertBrandFiles,
} from '../../src/site-settings/branding/brand-file-table.ts'
import { readChosen } from '../../src/site-settings/branding/chosen.ts'
import { readChoice } from '../../src/site-settings/site-settings.ts'
import { insertParents, type OpenEmptyDatabase } from './database-suite.ts'

const terms = { licence: null, terms: { text: 'Be kind.' }, version: '2026-05-14-0123abcd' }
/** Bytes that are not valid text. */
const bytes = Uint8Array.from({ length: 256 * 1024 }, (_, at) => (at * 7) % 256)

export function testBranding(name: string, openEmpty: OpenEmptyDatabase): void {
  void test(`${name}: 0025 keeps every setting, and the images unchanged`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database, { upTo: '0021-capture' })
    await insertParents(db)
    const row = { name: 'photo-terms', value: JSON.stringify(terms), changed_at: 7 }
    await db.insertInto('choice').values(row).execute()
    assert.ok((await migrate(database)).applied.includes('0025-branding'))
    assert.deepEqual(await readChoice(db, 'photo-terms'), { value: terms, changedAt: 7 })
    const { chosen, changedAt } = await readChosen(db)
    assert.deepEqual([chosen.name, chosen.logo, changedAt], [null, null, null])
    const logo = await inTransaction(db, async (tx) => {
      const mark = { kind: 'logo', width: 480, height: 128, bytes } as const
      await insertBrandFiles(tx, [mark])
      return insertBrandFiles(tx, [mark, { ...mark, kind: 'icon', bytes: bytes.subarray(1) }])
    })
    const hashes = [logo.logo?.hash ?? '', logo.icons[0]?.hash ?? '']
    assert.deepEqual(Uint8Array.from((await findBrandFile(db, hashes[0] ?? '')) ?? []), bytes)
    await inTransaction(db, (tx) => deleteOtherBrandFiles(tx, { ...chosen, logo: { ...logo, icons: [] } }))
    assert.equal(await findBrandFile(db, hashes[1] ?? ''), undefined)
    assert.ok(await findBrandFile(db, hashes[0] ?? ''))
    await inTransaction(db, (tx) => deleteOtherBrandFiles(tx, chosen))
    assert.equal(await findBrandFile(db, hashes[0] ?? ''), undefined)
  })
}
