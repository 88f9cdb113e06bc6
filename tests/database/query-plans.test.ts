// Every query of the table files uses an index. A changed query or plan shows in the golden file's diff.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '../../src/database/open-database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { newFolder } from '../helpers/folders.ts'
import { describePlans, goldenFile } from './query-plans.ts'
import { scansOf, whyScanned } from './scans.ts'

void test('every query has the plan in the golden file, and none scans a whole table that grows', async (t) => {
  const databaseFile = path.join(await newFolder(t), 'waymark.sqlite')
  const database = await openDatabase({ engine: 'sqlite', file: databaseFile })
  t.after(() => database.close())
  await migrate(database)
  const plans = await describePlans(database.db)
  const golden = await readFile(goldenFile, 'utf8')
  assert.deepEqual(
    plans.split('\n'),
    golden.split('\n'),
    'where the change is meant, run "node tests/database/query-plans.ts" and commit the golden file',
  )
  const found = scansOf(plans)
  for (const { question, table } of found)
    assert.ok(whyScanned[question]?.[table], `"${question}" reads all of ${table}`)
  for (const [question, tables] of Object.entries(whyScanned)) {
    for (const table of Object.keys(tables)) {
      const isFound = found.some((scan) => scan.question === question && scan.table === table)
      assert.ok(isFound, `"${question}" reads all of ${table} no longer: take it off the list`)
    }
  }
})

void test("full scans are found in a plan, and steps over a query's own intermediate results are not reported", () => {
  const plans = [
    '# one',
    'select 1',
    '  CO-ROUTINE page',
    '    SCAN image USING INDEX image_by_posted',
    '  SCAN page',
    '',
    '# other',
    '  SEARCH image USING INTEGER PRIMARY KEY (rowid=?)',
    '  SCAN trail',
    '',
  ].join('\n')
  assert.deepEqual(scansOf(plans), [
    { question: 'one', table: 'image' },
    { question: 'other', table: 'trail' },
  ])
})
