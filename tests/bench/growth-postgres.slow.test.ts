// The script behind the figures of docs/scaling.md runs to its end on a small database, and every query can be explained.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { whyNoPostgres } from '../helpers/postgres.ts'

const root = path.resolve(import.meta.dirname, '../..')

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
