// Responses to a repeated upload: by its Idempotency-Key, or without one by its bytes (contract C18).
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark, type Person } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'

const dayMs = 24 * 3_600_000

const waymark = await startWaymark()
after(() => waymark.close())
const { db } = waymark.installation.database
for (const [id, name] of [
  [4711, 'Rim Trail'],
  [4712, 'Lake Trail'],
] as const)
  await waymark.addTrail(id, name)
let ana = await waymark.addPerson({ name: 'Ana' })
const bea = await waymark.addPerson({ name: 'Bea' })
const rob = await waymark.addPerson({ name: 'Rob', role: 'reviewer' })

/** Advances the clock, which expires all tokens, so Ana gets a new one. */
async function pass(milliseconds: number): Promise<void> {
  waymark.system.advance(milliseconds)
  ana = { ...ana, token: await waymark.tokenFor(ana.accountId, 'images:read images:write') }
}

let pictures = 0
function newPicture(): Promise<Buffer> {
  pictures += 1
  return jpegPicture({ width: 12, height: 9, seed: pictures })
}

interface Post {
  readonly body: Uint8Array
  readonly key?: string | readonly string[]
  readonly person?: Person
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
}

const post = ({ body, key, person = ana, path = '/Trails/4711/Images', headers }: Post) =>
  send(waymark.url, {
    method: 'POST',
    path,
    headers: {
      authorization: `Bearer ${person.token}`,
      'content-type': 'image/jpeg',
      ...(key === undefined ? {} : { 'idempotency-key': typeof key === 'string' ? key : [...key] }),
      ...headers,
    },
    body,
  })

/** Status, id and Location: what a retry must repeat. */
async function outcome(answer: Response): Promise<{ status: number; id: number; location: string | null }> {
  const text = await answer.text()
  const id = Number(/\d+/.exec(text)?.[0])
  assert.ok(answer.status < 300, `${answer.status} ${text}`)
  const location = answer.headers.get('location')
  assert.match(location ?? '', new RegExp(`^https://trails\\.example/Trails/\\d+/Images/${id}$`))
  return { status: answer.status, id, location }
}

const took = async (request: Post) => outcome(await post(request))

const countImages = async (): Promise<number> => (await db.selectFrom('image').select('id').execute()).length
const countKeys = async (): Promise<number> =>
  (await db.selectFrom('retry').select('key_hash').execute()).length

const put = async (imageId: number, fields: object, person = ana) => {
  const answer = await send(waymark.url, {
    method: 'PUT',
    path: `/Trails/4711/Images/${imageId}`,
    headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(fields),
  })
  assert.equal(answer.status, 200, await answer.text())
}

const review = async (imageId: number, decision: string) =>
  assert.equal((await waymark.review(rob, imageId, decision)).status, 200, decision)

void test('C18: a key returns the first response again, whatever has happened to the image since, without decoding again', async () => {
  const body = await newPicture()
  const key = 'b3a1c9c2-5a40-4f3c-9a86-3a1c1d7b9f10'
  const first = await took({ body, key })
  assert.equal(first.status, 201)
  const before = [await countImages(), waymark.app.renditions.jobsStarted()]
  const outbox = await db.selectFrom('outbox').selectAll().execute()
  assert.deepEqual(await took({ body, key }), first)
  const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['edited', () => put(first.id, { title: 'A title', lat: '1', lon: '2' })],
    ['approved', () => review(first.id, 'approve')],
    ['edited after approval', () => put(first.id, { title: 'Another' })],
    ['removed', () => review(first.id, 'remove')],
    ['deleted', () => db.updateTable('image').set({ state: 'deleted' }).where('id', '=', first.id).execute()],
  ]
  assert.deepEqual(await db.selectFrom('outbox').selectAll().execute(), outbox, 'a retry is no event')
  for (const [what, step] of steps) {
    await step()
    assert.deepEqual(await took({ body, key }), first, what)
  }
  assert.deepEqual([await countImages(), waymark.app.renditions.jobsStarted()], before)
})

void test('C18 C6: the response to a retry has the format that the retry requests', async () => {
  const request = { body: await newPicture(), key: 'format' }
  const { id } = await took(request)
  for (const accept of ['application/xml', 'text/xml', 'application/json']) {
    const answer = await post({ ...request, headers: { accept } })
    assert.equal(answer.status, 201)
    assert.equal(answer.headers.get('content-type'), `${accept}; charset=utf-8`)
    const text = await answer.text()
    if (accept.endsWith('json')) assert.equal(text, String(id))
    else assert.match(text, new RegExp(`<long>${id}</long>$`))
  }
  const refused = await post({ ...request, headers: { accept: 'image/png' } })
  await assertProblem(refused, 'not-acceptable')
})

void test('C18: a key with another body is refused and stores nothing', async () => {
  const key = 'reused'
  const first = await took({ body: await newPicture(), key })
  const before = [await countImages(), waymark.app.renditions.jobsStarted()]
  const others = [await newPicture(), Buffer.from('no image at all')]
  for (const body of others) await assertProblem(await post({ body, key }), 'idempotency-key-reused')
  await assertProblem(await post({ body: Buffer.alloc(0), key }), 'empty-image')
  assert.deepEqual([await countImages(), waymark.app.renditions.jobsStarted()], before)
  assert.equal((await took({ body: others[0] ?? Buffer.alloc(0), key: 'reused-2' })).status, 201)
  assert.equal(
    await db
      .selectFrom('image')
      .select('id')
      .where('id', '=', first.id)
      .execute()
      .then((r) => r.length),
    1,
  )
})

void test('C18: keys are separate for each account and trail; two spellings of a path are the same', async () => {
  const body = await newPicture()
  const key = 'the same everywhere'.replaceAll(' ', '-')
  const ids = [
    await took({ body, key }),
    await took({ body, key, person: bea }),
    await took({ body, key, path: '/Trails/4712/Images' }),
    await took({ body: await newPicture(), key: key.toUpperCase() }),
  ]
  assert.deepEqual(new Set(ids.map(({ status }) => status)), new Set([201]))
  assert.equal(new Set(ids.map(({ id }) => id)).size, 4)
  for (const path of ['/V1/trails/4711/images/', '/v1.6/TRAILS/4711/Images?x=1']) {
    assert.deepEqual(await took({ body, key, path }), ids[0], path)
  }
})

void test('C18: a key is 1 to 255 visible ASCII characters, sent once', async () => {
  const body = await newPicture()
  const wrong = ['', ' ', 'a b', 'a\tb', 'x'.repeat(256), 'clé', '\u0080', ['one', 'two'], ['one', '']]
  const before = await countImages()
  for (const key of wrong) {
    const { detail } = await assertProblem(await post({ body, key }), 'invalid-header', JSON.stringify(key))
    assert.match(detail ?? '', /^The header Idempotency-Key must be/)
  }
  assert.equal(await countImages(), before)
  for (const key of ['!', '~', '"8e03978e-40d5"', 'x'.repeat(255), ['twice', 'twice'], '%00/../<script>']) {
    const first = await took({ body, key })
    assert.deepEqual([first.status, await took({ body, key })], [201, first], String(key))
  }
})

void test('C31: an invalid key is reported after the path, the scope and the format, and before the body', async () => {
  const request = { body: Buffer.from('no image'), key: 'two words' }
  await assertProblem(await post({ ...request, path: '/Trails/1/Images' }), 'invalid-trail-id')
  const reader = { ...ana, token: await waymark.tokenFor(ana.accountId, 'images:read') }
  await assertProblem(await post({ ...request, person: reader }), 'insufficient-scope')
  await assertProblem(await post({ ...request, headers: { accept: 'text/css' } }), 'not-acceptable')
  const page = { 'content-type': 'text/html' }
  await assertProblem(await post({ ...request, headers: page }), 'unsupported-image-type')
  await assertProblem(await post(request), 'invalid-header')
})

void test('C18: a refused request is not remembered: its key can be used for the corrected one', async () => {
  const key = 'second-try'
  const picture = await newPicture()
  const keysBefore = await countKeys()
  await assertProblem(await post({ body: Buffer.from('no image'), key }), 'unsupported-image-type')
  await assertProblem(await post({ body: picture.subarray(0, 200), key }), 'broken-image')
  assert.equal(await countKeys(), keysBefore)
  assert.equal((await took({ body: picture, key })).status, 201)
})

void test('C18: a key is stored as a hash only', async () => {
  const key = 'a-key-that-may-be-a-secret'
  await took({ body: await newPicture(), key })
  for (const table of ['retry', 'outbox', 'image_history'] as const) {
    assert.doesNotMatch(JSON.stringify(await db.selectFrom(table).selectAll().execute()), new RegExp(key))
  }
})

void test('C18: without a key the same bytes are the same image, as long as it is pending and unchanged', async () => {
  const body = await newPicture()
  const first = await took({ body })
  const jobs = waymark.app.renditions.jobsStarted()
  const again = { ...first, status: 200 }
  assert.equal(first.status, 201)
  assert.deepEqual(await took({ body }), again)
  assert.deepEqual(
    await took({ body, path: '/V1/trails/4711/images/', headers: { accept: 'text/xml' } }),
    again,
  )
  assert.equal(waymark.app.renditions.jobsStarted(), jobs, 'no second decode')
  await put(first.id, { displayName: 'nothing that is taken' })
  assert.deepEqual(await took({ body }), again, 'nothing was set')
  for (const decision of ['approve', 'reopen']) await review(first.id, decision)
  assert.deepEqual(await took({ body }), again, 'pending again')
})

void test('C18: other bytes, another account, another trail or a new key are new images', async () => {
  const body = await newPicture()
  const first = await took({ body })
  const others = [
    await took({ body: await newPicture() }),
    await took({ body, person: bea }),
    await took({ body, path: '/Trails/4712/Images' }),
    await took({ body, key: 'asks-for-a-new-image' }),
  ]
  assert.deepEqual(new Set(others.map(({ status }) => status)), new Set([201]))
  assert.equal(new Set([first, ...others].map(({ id }) => id)).size, 5)
})

void test('C18: once details were set, or the image was reviewed, the same bytes are a new image', async () => {
  const touches: Readonly<Record<string, (imageId: number) => Promise<void>>> = {
    title: (id) => put(id, { title: 'A' }),
    caption: (id) => put(id, { caption: 'A' }),
    position: (id) => put(id, { lat: '1', lon: '2' }),
    'a title that is blank again': async (id) => {
      await put(id, { title: 'A' })
      await put(id, { title: ' ' })
    },
    'details by staff': (id) => put(id, { title: 'A' }, rob),
    approved: (id) => review(id, 'approve'),
    rejected: (id) => review(id, 'reject'),
  }
  for (const [what, touch] of Object.entries(touches)) {
    const body = await newPicture()
    const first = await took({ body })
    assert.equal((await took({ body })).status, 200, what)
    await touch(first.id)
    const second = await took({ body })
    assert.equal(second.status, 201, what)
    assert.notEqual(second.id, first.id, what)
    assert.deepEqual(await took({ body }), { ...second, status: 200 }, what)
  }
})

void test('C18: a key is deleted by the hourly cleanup after 24 hours', async () => {
  const body = await newPicture()
  const early = await took({ body, key: 'early' })
  await pass(dayMs - 1)
  const late = await took({ body, key: 'late' })
  assert.notEqual(late.id, early.id)
  await waymark.app.sweep()
  assert.deepEqual(await took({ body, key: 'early' }), early, 'a millisecond before')
  await pass(1)
  const again = await took({ body: await newPicture(), key: 'early' })
  assert.equal(again.status, 201, 'even before the sweep, and with another body')
  assert.deepEqual(await took({ body, key: 'late' }), late)
  const keysBefore = await countKeys()
  await waymark.app.sweep()
  assert.equal(await countKeys(), 2, `of ${keysBefore}, the two that are younger than a day`)
  assert.deepEqual(await took({ body, key: 'late' }), late)
})

void test('C18: the same bytes are a new image a day later', async () => {
  const body = await newPicture()
  const first = await took({ body })
  await pass(dayMs - 1)
  assert.deepEqual(await took({ body }), { ...first, status: 200 }, 'a millisecond before')
  await pass(1)
  const next = await took({ body })
  assert.equal(next.status, 201)
  assert.deepEqual(await took({ body }), { ...next, status: 200 })
})
