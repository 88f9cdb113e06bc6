// GET /v2/images/{imageID}/original: who gets the uploaded file, in either storage form, and what is audited.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import sharp from 'sharp'
import { listAudit } from '../../../src/accounts/audit/audit.ts'
import { switchReadOnlyOff, switchReadOnlyOn } from '../../../src/database/read-only.ts'
import { isRemovedName, originalKey, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { listRenditions } from '../../../src/images/storage/rendition-table.ts'
import { writePrivateMetadata } from '../../helpers/exif-fixtures.ts'
import { coded, makeHeif, tinyHeic } from '../../helpers/heif-fixtures.ts'
import { storeAsBefore } from '../../helpers/older-store.ts'
import { jpegPicture, pngPicture } from '../../helpers/pictures.ts'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark, type Person } from '../../helpers/waymark.ts'
import { filePart, sendForm } from '../image-client.ts'

const waymark = await startWaymark()
after(() => waymark.close())
await waymark.addTrail(4711, 'Rim Trail')
const ana = await waymark.addPerson()
const bob = await waymark.addPerson()
const rob = await waymark.addPerson({ role: 'reviewer' })
const ada = await waymark.addPerson({ role: 'admin' })
const { database, blobs } = waymark.installation
const { db } = database

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
let pictures = 0
/** With a position and more that size lg lacks. */
async function privatePhoto(): Promise<Buffer> {
  pictures += 1
  const picture = await jpegPicture({ width: 300 + pictures, height: 200, seed: pictures })
  return writePrivateMetadata(picture, { position: { lat: 46.5, lon: 7.25 }, orientation: 6 })
}

const original = (imageID: number, { token }: Pick<Person, 'token'>, init: RequestInit = {}) =>
  waymark.fetch(`/v2/images/${imageID}/original`, { token, ...init })

async function assertBytes(answer: Response, expected: Uint8Array, type: string): Promise<void> {
  assert.equal(answer.status, 200)
  const { headers } = answer
  assert.equal(headers.get('content-type'), type)
  assert.equal(headers.get('content-length'), String(expected.length))
  assert.equal(headers.get('cache-control'), 'private, no-store')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="\d+\.\w+"$/)
  const digest = createHash('sha256').update(expected).digest('base64')
  assert.equal(headers.get('repr-digest'), `sha-256=:${digest}:`)
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(expected)))
}

async function auditedOf(imageID: number) {
  const rows = await listAudit(db, { action: 'original.read', limit: 100 })
  return rows.filter(({ detail }) => (JSON.parse(detail) as { imageID: number }).imageID === imageID)
}

void test('C25: the submitter and admins get the original byte for byte, however it is stored; for others it is unknown', async () => {
  const photo = await privatePhoto()
  for (const form of ['rebuilt', 'stored'] as const) {
    const bytes = form === 'rebuilt' ? photo : await privatePhoto()
    const imageID = await waymark.upload(ana, 4711, bytes)
    if (form === 'stored') await storeAsBefore(waymark.installation, sha256(bytes))
    for (const state of ['pending', 'approved', 'removed']) {
      if (state !== 'pending') await waymark.review(rob, imageID, state === 'approved' ? 'approve' : 'remove')
      await assertBytes(await original(imageID, ana), bytes, 'image/jpeg')
      await assertBytes(await original(imageID, ada), bytes, 'image/jpeg')
      for (const person of [bob, rob])
        await assertProblem(await original(imageID, person), 'invalid-image-id')
    }
  }
})

void test('photos that v2 converts are returned as uploaded, and so are formats without metadata', async () => {
  const png = await pngPicture({ width: 40, height: 30 })
  const uploads = {
    'image/heic': makeHeif([coded(tinyHeic)], { brand: 'heic', references: [] }),
    'image/avif': await sharp(png).avif({ effort: 0 }).toBuffer(),
    'image/webp': await sharp(png).webp().toBuffer(),
    'image/png': png,
    'image/gif': await sharp(png).gif().toBuffer(),
  }
  for (const [type, bytes] of Object.entries(uploads)) {
    const made = await sendForm(waymark, ana, 4711, { parts: [filePart(bytes, type)] })
    assert.equal(made.status, 201, type)
    const { imageID, sha256: reported } = (await made.json()) as { imageID: number; sha256: string }
    assert.equal(reported, sha256(bytes))
    await assertBytes(await original(imageID, ada), bytes, type)
  }
})

void test('ranges, HEAD, 304 and 416', async () => {
  const bytes = await privatePhoto()
  const imageID = await waymark.upload(ana, 4711, bytes)
  const length = bytes.length
  for (const [range, from, to] of [
    ['bytes=0-0', 0, 0],
    ['bytes=100-', 100, length - 1],
    ['bytes=-7', length - 7, length - 1],
    [`bytes=50-${length + 5}`, 50, length - 1],
  ] as const) {
    const part = await original(imageID, ana, { headers: { range } })
    assert.equal(part.status, 206)
    assert.equal(part.headers.get('content-range'), `bytes ${from}-${to}/${length}`)
    assert.equal(part.headers.get('content-length'), String(to - from + 1))
    assert.ok(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(from, to + 1)), range)
  }
  const head = await original(imageID, ana, { method: 'HEAD' })
  assert.equal(head.status, 200)
  assert.equal(head.headers.get('content-length'), String(length))
  const etag = head.headers.get('etag') ?? ''
  assert.equal((await original(imageID, ana, { headers: { 'if-none-match': etag } })).status, 304)
  const beyond = await original(imageID, ana, { headers: { range: `bytes=${length}-` } })
  await assertProblem(beyond, 'range-not-satisfiable')
})

void test('a range and HEAD cost as much as the whole, which is checked for each of them', async () => {
  const side = 1_200
  const noise = { raw: { width: side, height: side, channels: 3 } } as const
  const large = await sharp(randomBytes(side * side * 3), noise)
    .png()
    .toBuffer()
  const imageID = await waymark.upload(ana, 4711, large, 'image/png')
  const leftAfter = async (init: RequestInit): Promise<number> => {
    const answer = await original(imageID, ana, init)
    await answer.arrayBuffer()
    return Number(/;r=(\d+);/.exec(answer.headers.get('ratelimit') ?? '')?.[1])
  }
  const cost = 1 + Math.floor(large.length / (2 * 1024 ** 2))
  assert.ok(cost > 1)
  let left = await leftAfter({})
  for (const init of [{}, { headers: { range: 'bytes=0-0' } }, { method: 'HEAD' }]) {
    const now = await leftAfter(init)
    assert.equal(left - now, cost, JSON.stringify(init))
    left = now
  }
})

void test('each photo whose original an admin gets is audited once an hour, visible to the submitter; HEAD and own photos are not audited', async () => {
  const imageID = await waymark.upload(ana, 4711, await privatePhoto())
  await original(imageID, ana).then((answer) => answer.arrayBuffer())
  await original(imageID, ada, { method: 'HEAD' })
  assert.deepEqual(await auditedOf(imageID), [])
  await original(imageID, ada).then((answer) => answer.arrayBuffer())
  await original(imageID, ada, { headers: { range: 'bytes=1-' } }).then((answer) => answer.arrayBuffer())
  const rows = await auditedOf(imageID)
  assert.deepEqual(
    rows.map(({ actorId, accountId, via, detail }) => ({ actorId, accountId, via, detail })),
    [
      {
        actorId: ada.accountId,
        accountId: ana.accountId,
        via: 'token',
        detail: JSON.stringify({ imageID, trailID: 4711 }),
      },
    ],
  )
})

void test('scopes: images:read for the submitter, plus images:review for an admin; API keys never suffice', async () => {
  const imageID = await waymark.upload(ana, 4711, await privatePhoto())
  await waymark.review(rob, imageID, 'approve')
  const anasWriter = { token: await waymark.tokenFor(ana.accountId, 'images:write') }
  const adasReader = { token: await waymark.tokenFor(ada.accountId, 'images:read') }
  for (const [person, scope] of [
    [anasWriter, 'images:read'],
    [adasReader, 'images:review'],
  ] as const) {
    const refused = await original(imageID, person)
    assert.match(refused.headers.get('www-authenticate') ?? '', new RegExp(`scope="${scope}"`))
    await assertProblem(refused, 'insufficient-scope')
  }
  const apiKey = await waymark.addKey(ada.accountId)
  const byKey = await waymark.fetch(`/v2/images/${imageID}/original`, { headers: { 'x-api-key': apiKey } })
  assert.equal(byKey.status, 401)
  assert.equal((await waymark.fetch(`/v2/images/${imageID}/original`)).status, 401)
})

void test('in the trash an original is unknown to everyone; while the installation is read-only originals can be read', async () => {
  const bytes = await privatePhoto()
  const imageID = await waymark.upload(ana, 4711, bytes)
  await switchReadOnlyOn(db, waymark.system.now(), 'for a test')
  await assertBytes(await original(imageID, ada), bytes, 'image/jpeg')
  await switchReadOnlyOff(db)
  assert.equal((await auditedOf(imageID)).length, 1)
  await waymark.fetch(`/v2/images/${imageID}`, { method: 'DELETE', token: ana.token })
  for (const person of [ana, ada, rob])
    await assertProblem(await original(imageID, person), 'invalid-image-id')
})

void test('a missing or damaged original is never sent: 410', async () => {
  for (const form of ['missing', 'damaged'] as const) {
    const bytes = await privatePhoto()
    const imageID = await waymark.upload(ana, 4711, bytes)
    await storeAsBefore(waymark.installation, sha256(bytes))
    if (form === 'missing') await blobs.remove(originalKey(sha256(bytes)))
    else await blobs.put(originalKey(sha256(bytes)), Buffer.from(bytes).fill(7, 900, 910), 'durable')
    await assertProblem(await original(imageID, ada), 'original-gone')
    assert.deepEqual(await auditedOf(imageID), [])
    // For checks of the store after this test.
    await blobs.put(originalKey(sha256(bytes)), bytes, 'durable')
  }
  const bytes = await privatePhoto()
  const imageID = await waymark.upload(ana, 4711, bytes)
  const removed = (await listRenditions(db, sha256(bytes))).find(({ name }) => isRemovedName(name))
  assert.ok(removed)
  await blobs.remove(renditionKey(sha256(bytes), removed.name))
  await assertProblem(await original(imageID, ada), 'original-gone')
})

void test('each of many concurrent requests gets the whole original, or 503 with Retry-After', async () => {
  const photos = new Map<number, Buffer>()
  for (let count = 0; count < 4; count += 1) {
    const bytes = await privatePhoto()
    photos.set(await waymark.upload(ana, 4711, bytes), bytes)
  }
  const wanted = Array.from({ length: 20 }, () => [...photos]).flat()
  const ends = await Promise.all(
    wanted.map(async ([imageID, bytes]) => {
      const answer = await original(imageID, ada)
      if (answer.status === 503) return answer.headers.get('retry-after')
      return Buffer.from(await answer.arrayBuffer()).equals(bytes)
    }),
  )
  assert.ok(ends.every((end) => end === true || end === '5'))
  assert.ok(ends.filter((end) => end === true).length >= 50)
})

/** Photos of the store that this process has open. */
async function openPhotos(): Promise<number> {
  const names = await readdir('/proc/self/fd')
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return targets.filter((target) => /\/(?:original|rendition)\//.test(target)).length
}

/** Asks, and leaves as soon as the request is on its way. */
async function askAndLeave(imageID: number, { token }: Person): Promise<void> {
  const { hostname, port } = new URL(waymark.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const head = `GET /v2/images/${imageID}/original HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
  await new Promise((sent) => void socket.write(head, sent))
  socket.destroy()
}

const noDescriptors = !existsSync('/proc/self/fd') && 'the system does not tell what is open'

void test(
  'a client that disconnects before the first byte leaves no file open',
  { skip: noDescriptors, timeout: 60_000 },
  async () => {
    const bytes = await privatePhoto()
    const imageID = await waymark.upload(ana, 4711, bytes)
    // Fewer than may wait (50), so that the one that stays is answered behind all of them, however slow the machine is.
    for (let count = 0; count < 40; count += 1) await askAndLeave(imageID, ana)
    await assertBytes(await original(imageID, ana), bytes, 'image/jpeg')
    while ((await openPhotos()) > 0) await pause(20)
  },
)

void test('the same photo is audited again an hour later', async () => {
  const imageID = await waymark.upload(ana, 4711, await privatePhoto())
  await original(imageID, ada).then((answer) => answer.arrayBuffer())
  waymark.system.advance(3_600_000)
  const token = await waymark.tokenFor(ada.accountId, 'images:read images:review')
  await original(imageID, { token }).then((answer) => answer.arrayBuffer())
  assert.equal((await auditedOf(imageID)).length, 2)
})
