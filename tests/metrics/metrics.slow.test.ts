// GET /metrics: what it counts, without personal data (contract D3, trust 62).
import assert from 'node:assert/strict'
import { readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { after, test } from 'node:test'
import type { Kysely } from 'kysely'
import { up as countAll } from '../../src/database/migrations/0003-image-counts.ts'
import { renditionKey } from '../../src/images/storage/blob-keys.ts'
import { createFaultyBlobs } from '../helpers/faulty-blobs.ts'
import { parseScrape, type Scrape } from '../helpers/metrics.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'
import { say, send } from '../helpers/wire.ts'
import { smallName } from '../../src/images/storage/small-sizes.ts'

const faulty = createFaultyBlobs()
const waymark = await startWaymark({ hasProcessMetrics: true, version: '1.2.3', wrapBlobs: faulty.wrap })
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const rob = await waymark.addPerson({ role: 'reviewer' })
const key = await waymark.addKey(ana.accountId)

async function scrape(from: Waymark = waymark): Promise<Scrape> {
  const answer = await from.fetch('/metrics')
  assert.equal(answer.status, 200)
  return parseScrape(await answer.text())
}

/** How much each of the samples grows by what is done. Requests are counted once they have ended, a moment after. */
async function grown<Name extends string>(
  names: readonly Name[],
  work: () => Promise<unknown>,
  from: Waymark = waymark,
): Promise<Record<Name, number>> {
  const before = await scrape(from)
  await work()
  const until = Date.now() + 30_000
  for (;;) {
    const now = await scrape(from)
    const growth = names.map((name) => [name, (now.samples.get(name) ?? 0) - (before.samples.get(name) ?? 0)])
    if (growth.every(([, by]) => by !== 0) || Date.now() > until)
      return Object.fromEntries(growth) as Record<Name, number>
  }
}

const requestCount = (method: string, route: string, status: number | string): string =>
  `http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"}`

const post = (bytes: Uint8Array, headers: Record<string, string> = {}) =>
  waymark.fetch('/Trails/4711/Images', {
    method: 'POST',
    token: ana.token,
    headers: { 'content-type': 'image/jpeg', ...headers },
    body: Buffer.from(bytes),
  })

void test('D3: the response is in the text format, with exactly the metrics that docs/metrics.md lists', async () => {
  const answer = await waymark.fetch('/metrics', {
    headers: { accept: 'application/openmetrics-text, */*;q=0.1' },
  })
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  const { reported, samples } = parseScrape(await answer.text())
  assert.equal((await waymark.fetch('/metrics', { method: 'HEAD' })).status, 200)

  const page = await readFile(path.resolve(import.meta.dirname, '../../docs/metrics.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| ([^|]*) \| (.+) \|$/gm)]
  const own = [...reported].filter(([name]) => !/^(process|nodejs)_/.test(name))
  assert.deepEqual(
    own.map(([name, { type, help }]) => [name, type, help]),
    rows.map(([, name, type, , help]) => [name, type, help]),
  )
  assert.ok(reported.has('process_cpu_seconds_total') && reported.has('nodejs_eventloop_lag_p99_seconds'))
  assert.equal(samples.get(`waymark_build_info{version="1.2.3",node="${process.versions.node}"}`), 1)
})

void test('D3: names follow the conventions of Prometheus', async () => {
  const { reported } = await scrape()
  for (const [name, { type }] of reported) {
    assert.match(name, /^(waymark|http|process|nodejs)_[a-z0-9_]+$/)
    // A total of Node's own, of handles, may fall: those names are prom-client's.
    if (!name.startsWith('nodejs_')) assert.equal(name.endsWith('_total'), type === 'counter', name)
    if (type === 'histogram') assert.match(name, /_seconds$/)
    assert.doesNotMatch(name, /milli|mega|kilo|_ms$/)
  }
})

void test('D3: requests are counted by route pattern, including those refused before their handler', async () => {
  const long = await startWaymark({ environment: { RATE_LIMIT_FACTOR: '0.05' } }) // three requests a minute
  try {
    const cases: readonly (readonly [string, () => Promise<unknown>])[] = [
      [
        requestCount('GET', '/Trails/:trailID/Images', 200),
        () => waymark.fetch(`/V1/Trails/4711/images/?api_key=${key}`),
      ],
      [
        requestCount('GET', '/Trails/:trailID/Images', 404),
        () => waymark.fetch(`/Trails/9999/Images?api_key=${key}`),
      ],
      [requestCount('GET', '/Trails/:trailID/Images', 401), () => waymark.fetch('/Trails/4711/Images')],
      [requestCount('HEAD', '/health/live', 200), () => waymark.fetch('/health/live', { method: 'HEAD' })],
      [requestCount('GET', 'unmatched', 404), () => waymark.fetch(`/nobody/knows/${key}`)],
      [requestCount('DELETE', 'unmatched', 405), () => waymark.fetch('/health/live', { method: 'DELETE' })],
      [requestCount('other', 'unmatched', 404), () => send(waymark.url, { method: 'PROPFIND', path: '/x' })],
      [requestCount('GET', 'unmatched', 414), () => send(waymark.url, { path: `/${'a'.repeat(9_000)}` })],
      [requestCount('POST', '/oauth/token', 400), () => waymark.fetch('/oauth/token', { method: 'POST' })],
      ['waymark_unreadable_requests_total{code="bad-request"}', () => say(waymark.url, 'no request\r\n\r\n')],
      [
        'waymark_unreadable_requests_total{code="headers-too-large"}',
        () => say(waymark.url, `GET / HTTP/1.1\r\nHost: a\r\nX-A: ${'a'.repeat(70_000)}\r\n\r\n`),
      ],
    ]
    for (const [name, ask] of cases) {
      const by = await grown([name], ask)
      assert.deepEqual(by, { [name]: 1 })
    }
    const limited = 'waymark_rate_limited_requests_total{policy="address"}'
    const spent = await grown(
      [limited],
      () => Promise.all(Array.from({ length: 5 }, () => long.fetch('/'))),
      long,
    )
    assert.ok((spent[limited] ?? 0) >= 2)
  } finally {
    await long.close()
  }
})

void test('D3: a request broken off by the client is counted as aborted, and nothing stays in flight', async () => {
  const aborted = requestCount('POST', '/Trails/:trailID/Images', 'aborted')
  const lost = 'waymark_uploads_total{outcome="aborted"}'
  const growth = await grown([aborted, lost], async () => {
    const { hostname, port } = new URL(waymark.url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `POST /Trails/4711/Images HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${ana.token}\r\nContent-Type: image/jpeg\r\nContent-Length: 5000\r\n\r\nhalf`,
    )
    const until = Date.now() + 30_000
    // The scrape itself is the other one.
    while ((await scrape()).samples.get('http_requests_in_flight') !== 2 && Date.now() < until);
    assert.equal((await scrape()).samples.get('http_requests_in_flight'), 2)
    assert.ok(((await scrape()).samples.get('http_connections') ?? 0) >= 2)
    socket.on('error', () => undefined)
    socket.resetAndDestroy()
  })
  assert.deepEqual(growth, { [aborted]: 1, [lost]: 1 })
  assert.equal((await scrape()).samples.get('http_requests_in_flight'), 1)
})

void test('D3: uploads by outcome, their bytes, and their processing', async () => {
  const photo = await jpegPicture({ seed: 1 })
  const growth = await grown(
    [
      'waymark_uploads_total{outcome="stored"}',
      'waymark_uploads_total{outcome="repeated"}',
      'waymark_uploads_total{outcome="unsupported-image-type"}',
      'waymark_refusals_total{code="unsupported-image-type"}',
      'waymark_upload_bytes_total',
      'waymark_rendition_job_duration_seconds_count{outcome="made"}',
      'waymark_rendition_job_duration_seconds_count{outcome="unsupported-image-type"}',
      'waymark_images{state="pending"}',
      'waymark_outbox_position',
      'http_received_bytes_total',
      'http_sent_bytes_total',
    ],
    async () => {
      assert.equal((await post(photo)).status, 201)
      assert.equal((await post(photo)).status, 200)
      assert.equal((await post(Buffer.from('no image'))).status, 415)
    },
  )
  const { http_received_bytes_total: received, http_sent_bytes_total: sent, ...exact } = growth
  assert.deepEqual(Object.values(exact), [1, 1, 1, 1, 2 * photo.length + 8, 1, 1, 1, 1])
  assert.ok(received > 2 * photo.length && received < 2 * photo.length + 20_000, String(received))
  assert.ok(sent > 1_000)
})

void test('D3: regenerated renditions, decisions, and images by state as in the table', async () => {
  const imageId = await waymark.upload(ana, 4711, await jpegPicture({ seed: 2 }))
  const remade = 'waymark_renditions_remade_total'
  const approved = 'waymark_review_decisions_total{decision="approve"}'
  const growth = await grown([remade, approved], async () => {
    assert.equal((await waymark.review(rob, imageId, 'approve')).status, 200)
    assert.equal((await waymark.review(rob, imageId, 'approve')).status, 409)
    const { db } = waymark.installation.database
    const { sha256 } = await db
      .selectFrom('image')
      .select('sha256')
      .where('id', '=', imageId)
      .executeTakeFirstOrThrow()
    await rm(path.join(waymark.dataDir, 'blobs', 'kept', renditionKey(sha256, smallName)))
    assert.equal((await waymark.fetch(`/ImageHandler?id=${imageId}&t=sm`)).status, 200)
  })
  assert.deepEqual(growth, { [remade]: 1, [approved]: 1 })

  for (const decision of ['remove', 'restore', 'reopen', 'reject'])
    await waymark.review(rob, imageId, decision)
  const { db } = waymark.installation.database
  const counted = await db
    .selectFrom('image')
    .select(({ fn }) => ['state', fn.countAll<number>().as('images')])
    .groupBy('state')
    .execute()
  const { samples } = await scrape()
  const states = ['pending', 'approved', 'rejected', 'removed', 'deleted']
  assert.deepEqual(
    states.map((state) => [state, samples.get(`waymark_images{state="${state}"}`)]),
    states.map((state) => [state, counted.find((row) => row.state === state)?.images ?? 0]),
  )
  assert.equal(samples.get('waymark_images{state="rejected"}'), 1)
})

void test('D3: an approved photo that EDITED_PHOTOS=require-review returns to pending is counted as pending', async () => {
  const strict = await startWaymark({ environment: { EDITED_PHOTOS: 'require-review' } })
  try {
    await strict.addTrail(7, 'Trail')
    const person = await strict.addPerson({ role: 'reviewer' })
    const imageId = await strict.upload(person, 7, await jpegPicture())
    await strict.review(person, imageId, 'approve')
    assert.equal((await scrape(strict)).samples.get('waymark_images{state="approved"}'), 1)
    const put = await strict.fetch(`/Trails/7/Images/${imageId}`, {
      method: 'PUT',
      token: person.token,
      headers: { 'content-type': 'application/json' },
      body: '{"title":"new"}',
    })
    assert.equal(put.status, 200)
    const { samples } = await scrape(strict)
    assert.equal(samples.get('waymark_images{state="approved"}'), 0)
    assert.equal(samples.get('waymark_images{state="pending"}'), 1)
    // An installation from before there were counts is counted once, by the migration.
    const { db } = strict.installation.database
    await strict.upload(person, 7, await jpegPicture({ seed: 1 }))
    await db.deleteFrom('counter').where('name', 'like', 'images:%').execute()
    await countAll(db as unknown as Kysely<unknown>)
    assert.equal((await scrape(strict)).samples.get('waymark_images{state="pending"}'), 2)

    // Two servers in one process know nothing of each other.
    assert.equal(samples.get('waymark_uploads_total{outcome="repeated"}'), 0)
    // So that the first is seen to have been one more.
    for (const first of ['refusals_total{code="internal-error"}', 'storage_faults_total{error="ENOSPC"}'])
      assert.equal(samples.get(`waymark_${first}`), 0, first)
    assert.equal(samples.get('process_cpu_seconds_total'), undefined)
  } finally {
    await strict.close()
  }
})

void test('D3: storage errors are counted by system error code', async () => {
  const full = 'waymark_storage_faults_total{error="ENOSPC"}'
  const photo = await jpegPicture({ seed: 3 })
  const growth = await grown([full], async () => {
    faulty.arm({ at: 1, isDone: false, code: 'ENOSPC' })
    assert.equal((await post(photo)).status, 507)
    assert.equal(faulty.disarm(), 'receive')
  })
  assert.deepEqual(growth, { [full]: 1 })
})

void test('D3: sweeps, the database and the disks', async () => {
  const done = 'waymark_sweeps_total{outcome="done"}'
  assert.deepEqual(await grown([done], () => waymark.app.sweep()), { [done]: 1 })
  const { samples } = await scrape()
  assert.equal(samples.get('waymark_last_sweep_timestamp_seconds'), waymark.system.now() / 1_000)
  assert.equal(samples.get('waymark_scrape_failures_total'), 0)
  for (const disk of ['database', 'blobs']) {
    assert.ok((samples.get(`waymark_disk_free_bytes{disk="${disk}"}`) ?? 0) > 0)
    assert.match(String(samples.get(`waymark_disk_low{disk="${disk}"}`)), /^[01]$/)
  }
  assert.ok((samples.get('waymark_database_bytes{part="main"}') ?? 0) >= 4_096)
  assert.ok((samples.get('waymark_database_bytes{part="wal"}') ?? -1) >= 0)
})

void test('D3: a metric whose source fails is left out and counted, and the others are still reported', async (t) => {
  const broken = await startWaymark()
  t.after(() => broken.close())
  await rm(path.join(broken.dataDir, 'blobs'), { recursive: true })
  const { db } = broken.installation.database
  await db.schema.dropTable('counter').execute()
  const { samples } = await scrape(broken)
  assert.equal(samples.get('waymark_outbox_position'), undefined)
  assert.equal(samples.get('waymark_outbox_floor'), undefined)
  assert.equal(samples.get('waymark_images{state="pending"}'), undefined)
  assert.ok((samples.get('waymark_disk_free_bytes{disk="blobs"}') ?? 0) > 0) // that of the folder above
  assert.equal((await scrape(broken)).samples.get('waymark_scrape_failures_total'), 3)
})

void test('D3, trust 62: no path, id, address or credential appears in the metrics', async () => {
  await waymark.fetch(`/Trails/4711/Images/${key}?api_key=${key}`, { headers: { referer: key } })
  const { text } = await scrape()
  for (const secret of [key, key.slice(3), ana.token, waymark.dataDir])
    assert.ok(!text.includes(secret), secret)
  // The values are numbers, and any digits may stand in one.
  const labels = [...text.matchAll(/"([^"]*)"/g)].map(([, label]) => label)
  for (const shown of ['4711', '127.0.0.1']) assert.ok(!labels.some((label) => label?.includes(shown)), shown)
})
