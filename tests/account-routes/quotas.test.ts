// Storage quotas of an account, and read-only mode (contract C38; settings QUOTA_ROUTES, QUOTA_BYTES).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createDeletion } from '../../src/account-data/deletion.ts'
import { listSet } from '../../src/account-routes/route-table.ts'
import { routeUsageOf } from '../../src/account-routes/route-usage-table.ts'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../src/database/read-only.ts'
import { assertProblem, outcomeOf } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { createRouteClient, forms, gpxOf, jsonForm } from './route-client.ts'

const gpx = gpxOf('45,7', '45.1,7')
const gpxBytes = Buffer.byteLength(gpx)
const max = 3
const maxBytes = 3 * gpxBytes

const waymark = await startWaymark({ environment: { QUOTA_ROUTES: String(max) } })
const inBytes = await startWaymark({ environment: { QUOTA_BYTES: String(maxBytes), QUOTA_ROUTES: '0' } })
after(() => Promise.all([waymark.close(), inBytes.close()]))

const reached = '403 Quota exceeded'

async function assertReached(answer: Response, ...numbers: readonly number[]): Promise<void> {
  const { detail } = await assertProblem(answer, 'quota-reached')
  for (const number of numbers) assert.match(detail, new RegExp(`\\b${number}\\b`), detail)
  assert.equal(answer.headers.get('www-authenticate'), null)
}

void test("C38: QUOTA_ROUTES refuses the route over it, names the limit and the count, and counts only the account's own", async () => {
  const ana = createRouteClient(waymark, await waymark.addPerson())
  const bea = createRouteClient(waymark, await waymark.addPerson())
  const ids = []
  for (let made = 0; made < max; made += 1) ids.push(await ana.make({ name: `route ${made}` }))
  for (const { type, many } of forms) {
    await assertReached(await ana.write('POST', ana.set, many({ name: 'over' }), { type }), max, max)
  }
  assert.deepEqual(new Set(await ana.ids()), new Set(ids))
  const [first = 0] = ids
  await ana.change(first, { name: 'still changed' })
  await bea.make({ name: 'of another' })
  assert.equal((await ana.ask(ana.item(first), { method: 'DELETE' })).status, 200)
  await ana.make({ name: 'again' })
  await assertReached(await ana.write('POST', ana.set, '[{}]'), max, max)
})

void test('C38: simultaneous requests create no more than the quota allows', async () => {
  const ana = createRouteClient(waymark, await waymark.addPerson())
  const answers = await Promise.all(
    Array.from({ length: max + 3 }, () => ana.write('POST', ana.set, jsonForm.many({ gpx }))),
  )
  const outcomes = await Promise.all(answers.map(outcomeOf))
  assert.deepEqual(outcomes.toSorted(), ['201', '201', '201', reached, reached, reached])
  assert.equal((await ana.ids()).length, max)
})

void test('C18 C38: retrying a successful request returns the first response, whatever the quota', async () => {
  const ana = createRouteClient(waymark, await waymark.addPerson())
  const headers = { 'idempotency-key': 'k' }
  const first = await (await ana.write('POST', ana.set, '[{"name":"a"}]', { headers })).text()
  for (let made = 1; made < max; made += 1) await ana.make({})
  const again = await ana.write('POST', ana.set, '[{"name":"a"}]', { headers })
  assert.equal(`${again.status} ${await again.text()}`, `201 ${first}`)
  await assertReached(
    await ana.write('POST', ana.set, '[{"name":"a"}]', { headers: { 'idempotency-key': 'l' } }),
    max,
  )
})

void test('C38: QUOTA_BYTES counts the GPX of the account, in POST and PUT, to the byte', async () => {
  const ana = createRouteClient(inBytes, await inBytes.addPerson())
  const first = await ana.make({ gpx })
  const second = await ana.make({ gpx })
  const third = await ana.make({ gpx: '' })
  const longer = gpx.replace('</gpx>', ' </gpx>')
  for (const answer of [
    await ana.write('PUT', ana.item(third), jsonForm.one({ gpx: longer })),
    await ana.write('POST', ana.set, jsonForm.many({ gpx: longer })),
  ]) {
    await assertReached(answer, maxBytes, 2 * gpxBytes)
  }
  await ana.change(third, { gpx })
  await assertReached(
    await ana.write('PUT', ana.item(first), jsonForm.one({ gpx: longer })),
    maxBytes,
    3 * gpxBytes,
  )
  await assertReached(await ana.write('POST', ana.set, jsonForm.many({ gpx })), maxBytes)
  await ana.change(first, { name: 'a name takes nothing', description: 'x'.repeat(500) })
  await ana.make({ name: 'nor does a route without gpx' })
  await ana.change(first, { gpx: '' })
  await ana.change(second, { gpx: longer })
  assert.equal((await ana.ask(ana.item(third), { method: 'DELETE' })).status, 200)
  await ana.make({ gpx })
})

void test('C38: bytes are those of UTF-8', async () => {
  const ana = createRouteClient(inBytes, await inBytes.addPerson())
  const wide = (letters: number) => `<gpx><name>${'ü'.repeat(letters)}</name></gpx>`
  const letters = Math.floor((maxBytes - wide(0).length) / 2)
  await assertReached(await ana.write('POST', ana.set, jsonForm.many({ gpx: wide(letters + 1) })), maxBytes)
  await ana.make({ gpx: wide(letters) })
})

void test("C38: an account's counts match its routes, also after a retry and while another account is deleted", async () => {
  const { database, blobs } = inBytes.installation
  const { db } = database
  const person = await inBytes.addPerson()
  const ana = createRouteClient(inBytes, person)
  const counts = async () => {
    const kept = await routeUsageOf(db, person.accountId)
    const rows = await listSet(db, person.accountId)
    assert.deepEqual(kept, { routes: rows.length, bytes: rows.reduce((sum, row) => sum + row.gpxBytes, 0) })
    return kept
  }
  assert.deepEqual(await counts(), { routes: 0, bytes: 0 })
  const first = await ana.make({ gpx })
  const headers = { 'idempotency-key': 'k' }
  for (let sent = 0; sent < 2; sent += 1)
    await ana.write('POST', ana.set, JSON.stringify([{ gpx }]), { headers })
  assert.deepEqual(await counts(), { routes: 2, bytes: 2 * gpxBytes })
  await ana.change(first, { gpx: '' })
  assert.deepEqual(await counts(), { routes: 2, bytes: gpxBytes })
  const second = (await ana.ids()).find((id) => id !== first) ?? 0
  assert.equal((await ana.ask(ana.item(second), { method: 'DELETE' })).status, 200)
  assert.deepEqual(await counts(), { routes: 1, bytes: 0 })
  await ana.make({ gpx })
  const deletion = createDeletion({ db, blobs, now: () => inBytes.system.now(), sendMail: undefined })
  await deletion.leave(person.accountId, 'delete', { accountId: person.accountId, via: 'session' })
  assert.deepEqual(await counts(), { routes: 0, bytes: 0 })
})

void test('read-only: every write gets 503 with Retry-After and stores nothing, reads continue, and afterwards everything is unchanged', async () => {
  const { db } = waymark.installation.database
  const person = await waymark.addPerson()
  const { set, item, ask, write, make, read, change } = createRouteClient(waymark, person)
  const id = await make({ name: 'one' })
  const { text, etag } = await read(id)
  await switchReadOnlyOn(db, waymark.system.now(), 'moving house')
  const writes = [
    ...['[{"name":"two"}]', '[', '[]'].map((body) => () => write('POST', set, body)),
    () => write('POST', set, '[{}]', { headers: { 'idempotency-key': 'k' } }),
    () => write('PUT', item(id), '{"name":"two"}', { headers: { 'if-match': etag } }),
    () => write('PUT', set, JSON.stringify({ routeID: id, name: 'two' })),
    () => ask(item(id), { method: 'DELETE' }),
  ]
  for (const attempt of writes) {
    const answer = await attempt()
    assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
    const { detail } = await assertProblem(answer, 'read-only')
    assert.match(detail, /moving house/)
  }
  assert.equal((await read(id)).text, text)
  for (const path of [set, item(id)]) assert.equal((await ask(path)).status, 200)
  assert.equal((await ask(item(id), { headers: { 'if-none-match': etag } })).status, 304)
  await switchReadOnlyOff(db)
  assert.equal((await read(id)).etag, etag)
  await change(id, { name: 'two' })
})
