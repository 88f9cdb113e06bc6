// One image, however often its upload is sent: concurrently, after a lost response, after a restart, at the quota
// (contract C18).
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, test, type TestContext } from 'node:test'
import { filesBelow, newFolder } from '../helpers/folders.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'
import { send } from '../helpers/wire.ts'

const common = await startWaymark()
after(() => common.close())

let pictures = 0
function newPicture(): Promise<Buffer> {
  pictures += 1
  return jpegPicture({ width: 120, height: 90, seed: pictures })
}

/** An account that uploads to a trail. */
interface Uploader {
  readonly waymark: Waymark
  readonly accountId: number
  readonly token: string
  readonly trailId: number
}

let trails = 0
async function newUploader(waymark = common): Promise<Uploader> {
  trails += 1
  const trailId = await waymark.addTrail(4710 + trails, `Trail ${trails}`)
  return { waymark, trailId, ...(await waymark.addPerson()) }
}

const headersOf = (token: string, key?: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'image/jpeg',
  ...(key === undefined ? {} : { 'idempotency-key': key }),
})

const pathOf = (trailId: number): string => `/Trails/${trailId}/Images`

const post = ({ waymark, token, trailId }: Uploader, body: Uint8Array, key?: string) =>
  send(waymark.url, { method: 'POST', path: pathOf(trailId), headers: headersOf(token, key), body })

async function idsOf({ waymark, trailId }: Uploader): Promise<number[]> {
  const { db } = waymark.installation.database
  const images = db.selectFrom('image').select('id').where('trail_id', '=', trailId).orderBy('seq')
  return (await images.execute()).map(({ id }) => id)
}

/** The trail has this image once, it can be viewed, and nothing incomplete is left. */
async function assertOneImage(uploader: Uploader, imageId: number): Promise<void> {
  const { waymark } = uploader
  assert.deepEqual(await idsOf(uploader), [imageId])
  const { db } = waymark.installation.database
  for (const table of ['outbox', 'image_history'] as const) {
    const rows = await db.selectFrom(table).select('position').where('image_id', '=', imageId).execute()
    assert.equal(rows.length, 1, table)
  }
  const view = await waymark.fetch(`/ImageHandler?id=${imageId}&t=sm`)
  assert.equal(view.status, 200)
  await view.arrayBuffer()
  const images = await db.selectFrom('image').select('sha256').distinct().execute()
  const files = await filesBelow(`${waymark.dataDir}/blobs`)
  const originals = files.filter((name) => /original.*[\da-f]{64}/.test(name))
  assert.equal(originals.length, images.length)
}

const statusesOf = (answers: readonly Response[]): number[] =>
  answers.map(({ status }) => status).toSorted((one, other) => one - other)

for (const key of ['one-key', undefined]) {
  const what = key === undefined ? 'the same bytes' : 'one key'
  void test(`C18: 20 simultaneous uploads with ${what} create one image, and all get its ID`, async () => {
    const ana = await newUploader()
    const body = await newPicture()
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(ana, body, key)))
    const created = key === undefined ? 1 : 20
    const expected = Array.from({ length: 20 }, (_, index) => (index < 20 - created ? 200 : 201))
    assert.deepEqual(statusesOf(answers), expected)
    const ids = new Set(await Promise.all(answers.map((answer) => answer.text())))
    assert.equal(ids.size, 1)
    await assertOneImage(ana, Number([...ids][0]))
  })
}

void test('C18: of simultaneous different bodies with one key, one is accepted', async () => {
  const ana = await newUploader()
  const bodies = await Promise.all(Array.from({ length: 6 }, newPicture))
  const answers = await Promise.all(bodies.map((body) => post(ana, body, 'one-key')))
  assert.deepEqual(statusesOf(answers), [201, 422, 422, 422, 422, 422])
  const winner = answers.find(({ status }) => status === 201)
  await assertOneImage(ana, Number(await winner?.text()))
})

/**
 * Sends a request, or its start, and reads no response.
 * @returns a function that closes the connection.
 */
function sendOnly(
  { waymark, token, trailId }: Uploader,
  body: Buffer,
  { key, bytes = body.length }: { readonly key?: string | undefined; readonly bytes?: number },
): Promise<() => void> {
  const headers = { host: 'a', 'content-length': String(body.length), ...headersOf(token, key) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `POST ${pathOf(trailId)} HTTP/1.1\r\n${lines.join('')}\r\n`
  const { hostname, port } = new URL(waymark.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    socket.on('error', reject)
    socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, bytes)]), () =>
      resolve(() => socket.destroy()),
    )
  })
}

/** Sends requests until an image is stored, or gives up. */
async function untilStored(uploader: Uploader): Promise<number[]> {
  for (let attempt = 0; attempt < 5_000; attempt += 1) {
    const ids = await idsOf(uploader)
    if (ids.length > 0) return ids
    await (await send(uploader.waymark.url, { path: '/health/live' })).arrayBuffer()
  }
  return []
}

for (const key of ['one-key', undefined]) {
  const way = key === undefined ? 'without a key' : 'with its key'
  void test(`C18: an upload whose response is lost, sent again ${way}, is one image`, async () => {
    const ana = await newUploader()
    const body = await newPicture()
    const leave = await sendOnly(ana, body, { key })
    const [stored = 0] = await untilStored(ana)
    leave()
    const answer = await post(ana, body, key)
    assert.deepEqual([answer.status, Number(await answer.text())], [key === undefined ? 200 : 201, stored])
    await assertOneImage(ana, stored)
  })

  void test(`C18: a retry ${way} that overtakes the first upload is one image`, async () => {
    const ana = await newUploader()
    const body = await newPicture()
    const leave = await sendOnly(ana, body, { key })
    leave()
    const answers = await Promise.all([post(ana, body, key), post(ana, body, key)])
    const ids = await Promise.all(answers.map(async (answer) => Number(await answer.text())))
    for (const { status } of answers) assert.ok([200, 201].includes(status))
    assert.equal(ids[0], ids[1])
    await assertOneImage(ana, ids[0] ?? 0)
  })
}

void test('C18: an interrupted upload is not remembered: the next one with its key is the first', async () => {
  const ana = await newUploader()
  const body = await newPicture()
  const leave = await sendOnly(ana, body, { key: 'one-key', bytes: body.length - 1 })
  leave()
  const answer = await post(ana, body, 'one-key')
  assert.equal(answer.status, 201)
  await assertOneImage(ana, Number(await answer.text()))
})

void test('C18: a restart loses neither a key nor what was sent without one', async (t) => {
  const dataDir = await newFolder(t)
  const first = await startWaymark({ dataDir })
  const ana = await newUploader(first)
  const bodies = [await newPicture(), await newPicture()] as const
  const keyed = await (await post(ana, bodies[0], 'one-key')).text()
  const bare = await (await post(ana, bodies[1])).text()
  await first.close()

  const waymark = await startWaymark({ dataDir })
  t.after(() => waymark.close())
  const again = { ...ana, waymark, token: await waymark.tokenFor(ana.accountId, 'images:write') }
  const answers = [
    await post(again, bodies[0], 'one-key'),
    await post(again, bodies[1]),
    await post(again, bodies[1], 'one-key'),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 200, 422],
  )
  assert.deepEqual([await answers[0]?.text(), await answers[1]?.text()], [keyed, bare])
  assert.deepEqual((await idsOf(again)).map(String), [keyed, bare])
})

async function startNarrow(t: TestContext, environment: Readonly<Record<string, string>>): Promise<Waymark> {
  const waymark = await startWaymark({ environment })
  t.after(() => waymark.close())
  return waymark
}

for (const [name, value] of [
  ['QUOTA_PENDING_IMAGES', '1'],
  ['QUOTA_BYTES', '5000'],
] as const) {
  void test(`C18 C38: a retry is answered if its own upload reached ${name}`, async (t) => {
    const waymark = await startNarrow(t, { [name]: value })
    const ana = await newUploader(waymark)
    const body = Buffer.concat([await newPicture(), Buffer.alloc(5_000)]).subarray(0, 5_000)
    const other = await newPicture()
    const first = await post(ana, body, 'one-key')
    const id = await first.text()
    assert.equal(first.status, 201, id)
    const before = [await filesBelow(`${waymark.dataDir}/blobs`), waymark.app.renditions.jobsStarted()]

    const answers = [await post(ana, body, 'one-key'), await post(ana, body)]
    assert.deepEqual(statusesOf(answers), [200, 201])
    for (const answer of answers) assert.equal(await answer.text(), id)
    await assertProblem(await post(ana, other, 'one-key'), 'idempotency-key-reused')
    await assertProblem(await post(ana, other), 'quota-reached', 'other bytes')
    await assertProblem(await post(ana, body, 'another-key'), 'quota-reached', 'a new key')
    assert.deepEqual(
      [await filesBelow(`${waymark.dataDir}/blobs`), waymark.app.renditions.jobsStarted()],
      before,
      'nothing was kept, and nothing decoded',
    )
    assert.deepEqual((await idsOf(ana)).map(String), [id])
  })
}

void test('C18 C38: at the quota only a possible retry has its body read', async (t) => {
  const waymark = await startNarrow(t, { QUOTA_PENDING_IMAGES: '1' })
  const ana = await newUploader(waymark)
  const bea = { ...(await newUploader(waymark)), trailId: ana.trailId }
  const id = await (await post(ana, await newPicture())).text()
  assert.equal((await post(bea, await newPicture())).status, 201)
  const { trailId } = await newUploader(waymark)
  const nothing = Buffer.alloc(0) // decoding it gives the refusal of an empty body
  await assertProblem(await post(ana, nothing), 'empty-image', 'an untouched image may come again')
  await assertProblem(await post(ana, nothing, 'a-new-key'), 'quota-reached')
  await assertProblem(await post({ ...ana, trailId }, nothing), 'quota-reached', 'none on this trail')
  const put = await send(waymark.url, {
    method: 'PUT',
    path: `${pathOf(ana.trailId)}/${id}`,
    headers: { ...headersOf(ana.token), 'content-type': 'application/json' },
    body: '{"title":"A"}',
  })
  assert.equal(put.status, 200)
  await assertProblem(await post(ana, nothing), 'quota-reached', 'details were set')
  await assertProblem(await post(bea, nothing), 'empty-image', 'another account')
  waymark.system.advance(24 * 3_600_000)
  const token = await waymark.tokenFor(bea.accountId, 'images:write')
  await assertProblem(await post({ ...bea, token }, nothing), 'quota-reached', 'a day later')
})
