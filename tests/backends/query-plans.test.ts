// Every query of the table files is answered by an index; a change of a query or a plan shows in the golden file's diff.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { newFolder } from '../helpers/folders.ts'
import { describePlans, goldenFile } from './query-plans.ts'

/** Staff's list of all images, newest first: it walks an index, and its limit ends the walk. */
const mayWalkImages = new Set([
  'v2, staff: all images',
  'v2: within a box',
  'v2: within a box over the antimeridian',
])

void test('every query has the plan of the golden file, and no hot one reads a whole table of images', async (t) => {
  const databaseFile = path.join(await newFolder(t), 'waymark.sqlite')
  const database = await openDatabase({ databaseFile })
  t.after(() => database.close())
  await migrate(database)
  const plans = await describePlans(database.db)
  const golden = await readFile(goldenFile, 'utf8')
  assert.deepEqual(
    plans.split('\n'),
    golden.split('\n'),
    'where the change is meant, run "node tests/backends/query-plans.ts" and commit the golden file',
  )
  for (const section of plans.split('\n\n')) {
    const question = /^# (.*)$/m.exec(section)?.[1] ?? ''
    assert.doesNotMatch(section, /^ +SCAN image(?! USING INDEX)/m, question)
    if (!mayWalkImages.has(question)) assert.doesNotMatch(section, /^ +SCAN image\b/m, question)
  }
})
