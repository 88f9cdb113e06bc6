// Decision 0121: a write that a reader has seen but that a crash of PostgreSQL loses is in no cached list.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { lockSpace, numberingLock, writeLock } from '../../src/database/postgres/locks.ts'
import { startPostgres, whyNoPostgres } from '../helpers/postgres.ts'

void test('a cached list does not keep what a crash rolled back', { skip: whyNoPostgres() }, async (t) => {
  const server = await startPostgres()
  process.env['WAYMARK_TEST_POSTGRES'] = await server.createDatabase()
  const { startWaymark } = await import('../helpers/waymark.ts')
  const { jpegPicture } = await import('../helpers/pictures.ts')
  const waymark = await startWaymark()
  t.after(async () => {
    await waymark.close()
    await server.end()
  })
  await waymark.addTrail(4711, 'Rim Trail')
  const ana = await waymark.addPerson({ name: 'Ana' })
  const rob = await waymark.addPerson({ role: 'reviewer' })
  const key = await waymark.addKey(ana.accountId)
  const [one, two] = [
    await waymark.upload(ana, 4711, await jpegPicture({ width: 40, height: 30, seed: 1 })),
    await waymark.upload(ana, 4711, await jpegPicture({ width: 40, height: 30, seed: 2 })),
  ]
  assert.equal((await waymark.review(rob, one, 'approve')).status, 200)

  const list = async (): Promise<string | undefined> => {
    const answer = await fetch(`${waymark.url}/Trails/4711/Images`, { headers: { 'x-api-key': key } })
    const body = await answer.text()
    return answer.ok ? body : undefined
  }
  const database = (await server.query(`select datname from pg_database where datname like 'test_%'`))[0]?.[
    'datname'
  ]
  const holder = new Client({ connectionString: server.urlOf(String(database)) })
  holder.on('error', () => undefined)
  await holder.connect()
  await holder.query(`select pg_advisory_lock(${lockSpace}, ${numberingLock})`)
  await fetch(`${waymark.url}/me`, { headers: { 'x-api-key': key } }) // records the use of the key now instead of later
  await holder.query(`select pg_advisory_lock_shared(${lockSpace}, ${writeLock})`) // exclusive transactions skip it too
  const decision = waymark.review(rob, two, 'approve')
  for (;;) {
    const { rowCount } = await holder.query('select 1 from outbox_pending')
    if (rowCount === 1) break
    await pause(5) // until it is committed
  }
  assert.ok((await list())?.includes(String(two)), 'a reader may see it')
  // The state after a crash before the row is on disk; other commits of the test would otherwise flush it.
  await holder.query("delete from outbox_pending; update image set state = 'pending' where id = " + two)
  const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
  process.kill(rows[0]?.pid ?? 0, 'SIGKILL') // ends all sessions and loses unflushed data
  const { status } = await decision
  assert.equal(status, 503)
  const until = performance.now() + 90_000
  for (;;) {
    const now = await server.query('select 1').then(
      async () => list().catch(() => undefined),
      () => undefined,
    )
    if (now !== undefined) break
    assert.ok(performance.now() < until, 'PostgreSQL has not recovered, or the node has not')
    await pause(100) // until PostgreSQL is running again
  }
  await pause(1_500) // the node receives notifications again
  const again = new Client({ connectionString: server.urlOf(String(database)) })
  await again.connect()
  const { rows: images } = await again.query<{ state: string }>('select state from image where id = $1', [
    two,
  ])
  const { rowCount: left } = await again.query('select 1 from outbox_pending')
  await again.end()
  assert.equal(left, 0)
  assert.equal(images[0]?.state, 'pending', 'the crash has taken it back')
  assert.equal((await list())?.includes(String(two)), false)
})
