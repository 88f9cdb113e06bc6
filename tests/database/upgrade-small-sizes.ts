// Migration 0020 on a database of the version before: sizes with separate blobs are found, and older nodes add more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from '../../src/database/migrate.ts'
import type { RenditionTable } from '../../src/database/schema.ts'
import { renditionKey } from '../../src/images/storage/blob-keys.ts'
import {
  findSize,
  listRenditions,
  listSingleSizes,
  saveRenditions,
} from '../../src/images/storage/rendition-table.ts'
import { smallName } from '../../src/images/storage/small-sizes.ts'
import { imageRow, insertParents, type OpenEmptyDatabase } from './database-suite.ts'

export function testSmallSizes(name: string, openEmpty: OpenEmptyDatabase): void {
  void test(`${name}: 0020 keeps sizes with their own blobs, also from older nodes, until one blob has them all`, async (t) => {
    const { database } = await openEmpty(t)
    const { db } = database
    await migrate(database, { upTo: '0019-rebuilt-originals' })
    await insertParents(db)
    const { sha256 } = imageRow
    const old = db.withTables<{ rendition: Omit<RenditionTable, 'parts' | 'webp'> }>()
    const before = ['lg', 'sm.jpeg'].map((of) => ({ sha256, name: of, bytes: 5, digest: 'd', version: 2 }))
    await old.insertInto('rendition').values(before).execute()
    await migrate(database)
    const added = { sha256, name: 'sm.webp', bytes: 4, digest: 'e', version: 2 }
    await old.insertInto('rendition').values(added).execute()
    const rows = () => listRenditions(db, sha256)
    assert.deepEqual(
      (await rows()).map((row) => row.name),
      ['lg', 'sm.jpeg', 'sm.webp'],
    )
    const found = async (size: string) => {
      const { key, start, bytes, digest } = (await findSize(db, sha256, [size])) ?? {}
      return [key, start, bytes, digest]
    }
    assert.deepEqual(await found('sm.webp'), [renditionKey(sha256, 'sm.webp'), 0, 4, 'e'])

    const parts = [
      { name: 'sm.jpeg', start: 0, bytes: 5, digest: 'd' },
      { name: 'sm.webp', start: 5, bytes: 4, digest: 'e' },
    ]
    await saveRenditions(db, sha256, [{ name: smallName, bytes: 9, digest: 'f', parts }])
    assert.deepEqual(await found('sm.webp'), [renditionKey(sha256, smallName), 5, 4, 'e'])
    assert.deepEqual(
      (await rows()).map((row) => row.name),
      ['lg', smallName],
    )
    const singles = (await listSingleSizes(db, sha256)).map((row) => row.name)
    assert.deepEqual(singles.toSorted(), ['sm.jpeg', 'sm.webp'])
  })
}
