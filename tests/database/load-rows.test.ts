// Rows loaded into a new file without Kysely: all arrive unchanged, or an error names the table.
import assert from 'node:assert/strict'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { layoutOf } from '../../src/database/layout.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { loadRows, type LoadedRow } from '../../src/database/sqlite/load-rows.ts'
import { newFolder } from '../helpers/folders.ts'

async function emptyFile(t: TestContext) {
  const file = path.join(await newFolder(t), 'copy.sqlite')
  const database = await openDatabase({ engine: 'sqlite', file })
  await migrate(database)
  const table = (await layoutOf(database)).find(({ name }) => name === 'counter')
  await database.close()
  assert.deepEqual(table?.columns, ['name', 'value'])
  return { file, table }
}

async function* inTwo(rows: readonly LoadedRow[]) {
  yield rows.slice(0, 1)
  yield rows.slice(1)
}

const rows: readonly LoadedRow[] = [
  ['a', 1],
  ['b', Number.MAX_SAFE_INTEGER],
  ['c', -1],
]

void test('loaded rows are read again and compared, in any order of arrival', async (t) => {
  const { file, table } = await emptyFile(t)
  let loaded = 0
  const count = async (): Promise<void> => {
    loaded += 1
  }
  await loadRows(file, [{ table, count: 3, batches: () => inTwo(rows.toReversed()), loaded: count }])
  assert.equal(loaded, 1)
  const database = await openDatabase({ engine: 'sqlite', file })
  t.after(() => database.close())
  const found = await database.db.selectFrom('counter').select(['name', 'value']).orderBy('name').execute()
  assert.deepEqual(
    found.map(({ name, value }) => [name, value]),
    rows,
  )
})

for (const [what, count, wrong] of [
  ['a row that is missing', 4, rows],
  ['a value that SQLite changes', 3, [...rows.slice(0, 2), ['c', '-1']]],
] as const)
  void test(`${what} is reported, with the table`, async (t) => {
    const { file, table } = await emptyFile(t)
    const loading = loadRows(file, [
      { table, count, batches: () => inTwo(wrong), loaded: async () => undefined },
    ])
    await assert.rejects(loading, /^Error: The table counter was not copied correctly: 3 of \d rows/)
  })
