// The scripts behind the figures of docs/scaling.md run to their end on small databases.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { whyNoPostgres } from '../helpers/postgres.ts'

const root = path.resolve(import.meta.dirname, '../..')

async function run(script: string, ...sizes: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(root, script), ...sizes])
  return stdout
}

void test(
  'growth-postgres reports the tables and explains every query',
  { skip: whyNoPostgres() },
  async () => {
    const script = path.join(root, 'bench/growth-postgres.ts')
    const { stdout } = await promisify(execFile)(process.execPath, [script, '1000', '2000'], { cwd: root })
    assert.match(stdout, /^## 1000 images: bytes of each$/m)
    assert.match(stdout, /^\| image \| 2000 \| \d+ \| \d+ \|$/m)
    const [, report = ''] = stdout.split('## What grows, and what is slow')
    assert.ok(
      report.includes('| question | 1000: ms, pages; kept plan | 2000: ms, pages; kept plan | nodes |'),
    )
    // Rows that a question inserts may be among those that were filled in; nothing else may fail.
    const failures = report
      .split('\n')
      .filter((line) => /violates|syntax error|does not exist|cannot|canceling/.test(line))
    assert.deepEqual(
      failures.filter((line) => !/duplicate key value violates unique constraint/.test(line)),
      [],
    )
  },
)

void test('growth-move loses no acknowledged rename', { skip: whyNoPostgres() }, async () => {
  const rows = (await run('bench/growth-move.ts', '1000')).trimEnd().split('\n').slice(2)
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()))
  assert.deepEqual(
    cells.map(([, move, images, , , , , , lost]) => [move, images, lost]),
    [
      ['SQLite → PostgreSQL', '1000', '0'],
      ['PostgreSQL → SQLite', '1000', '0'],
    ],
  )
})
