// Tests of both surfaces through nginx on three nodes. All of them: node tests/nodes/surfaces.ts, about five minutes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyNoNginx } from '../helpers/nginx.ts'
import { whyNoPostgres } from '../helpers/postgres.ts'
import { otherwise, surfaceFiles, walkSurfaces } from './surfaces.ts'

/** Files that cover a surface from end to end. */
const files = [
  'account-routes/conditions.test.ts',
  'account-routes/goldens.test.ts',
  'account-routes/v2-routes.test.ts',
  'http/conditions.test.ts',
  'http/credentials.test.ts',
  'images/put-details.test.ts',
  'http/formats.test.ts',
  'http/goldens.test.ts',
  'images/details.test.ts',
  'images/list/trail-list.test.ts',
  'review/claims/claims.test.ts',
  'review/decisions.test.ts',
  'review/history.test.ts',
]

void test(
  'issue 9: both surfaces work through nginx, on three nodes',
  { skip: whyNoPostgres() || whyNoNginx() },
  async (t) => {
    const all = surfaceFiles()
    for (const file of files) assert.ok(all.includes(file), file)
    const { passed, failed, said } = await walkSurfaces(files)
    assert.deepEqual(
      failed.filter((name) => !(name in otherwise)),
      [],
      said.slice(-2_000),
    )
    assert.ok(passed > 90, `${passed} passed`)
    t.diagnostic(`${passed} tests`)
  },
)
