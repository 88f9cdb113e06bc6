// What the classic and the v2 surface promise, asked of three nodes behind nginx instead of one (issue 9).
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { whyNoNginx } from '../../helpers/nginx.ts'
import { whyNoPostgres } from '../../helpers/postgres.ts'

const tests = path.resolve(import.meta.dirname, '../..')

/**
 * Those that walk a surface from end to end; all others run so by hand: node tests/on-postgres.ts --nodes 3 'tests/http/*.test.ts'.
 * What looks into the memory or the files of one node (hot-*.test.ts, retries.test.ts) means that one.
 */
const files = [
  'http/goldens.test.ts',
  'http/formats.test.ts',
  'http/credentials.test.ts',
  'http/conditions.test.ts',
  'http/details.test.ts',
  'account-routes/goldens.test.ts',
  'account-routes/bodies.test.ts',
  'account-routes/conditions.test.ts',
  'account-routes/v2-routes.test.ts',
  'images/details.test.ts',
  'images/trail-list.test.ts',
  'review/claims.test.ts',
  'review/decisions.test.ts',
  'review/history.test.ts',
]

void test(
  'the surfaces through nginx, of three nodes',
  { skip: whyNoPostgres() || whyNoNginx() },
  async (t) => {
    const args = [
      path.join(tests, 'on-postgres.ts'),
      '--nodes',
      '3',
      '--test-reporter=tap',
      '--test-concurrency=2',
    ]
    const child = spawn(process.execPath, [...args, ...files.map((file) => path.join(tests, file))], {
      stdio: ['ignore', 'pipe', 'inherit'],
      // A test of its own, not a part of this one's.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    })
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number]>])
    const failed = said.split('\n').filter((line) => /^\s*not ok/.test(line))
    assert.deepEqual(failed, [])
    assert.equal(code, 0, said.slice(-2_000))
    const passed = Number(/^# pass (\d+)$/m.exec(said)?.[1])
    assert.ok(passed > 100, `${passed} passed`)
    t.diagnostic(`${passed} tests`)
  },
)
