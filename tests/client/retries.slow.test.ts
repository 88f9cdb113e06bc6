// What the SDK retries and what not, through a faulty proxy to a real server (contract C18).
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { isUnreachable, isWaymarkProblem, type Waymark as Sdk } from '../../client/client.ts'
import { pauseMs, retryRules } from '../../client/retry.ts'
import { createProblem } from '../../client/problem.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'
import { impatient, startBadLine, type BadLine } from './bad-line.ts'

let site: Waymark
let line: BadLine
let admin: Person
let sdk: Sdk

before(async () => {
  site = await startWaymark()
  line = await startBadLine(site.url)
  admin = await site.addPerson({ role: 'admin' })
  await site.addTrail(7, 'Ridge')
  sdk = impatient({ baseUrl: line.url, credential: { bearer: admin.token } })
})
after(async () => {
  await line.close()
  await site.close()
})
beforeEach(() => line.spoil())

const busy = {
  status: 503,
  headers: { 'content-type': 'application/problem+json', 'retry-after': '0' },
  body: JSON.stringify({
    type: 'https://trails.example/problems/busy',
    title: 'The server is busy',
    status: 503,
  }),
}
const seed = () => Math.floor(Math.random() * 1_000_000)
const photo = async () =>
  new Blob([new Uint8Array(await jpegPicture({ seed: seed() }))], { type: 'image/jpeg' })
const methods = () => line.seen.map(({ method }) => method)

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('it succeeded'),
    (error: unknown) => error,
  )
}

describe('lost requests are sent again', () => {
  void test('a read, whether its request, its response or half of its body was lost', async () => {
    line.spoil('lose-request', 'lose-answer', 'cut-answer')
    assert.equal((await sdk.trails.get(7)).name, 'Ridge')
    assert.equal(line.seen.length, 4)
  })

  void test('C18 a photo, with one key, which is created once', async () => {
    const person = await site.addPerson()
    const own = impatient({ baseUrl: line.url, credential: { bearer: person.token } })
    line.spoil('lose-answer', 'lose-answer')
    const image = await own.images.upload(7, await photo(), { title: 'At the bridge' })
    assert.equal(image.title, 'At the bridge')
    assert.equal(new Set(line.seen.map(({ key }) => key)).size, 1)
    const { items } = await own.images.page()
    assert.deepEqual(
      items.map(({ imageID }) => imageID),
      [image.imageID],
    )
  })

  void test('C18 a route, a zone and a trail, each created once', async () => {
    const person = await site.addPerson()
    const own = impatient({ baseUrl: line.url, credential: { bearer: person.token } })
    line.spoil('lose-answer')
    const route = await own.routes.create(person.accountId, { name: 'Loop' })
    line.spoil('lose-answer')
    const zone = await own.me.zones.create({ lat: 47, lon: 11, radius: 100 })
    line.spoil('lose-answer')
    const trail = await sdk.trails.create({ name: 'Twice' })
    const { items } = await own.routes.page(person.accountId)
    assert.deepEqual(
      items.map(({ routeID }) => routeID),
      [route.routeID],
    )
    assert.deepEqual(
      (await own.me.zones.list()).map(({ zoneID }) => zoneID),
      [zone.zoneID],
    )
    assert.equal((await sdk.trails.page({ q: 'Twice' })).items[0]?.trailID, trail.trailID)
  })

  void test('C18 several files, whose routes are created once', async () => {
    const person = await site.addPerson()
    const own = impatient({ baseUrl: line.url, credential: { bearer: person.token } })
    const gpx = (lat: number) =>
      `<gpx version="1.1" creator="x"><trk><trkseg><trkpt lat="${lat}" lon="2"/><trkpt lat="3" lon="2"/></trkseg></trk></gpx>`
    line.spoil('lose-answer')
    const { results } = await own.routes.import(person.accountId, [
      new File([gpx(1)], 'a.gpx'),
      new Blob([gpx(2)]),
    ])
    const made = new Set(results.map(({ routeID }) => routeID))
    const { items } = await own.routes.page(person.accountId)
    assert.deepEqual(new Set(items.map(({ routeID }) => routeID)), made)
    assert.equal(items.length, 2)
    assert.equal(line.seen.length, 3)
  })

  void test('a deletion, whose second response says that there is nothing left', async () => {
    const imageID = await site.upload(admin, 7, await jpegPicture({ seed: seed() }))
    line.spoil('lose-answer')
    await sdk.images.remove(imageID)
    assert.deepEqual(methods(), ['DELETE', 'DELETE'])
    const error = await failureOf(sdk.images.remove(imageID))
    assert.ok(isWaymarkProblem(error) && error.code === 'invalid-image-id', 'nothing was lost: it is news')
  })
})

describe('requests that must not be repeated are sent once', () => {
  void test('a decision: the error says that it may have been applied', async () => {
    const imageID = await site.upload(admin, 7, await jpegPicture({ seed: seed() }))
    line.spoil('lose-answer')
    const error = await failureOf(sdk.review.decide(imageID, { decision: 'approve' }))
    assert.ok(isUnreachable(error) && error.mayBeDone)
    assert.equal(line.seen.length, 1)
    assert.equal((await sdk.images.get(imageID)).status, 'approved')
  })

  void test('an undo, whose repetition would restore the decision', async () => {
    const imageID = await site.upload(admin, 7, await jpegPicture({ seed: seed() }))
    await sdk.review.decide(imageID, { decision: 'approve' })
    line.spoil('lose-answer')
    assert.ok(isUnreachable(await failureOf(sdk.review.undo(imageID))))
    assert.equal((await sdk.images.get(imageID)).status, 'pending')
  })

  void test('but they are sent again if the server refused them before doing anything', async () => {
    const imageID = await site.upload(admin, 7, await jpegPicture({ seed: seed() }))
    line.spoil(busy, { ...busy, status: 429 })
    assert.equal((await sdk.review.decide(imageID, { decision: 'approve' })).status, 'approved')
    assert.equal(line.seen.length, 3)
  })

  void test("and a caller's own request with its own key is repeated", async () => {
    line.spoil('lose-request')
    const error = await failureOf(sdk.request('POST', '/v2/trails', { body: { name: 'Own' } }))
    assert.ok(isUnreachable(error))
    line.spoil('lose-answer')
    const idempotencyKey = 'my-own-key'
    await sdk.request('POST', '/v2/trails', { body: { name: 'Own' }, idempotencyKey })
    assert.deepEqual(
      line.seen.map(({ key }) => key),
      [idempotencyKey, idempotencyKey],
    )
  })
})

describe('attempts end', () => {
  void test('after the configured number', async () => {
    const often = { status: 502, body: '<h1>Bad Gateway</h1>' }
    line.spoil(often, often, often, often, often)
    const error = await failureOf(sdk.trails.get(7))
    assert.ok(isWaymarkProblem(error))
    assert.deepEqual([error.status, error.code, line.seen.length], [502, 'http-502', 4])
    line.spoil(often)
    const never = impatient({ baseUrl: line.url, retries: 0 })
    assert.ok(isWaymarkProblem(await failureOf(never.terms())))
    assert.equal(line.seen.length, 1)
  })

  void test('at once if the server asks for a longer wait than is left', async () => {
    line.spoil({ ...busy, headers: { ...busy.headers, 'retry-after': '3600' } })
    const error = await failureOf(sdk.trails.get(7))
    assert.ok(isWaymarkProblem(error))
    assert.deepEqual([error.code, error.retryAfterSeconds, line.seen.length], ['busy', 3_600, 1])
  })

  void test("at once if the response would stay the same, with the server's message", async () => {
    const error = await failureOf(sdk.trails.get(8))
    assert.ok(isWaymarkProblem(error))
    const { status, code, title, instance } = error
    assert.deepEqual([status, code, title], [404, 'invalid-trail-id', 'Invalid Trail ID'])
    assert.match(instance ?? '', /^urn:waymark:request:/)
    assert.equal(line.seen.length, 1)
  })

  void test('when the caller aborts, while waiting and while sending', async () => {
    const patient = impatient({ baseUrl: line.url, retries: { firstWaitMs: 60_000 } })
    line.spoil('lose-request')
    const begunAt = performance.now()
    const error = await failureOf(patient.terms({ signal: AbortSignal.timeout(50) }))
    assert.ok(performance.now() - begunAt < 30_000, 'it does not wait to the end')
    assert.ok(error instanceof Error && error.name === 'TimeoutError')
    const aborted = await failureOf(patient.terms({ signal: AbortSignal.abort() }))
    assert.ok(aborted instanceof Error && aborted.name === 'AbortError')
    assert.ok(!isUnreachable(aborted))
  })

  void test('an attempt that times out, with no response or half of the body: repeatable requests are sent again', async () => {
    const own = impatient({
      baseUrl: line.url,
      credential: { bearer: admin.token },
      timeoutSeconds: 2, // long enough for a response of a busy machine
    })
    line.spoil('silence', 'half-answer')
    assert.equal((await own.trails.get(7)).name, 'Ridge')
    assert.equal(line.seen.length, 3)
    const imageID = await site.upload(admin, 7, await jpegPicture({ seed: seed() }))
    line.spoil('half-answer')
    const error = await failureOf(own.review.decide(imageID, { decision: 'approve' }))
    assert.ok(isUnreachable(error) && error.mayBeDone)
    assert.ok(error.cause instanceof Error && error.cause.name === 'TimeoutError')
    assert.equal(line.seen.length, 1)
    line.spoil('silence')
    const aborted = await failureOf(own.trails.get(7, { signal: AbortSignal.timeout(50) }))
    assert.ok(aborted instanceof Error && aborted.name === 'TimeoutError', 'the signal of the caller counts')
  })

  void test('but not for uploads: they take as long as they need, or as their own signal allows', async () => {
    const own = impatient({
      baseUrl: line.url,
      credential: { bearer: admin.token },
      timeoutSeconds: 0.001,
    })
    const image = await own.images.upload(7, await photo(), { title: 'Slow' })
    assert.equal(image.title, 'Slow')
    line.spoil('silence')
    const signal = AbortSignal.timeout(50)
    const error = await failureOf(own.images.upload(7, await photo(), {}, { signal }))
    assert.ok(error instanceof Error && error.name === 'TimeoutError')
  })

  void test('a refusal with Retry-After is waited out, in seconds and as a date', async () => {
    for (const after of ['1', new Date(Date.now() + 2_000).toUTCString()]) {
      line.spoil({ ...busy, status: 429, headers: { ...busy.headers, 'retry-after': after } })
      const begunAt = performance.now()
      assert.equal((await sdk.trails.get(7)).name, 'Ridge')
      const waited = performance.now() - begunAt
      assert.ok(waited >= 900 && waited < 10_000, `${waited} ms after ${after}`)
      assert.equal(line.seen.length, 2)
    }
  })

  void test('also if nothing listens: then it is certain that nothing was done', async () => {
    const closed = await startBadLine(site.url)
    await closed.close()
    const nobody = impatient({ baseUrl: closed.url })
    const error = await failureOf(nobody.review.decide(1, { decision: 'approve' }))
    assert.ok(isUnreachable(error) && !error.mayBeDone)
  })
})

void test('an HTML page in place of the response is a problem, not data', async () => {
  line.spoil({ status: 200, body: '<h1>Welcome to the hut’s network</h1>' })
  const error = await failureOf(sdk.trails.get(7))
  assert.ok(isWaymarkProblem(error) && error.code === 'unreadable-answer')
})

void test('the token function is asked once more after a refused token', async () => {
  const asked: (string | undefined)[] = []
  const bearer = async ({ refused }: { refused?: string }): Promise<string> => {
    asked.push(refused)
    return refused === undefined ? 'an old token' : admin.token
  }
  const own = impatient({ baseUrl: line.url, credential: { bearer } })
  assert.equal((await own.me.get()).acctID, admin.accountId)
  assert.deepEqual(asked, [undefined, 'an old token'])
  const stubborn = impatient({ baseUrl: line.url, credential: { bearer: async () => 'an old token' } })
  line.spoil()
  const error = await failureOf(stubborn.me.get())
  assert.ok(isWaymarkProblem(error) && error.code === 'invalid-token')
  assert.equal(line.seen.length, 1)
})

void test('Retry-After is kept, with random jitter so that clients do not return all at once', () => {
  const rules = retryRules(undefined)
  const refusal = createProblem({ status: 429, code: 'too-many-requests', title: '', retryAfterSeconds: 7 })
  const pauses = Array.from({ length: 50 }, () => pauseMs(refusal, 0, rules) ?? 0)
  assert.ok(pauses.every((pause) => pause > 7_000 && pause < 7_500))
  assert.ok(new Set(pauses).size > 25)
  const later = Array.from({ length: 50 }, () => pauseMs(undefined, 2, rules) ?? 0)
  assert.ok(later.every((pause) => pause >= 600 && pause <= 1_200))
})
