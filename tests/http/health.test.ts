// Readiness names the storage that does not respond, for the person on call (contract D3).
import assert from 'node:assert/strict'
import { rename } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newFolder } from '../helpers/folders.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'

void test('D3: ready while database and photo store respond, and otherwise names what does not', async (t) => {
  const dataDir = path.join(await newFolder(t), 'data')
  const waymark = await startWaymark({ dataDir })
  t.after(() => waymark.close())
  const ask = (what: string) => waymark.fetch(`/health/${what}`)
  const ready = await ask('ready')
  assert.deepEqual([ready.status, await ready.json()], [200, { status: 'ready' }])

  async function assertNotReady(detail: string): Promise<void> {
    const answer = await ask('ready')
    const problem = await assertProblem(answer, 'storage-unavailable')
    assert.equal(problem.detail, detail)
    assert.equal(answer.headers.get('retry-after'), '5')
    assert.equal((await ask('live')).status, 200)
  }

  const kept = path.join(dataDir, 'blobs', 'kept')
  await rename(kept, `${kept}-away`)
  await assertNotReady('The store of photos is not responding.')
  await rename(`${kept}-away`, kept)
  assert.equal((await ask('ready')).status, 200)

  const { db } = waymark.installation.database
  await sql`alter table counter rename to counter_away`.execute(db)
  await assertNotReady('The database is not responding.')
  await rename(kept, `${kept}-away`)
  await assertNotReady('Neither the database nor the store of photos is responding.')
  await rename(`${kept}-away`, kept)
  await sql`alter table counter_away rename to counter`.execute(db)
  assert.equal((await ask('ready')).status, 200)
})
