// serve --demo: what it creates, that it shows its secrets once, and that it never mixes with other data (contract D1).
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, test, type TestContext } from 'node:test'
import { createAccounts } from '../../src/accounts/accounts.ts'
import { hashPassword, isPassword } from '../../src/auth/passwords.ts'
import { readConfig } from '../../src/settings/config.ts'
import { switchReadOnlyOn } from '../../src/database/read-only.ts'
import { ensureDemo } from '../../src/demo/demo.ts'
import type { Fate } from '../../src/demo/demo-trail.ts'
import { paintedAt, readPhoto } from '../../src/demo/photo-files.ts'
import { demoTrails, pointOn } from '../../src/demo/story.ts'
import { lanternRidge } from '../../src/demo/trails/lantern-ridge.ts'
import { renditionKey } from '../../src/images/storage/blob-keys.ts'
import { openInstallation, type Installation } from '../../src/installation.ts'
import { createTrails } from '../../src/trails/trails.ts'
import { newFolder, parentOfFolders } from '../helpers/folders.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { originalOf } from '../helpers/older-store.ts'
import { assertOneSentence, done, run } from '../cli/run-waymark.ts'

const settings = { PORT: '0', PUBLIC_URL: 'https://trails.example' }
const isKept = ({ is }: Fate) => is !== 'approved'

/** Five photos of one trail, since creating the whole demo takes too long. */
const [first, , , sideways] = lanternRidge.photos
assert.ok(first && sideways)
const photos = [first, sideways, ...lanternRidge.photos.filter(({ fate }) => isKept(fate))]
const trails = [{ ...lanternRidge, photos }]

const openAt = (dataDir: string): Promise<Installation> =>
  openInstallation(readConfig({ DATA_DIR: dataDir, ...settings }))

async function openNew(t: TestContext): Promise<Installation> {
  const installation = await openAt(await newFolder(t))
  t.after(() => installation.close())
  return installation
}

/**
 * Creates the small demo.
 * @returns its output.
 */
async function demoIn(installation: Installation): Promise<string> {
  const said: string[] = []
  const say = (text: string) => void said.push(text)
  const { signal: stopping } = new AbortController()
  assert.equal(await ensureDemo({ installation, say, stopping, trails }), true)
  return said.join('')
}

const imagesIn = ({ database }: Installation) =>
  database.db.selectFrom('image').selectAll().orderBy('posted_at').execute()

/** The output after a label, such as `client id`. */
function secret(said: string, word: string): string {
  const found = new RegExp(`${word} +(\\S+)`).exec(said)?.[1]
  assert.ok(found, said)
  return found
}

void describe('a small demo', () => {
  let dataDir = ''
  let installation: Installation
  let said = ''
  let madeAt = 0

  before(async () => {
    dataDir = await mkdtemp(path.join(parentOfFolders(), 'waymark-test-'))
    installation = await openAt(dataDir)
    madeAt = Date.now()
    said = await demoIn(installation)
  })
  after(async () => {
    await installation.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  void test('D1: photos in every state, uploaded over weeks by several people', async () => {
    assert.match(said, /^Adding 5 sample photos\./)
    const images = await imagesIn(installation)
    const expected = photos.toSorted((one, other) => other.hoursAgo - one.hoursAgo)
    assert.deepEqual(
      images.map(({ state, title }) => [state, title]),
      expected.map(({ fate, title }) => [fate.is === 'edited' ? 'approved' : fate.is, title]),
    )
    for (const [index, { hoursAgo }] of expected.entries()) {
      const postedAt = images[index]?.posted_at ?? 0
      assert.ok(Math.abs(madeAt - hoursAgo * 3_600_000 - postedAt) < 30_000, String(postedAt))
    }
    const edited = images.filter(({ accepted_caption: caption }) => caption !== null)
    assert.deepEqual(
      edited.map(({ accepted_caption: caption }) => caption),
      photos.filter(({ fate }) => fate.is === 'edited').map(({ caption }) => caption),
    )
    assert.ok(new Set(images.map(({ submitter_id: id }) => id)).size >= 2)
    const { db } = installation.database
    const history = await db.selectFrom('image_history').select('at').orderBy('position').execute()
    assert.ok(history.every(({ at }, index) => at >= (history[index - 1]?.at ?? 0) && at <= madeAt))
    const roles = await db.selectFrom('account').select('role').orderBy('role').execute()
    assert.deepEqual(
      roles.map(({ role }) => role),
      ['admin', 'member', 'member', 'member', 'reviewer'],
    )
  })

  void test('A2.6, C25, trust 27: photos contain a position and a serial number, and what is served does not', async () => {
    const images = await imagesIn(installation)
    for (const photo of photos) {
      const image = images.find(({ title }) => title === photo.title)
      assert.ok(image && photo.along !== undefined)
      const { lat, lon } = pointOn(lanternRidge, photo.along)
      assert.ok(Math.abs(Number(image.lat) - lat) < 1e-6 && Math.abs(Number(image.lon) - lon) < 1e-6)
      const original = (await originalOf(installation, image.sha256)).toString('latin1')
      assert.match(original, /WM-\d+/)
      // Taken within a day of being sent, whenever the demo is made.
      const [, day = ''] = /(\d{4}:\d\d:\d\d) \d\d:\d\d:\d\d/.exec(original) ?? []
      const sinceTaken = image.posted_at - Date.parse(`${day.replaceAll(':', '-')}T00:00:00Z`)
      assert.ok(sinceTaken > 0 && sinceTaken < 2 * 86_400_000, day)
      const large = await installation.blobs.read(renditionKey(image.sha256, 'lg'))
      assert.ok(large)
      assert.doesNotMatch(Buffer.from(large).toString('latin1'), /WM-\d+/)
    }
  })

  void test('the trail has the line along which its photos were taken', async () => {
    const { db } = installation.database
    const trail = await createTrails(db, Date.now).requireDetails(lanternRidge.id)
    const { type, coordinates } = JSON.parse(trail.geometry ?? '{}') as {
      type: string
      coordinates: [number, number, number][]
    }
    assert.equal(type, 'LineString')
    const corners = lanternRidge.line.map(([lat, lon], index) => [lon, lat, lanternRidge.heights[index]])
    for (const corner of corners)
      assert.ok(
        coordinates.some((place) => String(place) === String(corner)),
        String(corner),
      )
    assert.equal(trail.highest, Math.max(...coordinates.map(([, , metres]) => metres)))
  })

  void test('what is printed works: the passwords, the key, the client, and the URLs', async (t) => {
    const accounts = await installation.database.db.selectFrom('account').selectAll().execute()
    const passwords = accounts.map(({ email }) => secret(said, email))
    assert.equal(new Set(passwords).size, 5)
    for (const [index, { email, password_hash: hash }] of accounts.entries())
      assert.equal(await isPassword(passwords[index] ?? '', hash ?? ''), true, email)

    const waymark = await startWaymark({ dataDir })
    t.after(() => waymark.close())
    const addresses = [...said.matchAll(/https:\/\/trails\.example(\/[^'\s]*)/g)]
    const [list = '', view = '', token = '', pending = '', review = '', routes = ''] = addresses.map(
      ([, found = '']) => found,
    )
    const listed = (await (await waymark.fetch(list)).json()) as unknown[]
    assert.equal(listed.length, 3)
    const file = await waymark.fetch(view)
    assert.deepEqual([file.status, file.headers.get('content-type')], [200, 'image/jpeg'])

    const basic = Buffer.from(`${secret(said, 'client id')}:${secret(said, 'client secret')}`)
    const granted = await waymark.fetch(token, {
      method: 'POST',
      headers: { authorization: `Basic ${basic.toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
    const { access_token: accessToken } = (await granted.json()) as { access_token: string }
    const waiting = await waymark.fetch(pending, { token: accessToken })
    const { items } = (await waiting.json()) as { items: { imageID: number }[] }
    assert.deepEqual(
      items.map(({ imageID }) => `/v2/images/${imageID}/review`),
      [review],
    )
    const approved = await waymark.fetch(review, {
      method: 'POST',
      token: accessToken,
      headers: { 'content-type': 'application/json' },
      body: '{"decision": "approve"}',
    })
    assert.equal(approved.status, 200)
    const own = (await (await waymark.fetch(routes, { token: accessToken })).json()) as object[]
    assert.equal(own.length, 1)
  })

  void test('D1: the walks are routes of people, recorded along the trail, each with its own visibility', async () => {
    const routes = await installation.database.db
      .selectFrom('route')
      .innerJoin('account', 'account.id', 'route.account_id')
      .select(['account.email', 'visibility', 'miles', 'measures'])
      .orderBy('route.created_at')
      .execute()
    assert.deepEqual(
      routes.map(({ email, visibility }) => [email, visibility]),
      [
        ['ida@trails.example', 'private'],
        ['admin@trails.example', 'public'],
      ],
    )
    for (const { miles, measures } of routes) {
      assert.ok(miles > 1 && miles < 100, String(miles))
      assert.ok((JSON.parse(measures) as { climb: number }).climb > 100)
    }
  })

  void test('a second start says that it exists, shows no secret and creates nothing', async () => {
    const images = await imagesIn(installation)
    // People may add data to it, which is no reason to refuse.
    await createTrails(installation.database.db, Date.now).importAll([
      { id: 1, name: 'Mine', slug: undefined },
    ])
    const again = await demoIn(installation)
    assert.match(
      again,
      /^The demo already exists\..*\n {2}node bin\/waymark\.cjs keys create --account \d+ --name demo\n/,
    )
    assert.doesNotMatch(again, /wm_|wms_|wmc_/)
    assert.ok(!again.includes(secret(said, 'admin@trails.example')))
    assert.deepEqual(await imagesIn(installation), images)
  })
})

void test('--demo refuses an installation with other data, and changes nothing of it', async (t) => {
  const dataDir = await newFolder(t)
  await done(['trails', 'add', '--id', '7', '--name', 'Real'], { dataDir })
  // With an invalid address, so that it ends even if it continues.
  const refused = await run(['serve', '--demo'], { dataDir, settings: { ...settings, HOST: '192.0.2.1' } })
  assert.equal(refused.exitCode, 2)
  assertOneSentence(refused.stderr)
  assert.match(refused.stderr, /^The demo requires an empty installation/)
  const { database, close } = await openAt(dataDir)
  t.after(close)
  const rows = await Promise.all([
    database.db.selectFrom('trail').select('id').execute(),
    database.db.selectFrom('account').select('id').execute(),
    database.db.selectFrom('counter').select('name').where('name', 'like', 'demo%').execute(),
  ])
  assert.deepEqual(
    rows.map(({ length }) => length),
    [1, 0, 0],
  )
})

void test('nor does it continue after another account was added in the meantime, nor in read-only mode', async (t) => {
  const installation = await openNew(t)
  const { db } = installation.database
  await db.insertInto('counter').values({ name: 'demo-begun', value: Date.now() }).execute()
  await createAccounts({ db, system: installation.system, hashPassword }).create({
    email: 'ann@trails.example',
    displayName: 'Ann',
    role: 'admin',
    id: undefined,
    password: undefined,
  })
  await assert.rejects(demoIn(installation), /requires an empty installation/)

  const other = await openNew(t)
  await switchReadOnlyOn(other.database.db, Date.now(), '')
  await assert.rejects(demoIn(other), { code: 'read-only' })
  assert.deepEqual(await imagesIn(other), [])
  const counted = await other.database.db.selectFrom('counter').select('name').execute()
  assert.deepEqual(
    counted.map(({ name }) => name),
    ['schema:needed'],
  )
})

void test('the plan of the whole demo: times, states, texts and lines are consistent', () => {
  const all = demoTrails.flatMap((trail) => trail.photos)
  assert.ok(all.length >= 24 && all.length <= 40)
  assert.equal(
    new Set(all.map(({ hoursAgo }) => hoursAgo)).size,
    all.length,
    'a photo is known by its moment',
  )
  const fates = new Set(all.map(({ fate }) => fate.is))
  assert.deepEqual([...fates].toSorted(), ['approved', 'edited', 'pending', 'rejected', 'removed'])
  const texts = all.flatMap(({ title, caption }) => [title, caption])
  assert.ok(texts.every((text) => Array.from(text).length <= 256))
  // Every step of a photo lies in the past: the last is taken nine hours after it was sent.
  assert.ok(all.every(({ fate, hoursAgo }) => fate.is === 'pending' || hoursAgo > 9.1))
  for (const trail of demoTrails) {
    const ends = [trail.line[0], trail.line.at(-1)].map((end) => ({ lat: end?.[0], lon: end?.[1] }))
    assert.deepEqual([pointOn(trail, 0), pointOn(trail, 1)], ends)
  }
})

void test('every photo of the plan is a file, as drawn by npm run demo-photos, and there is no other file', async () => {
  const folder = path.resolve(import.meta.dirname, '../../src/demo/photos')
  const named = demoTrails.flatMap(({ photos: sent }) => sent.map(({ file }) => file))
  assert.deepEqual((await readdir(folder)).toSorted(), named.toSorted())
  const takenAt = '2026:10:05 07:11:12'
  for (const file of named) {
    const bytes = Buffer.from(await readPhoto(file, takenAt))
    assert.equal(bytes.includes(paintedAt), false, file)
    assert.equal(bytes.includes(takenAt), file.endsWith('.jpg'), file)
  }
})
