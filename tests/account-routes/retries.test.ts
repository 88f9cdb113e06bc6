// Repeating a POST with its Idempotency-Key creates one route, whatever happened in between (contract C17, C18).
import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { parentOfFolders } from '../helpers/folders.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark, type Person } from '../helpers/waymark.ts'
import { createRouteClient, gpxOf, jsonForm, xmlForm } from './route-client.ts'

const dayMs = 24 * 3_600_000

const dataDir = await mkdtemp(path.join(parentOfFolders(), 'waymark-test-'))
let waymark = await startWaymark({ dataDir })
after(async () => {
  await waymark.close()
  await rm(dataDir, { recursive: true, force: true })
})
let ana = await waymark.addPerson()
const bea = await waymark.addPerson()
const renew = async (): Promise<void> => {
  ana = { ...ana, token: await waymark.tokenFor(ana.accountId, 'routes:read routes:write') }
}

interface Post {
  readonly key?: string
  readonly person?: Person
  readonly set?: string
  readonly type?: string
  readonly accept?: string
}

const post = (body: string, { key, person = ana, set, type = jsonForm.type, accept }: Post = {}) => {
  const client = createRouteClient(waymark, person)
  const headers = {
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...(accept === undefined ? {} : { accept }),
  }
  return client.write('POST', set ?? client.set, body, { type, headers })
}

async function outcome(answer: Response) {
  const text = await answer.text()
  assert.equal(answer.status, 201, text)
  const id = Number(/\d+/.exec(text)?.[0])
  assert.match(
    answer.headers.get('location') ?? '',
    new RegExp(`^https://trails\\.example/Accounts/\\d+/Routes/${id}$`),
  )
  return { id, location: answer.headers.get('location'), text }
}
const took = async (body: string, options: Post = {}) => outcome(await post(body, options))
const count = async (): Promise<number> =>
  (await waymark.installation.database.db.selectFrom('route').select('id').execute()).length

const body = jsonForm.many({ name: 'Rim', gpx: gpxOf('45,7', '45.1,7') })

void test('C18: the same request with the same key gets the same response and creates one route, whatever happened to it since', async () => {
  const before = await count()
  const { db } = waymark.installation.database
  const events = async () => (await db.selectFrom('outbox').select('position').execute()).length
  const key = 'b3a1c9c2-5a40-4f3c-9a86-3a1c1d7b9f10'
  const first = await took(body, { key })
  const reported = await events()
  assert.deepEqual(await took(body, { key }), first)
  assert.equal(await events(), reported, 'a retry is no event')
  const { change, ask, item, set } = createRouteClient(waymark, ana)
  await change(first.id, { name: 'Other' })
  for (const spelling of [`${set}/`, `/v1.6${set}`, set.toUpperCase(), `/V1${set.toLowerCase()}/?x=1`]) {
    assert.deepEqual(await took(body, { key, set: spelling }), first, spelling)
  }
  assert.equal(await count(), before + 1)
  assert.equal((await ask(item(first.id), { method: 'DELETE' })).status, 200)
  assert.deepEqual(await took(body, { key }), first)
  assert.equal(await count(), before)
  assert.equal((await took(body, { key, accept: 'application/xml' })).text, `<long>${first.id}</long>`)
})

void test('C18: without a key, two requests create two routes', async () => {
  const before = await count()
  assert.notEqual((await took(body)).id, (await took(body)).id)
  assert.equal(await count(), before + 2)
})

void test('C18: the key with another body is 422, and the first response stays', async () => {
  const first = await took(body, { key: 'other-body' })
  const before = await count()
  const others = [
    jsonForm.many({ name: 'Rim 2' }),
    `${body} `,
    jsonForm.one({ name: 'Rim', gpx: gpxOf('45,7', '45.1,7') }),
  ]
  for (const other of others) {
    await assertProblem(await post(other, { key: 'other-body' }), 'idempotency-key-reused', other)
  }
  const inXml = await post(xmlForm.many({ name: 'Rim' }), { key: 'other-body', type: xmlForm.type })
  await assertProblem(inXml, 'idempotency-key-reused')
  assert.equal(await count(), before)
  assert.deepEqual(await took(body, { key: 'other-body' }), first)
})

void test('C18: a refused request leaves its key unused', async () => {
  for (const wrong of ['[', '[]', '[{"gpx":"<"}]', '[{"length":-1}]']) {
    assert.equal((await post(wrong, { key: 'refused' })).status, 400, wrong)
  }
  await took(body, { key: 'refused' })
})

void test('C18: keys are separate for each account and path', async () => {
  const key = 'shared'
  const first = await took(body, { key })
  const second = await took(jsonForm.many({ name: 'of Bea' }), { key, person: bea })
  assert.notEqual(second.id, first.id)
  assert.deepEqual(await took(body, { key }), first)
  const v2 = await waymark.fetch(`/v2/accounts/${ana.accountId}/routes`, {
    method: 'POST',
    token: ana.token,
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ name: 'v2' }),
  })
  assert.equal(v2.status, 201, await v2.clone().text())
  assert.notEqual(((await v2.json()) as { routeID: number }).routeID, first.id)
})

void test('C18: simultaneous requests with the same key create one route', async () => {
  for (let round = 0; round < 5; round += 1) {
    const before = await count()
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => took(body, { key: `at-once-${round}` })),
    )
    assert.equal(new Set(answers.map(({ id }) => id)).size, 1)
    assert.equal(await count(), before + 1)
  }
})

void test('C18: of two different bodies at once under one key, one is created and the other gets 422', async () => {
  const before = await count()
  const answers = await Promise.all(
    ['a', 'b'].map((name) => post(jsonForm.many({ name }), { key: 'rivals' })),
  )
  assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['201', '422'])
  assert.equal(await count(), before + 1)
})

void test('C18: a key is 1 to 255 visible characters', async () => {
  const before = await count()
  for (const key of ['', ' ', 'a b', 'é', 'x'.repeat(256)]) {
    await assertProblem(await post(body, { key }), 'invalid-header', key)
  }
  assert.equal(await count(), before)
  await took(body, { key: 'x'.repeat(255) })
})

void test('C17 C18: after a restart, the key and the route are still known', async () => {
  const first = await took(body, { key: 'restart' })
  await waymark.close()
  waymark = await startWaymark({ dataDir })
  await renew()
  assert.deepEqual(await took(body, { key: 'restart' }), first)
  assert.equal((await createRouteClient(waymark, ana).read(first.id)).route.name, 'Rim')
})

void test('C17 C18: an acknowledged response survives a crash that leaves only the files as they are then', async () => {
  const sent = { key: 'crash' }
  const first = await took(body, sent)
  const crashed = await mkdtemp(path.join(parentOfFolders(), 'waymark-test-'))
  const before = waymark
  try {
    await cp(dataDir, crashed, { recursive: true })
    waymark = await startWaymark({ dataDir: crashed })
    try {
      await renew()
      const routes = await count()
      assert.deepEqual(await took(body, sent), first)
      assert.equal(await count(), routes)
      assert.equal((await createRouteClient(waymark, ana).read(first.id)).route.name, 'Rim')
    } finally {
      await waymark.close()
    }
  } finally {
    waymark = before
    await rm(crashed, { recursive: true, force: true })
  }
  await renew()
})

void test('C18: a day later, the key can be used again', async () => {
  const first = await took(body, { key: 'a-day' })
  waymark.system.advance(dayMs - 1)
  await renew()
  assert.equal((await took(body, { key: 'a-day' })).id, first.id)
  waymark.system.advance(1)
  assert.notEqual((await took(body, { key: 'a-day' })).id, first.id)
})
