// Every sample in docs/sdk.md runs with a real server and does what the text says.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { registerClient, type NewClient } from '../../src/auth/oauth/oauth-clients.ts'
import { newSecret, signatureOf } from '../../src/events/webhooks/signature.ts'
import { createEventRetention } from '../../src/events/retention.ts'
import type { Waymark as Sdk } from '../../client/client.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'
import { gpxOf, walkNorth } from '../shared/placing/placing-helpers.ts'
import { timedPhoto } from '../shared/placing/timed-photos.ts'
import { readSamples, runSample, type Run, type Sample } from './samples.ts'

let site: Waymark
let person: Person
let folder: string
const samples = await readSamples()
const left = new Set(samples)

before(async () => {
  site = await startWaymark()
  person = await site.addPerson({ role: 'reviewer' })
  folder = await mkdtemp(path.join(os.tmpdir(), 'waymark-sdk-'))
  await site.addTrail(4711, 'Ridge')
})
after(async () => {
  await site.close()
  await rm(folder, { recursive: true })
})

/** The next sample under the heading. */
function sampleOf(heading: string): Sample {
  const sample = [...left].find((one) => one.heading === heading)
  assert.ok(sample, `no sample is left under ${heading}`)
  left.delete(sample)
  return sample
}

const run = (heading: string, values: Record<string, string> = {}, fakes = {}): Promise<Run> =>
  runSample(sampleOf(heading), {
    folder,
    fakes,
    values: { 'https://trails.example': site.url, YOUR_TOKEN: person.token, ...values },
  })

async function clientOf(client: Partial<NewClient>) {
  const made = await registerClient(site.installation.database.db, {
    accountId: person.accountId,
    name: 'Sample',
    scope: 'images:read images:write routes:write',
    now: site.system.now(),
    isPublic: true,
    redirectUris: ['https://gallery.example/back'],
    ...client,
  })
  site.secrets.note('client secret', made.clientSecret)
  return made
}

describe('docs/sdk.md', () => {
  void test('listing trails with a key', async () => {
    const key = await site.addKey(person.accountId)
    assert.deepEqual((await run('Quick start', { YOUR_KEY: key })).lines, ['Ridge 0'])
    assert.deepEqual((await run('Quick start', { YOUR_KEY: key })).lines, ['Ridge'])
  })

  void test('uploading with progress', async () => {
    const photo = path.join(folder, 'bridge.jpg')
    await writeFile(photo, await jpegPicture())
    const { lines } = await run('Uploading', { "readFile('bridge.jpg')": `readFile('${photo}')` })
    assert.equal(lines[0], '0 %')
    assert.ok(lines.includes('100 %'))
    const [, imageId] = /^(\d+) pending$/.exec(lines.at(-1) ?? '') ?? []
    assert.equal((await site.review(person, Number(imageId), 'approve')).status, 200)
  })

  void test('paging', async () => {
    for (const seed of [2, 3]) await site.upload(person, 4711, await jpegPicture({ seed }))
    const { lines } = await run('Lists and pagination')
    assert.equal(lines[0]?.split(' ').at(-1), 'null')
    assert.match(
      lines[1] ?? '',
      /^At the bridge http:\/\/127\.0\.0\.1:\d+\/ImageHandler\?id=\d+&t=640&f=webp$/,
    )
    assert.equal(lines.length, 2)
  })

  void test('If-Match', async () => {
    const imageId = await site.upload(person, 4711, await jpegPicture({ seed: 4 }))
    const { lines } = await run('Conditional updates', { 123456: String(imageId) })
    assert.deepEqual(lines, ['Somebody was faster.'])
  })

  void test('problems', async () => {
    const { lines } = await run('Error handling', { YOUR_KEY: await site.addKey(person.accountId) })
    assert.match(lines[0] ?? '', /^404 invalid-trail-id Invalid Trail ID .* urn:waymark:request:/)
  })

  void test('a time limit and a signal', async () => {
    const key = await site.addKey(person.accountId)
    assert.deepEqual((await run('Cancellation and time limits', { YOUR_KEY: key })).lines, ['Ridge'])
  })

  void test('events', async () => {
    const { lines } = await run('Events')
    assert.match(lines[0] ?? '', /^up to \d+$/)
    assert.match(lines[1] ?? '', /^1 image.uploaded \{"imageID":\d+,"trailID":4711,"status":"pending"\}$/)
  })

  void test('events that were deleted', async () => {
    const { database } = site.installation
    await database.db.updateTable('outbox').set({ at: 0 }).execute()
    await site.upload(person, 4711, await jpegPicture({ seed: 5 }))
    const { now } = site.system
    const retention = createEventRetention({ db: database.db, now, days: 7 })
    assert.ok((await retention.run(new AbortController().signal)) > 0)
    const { lines } = await run('Events', { 'since = 17': 'since = 0' })
    assert.deepEqual(lines, ['Ridge'])
  })

  void test('webhooks', async () => {
    const secret = newSecret()
    const { lines, exported } = await run('Webhooks', { YOUR_SECRET: secret })
    const { receive } = exported as { receive: (headers: object, body: string) => Promise<number> }
    const body = '{"type":"image.approved","timestamp":"2026-05-14T09:08:07.000Z","data":{"imageID":42}}'
    const timestamp = Math.floor(Date.now() / 1_000)
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(secret, { id: 'msg_1', timestamp, body }),
    }
    assert.equal(await receive(headers, body), 204)
    assert.equal(await receive(headers, `${body} `), 400)
    assert.deepEqual(lines, ['msg_1 image.approved {"imageID":42}', 'wrong-signature'])
  })

  void test('signing in: the person is redirected, and a response without a matching request is refused', async () => {
    const { clientId } = await clientOf({})
    const kept = new Map<string, string>()
    const sentTo: string[] = []
    const location = {
      href: 'https://gallery.example/back?code=x&state=other',
      assign: (to: string) => sentTo.push(to),
    }
    const sessionStorage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
      removeItem: (key: string) => kept.delete(key),
    }
    const { exported } = await run('User sign-in', { YOUR_CLIENT: clientId }, { location, sessionStorage })
    const { signIn, comeBack } = exported as { signIn: () => Promise<void>; comeBack: () => Promise<Sdk> }
    await signIn()
    const answer = await fetch(sentTo[0] ?? '', { redirect: 'manual' })
    assert.equal(answer.status, 303, await answer.text())
    await assert.rejects(comeBack(), { name: 'WaymarkProblem', code: 'wrong-state' })
  })

  void test('a program with a secret', async () => {
    const { clientId, clientSecret = '' } = await clientOf({ isPublic: false })
    const { lines } = await run('User sign-in', { YOUR_PROGRAM: clientId, YOUR_SECRET: clientSecret })
    assert.deepEqual(lines, ['["images:read","images:write","routes:write"]'])
  })

  void test('locations from a track', async () => {
    const start = Date.UTC(2026, 4, 14, 12)
    const photo = (seed: number, localTime: string) =>
      jpegPicture({ seed }).then((jpeg) => timedPhoto(jpeg, { localTime }))
    const files = {
      'bridge.jpg': await photo(5, '2026-05-14T14:05:00'),
      'summit.jpg': await photo(6, '2026-05-14T17:05:00'),
      'walk.gpx': gpxOf(walkNorth(start, 600)),
    }
    for (const [name, bytes] of Object.entries(files)) await writeFile(path.join(folder, name), bytes)
    const paths = Object.keys(files).map((name) => [`'${name}'`, `'${path.join(folder, name)}'`])
    const { lines } = await run('Places from a track', Object.fromEntries(paths) as Record<string, string>)
    assert.deepEqual(lines.slice(0, 2), ['placed 46.0032 track', 'outside  '])
    assert.equal(lines[2], 'Europe/Zurich []')
  })
})

void test('every sample was run, except the one for the terminal, which takes a while', () => {
  assert.deepEqual(
    [...left].map(({ code }) => /YOUR_[A-Z]+/.exec(code)?.[0]),
    ['YOUR_TERMINAL'],
  )
})
