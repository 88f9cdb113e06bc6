// Deleting many contents at once: ownership, and the number of statements; the same on every engine.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Database } from '../../../src/database/database.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { condemnContents, forgetContents } from '../../../src/images/storage/content-table.ts'

const contentNo = (at: number): string => at.toString(16).padStart(64, '0')

export function testContents(
  name: string,
  open: (t: TestContext) => Promise<{ readonly database: Database }>,
): void {
  void test(`${name}: a hundred contents are marked and deleted in a few statements, since other writers wait`, async (t) => {
    const { database } = await open(t)
    await migrate(database)
    let statements = 0
    const counted = database.db.withPlugin({
      transformQuery: ({ node }) => {
        statements += 1
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const contents = Array.from({ length: 100 }, (_, at) => contentNo(at))
    const [first = '', ...others] = contents
    assert.deepEqual(await condemnContents(counted, [first], 1), [first])
    statements = 0
    const marked = await condemnContents(counted, contents, 2)
    assert.deepEqual(marked.toSorted(), others, 'but for what another deletion is at')
    assert.ok(statements <= 5, `${statements} statements to condemn them`)
    statements = 0
    await forgetContents(counted, contents, 2)
    assert.ok(statements <= 3, `${statements} statements to forget them`)
    const left = await database.db.selectFrom('content').select('sha256').execute()
    assert.deepEqual(
      left.map(({ sha256 }) => sha256),
      [first],
    )
  })
}
