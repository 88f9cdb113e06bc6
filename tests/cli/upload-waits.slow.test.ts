// waymark upload against a server that is busy, temporarily down, or loses responses; and tokens that expire during an
// upload.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { newFolder } from '../helpers/folders.ts'
import { isUpload, startHttpProxy, type Refusal } from '../helpers/http-proxy.ts'
import { startOauthSite, type OauthSite } from '../helpers/oauth-site.ts'
import { pngPicture } from '../helpers/pictures.ts'
import { startWaymark, type Waymark, type WaymarkOptions } from '../helpers/waymark.ts'
import { run } from './run-waymark.ts'

async function photosIn(folder: string, count: number): Promise<string> {
  const photos = path.join(folder, 'photos')
  await mkdir(photos)
  for (let at = 0; at < count; at += 1)
    await writeFile(
      path.join(photos, `${at}.png`),
      await pngPicture({ seed: at + 1, width: 20 + at, height: 20 }),
    )
  return photos
}

const countImages = async (waymark: Waymark, token: string): Promise<number> => {
  const answer = await waymark.fetch('/v2/images?limit=500', { token })
  return ((await answer.json()) as { items: object[] }).items.length
}

async function begin(t: TestContext, count: number, environment: WaymarkOptions['environment'] = {}) {
  const waymark = await startWaymark({ environment })
  t.after(() => waymark.close())
  const proxy = await startHttpProxy(t, waymark.url)
  const folder = await newFolder(t)
  const photos = await photosIn(folder, count)
  const { token } = await waymark.addPerson()
  await waymark.addTrail(4711, 'Rim Trail')
  const settings = { WAYMARK_URL: proxy.url, WAYMARK_TOKEN: token }
  return {
    waymark,
    proxy,
    folder,
    images: () => countImages(waymark, token),
    upload: (...more: string[]) =>
      run(['upload', photos, '--trail', '4711', ...more], { dataDir: folder, settings }),
  }
}

/** Refuses this many uploads, and records when each arrived. */
function refusing(times: number, refusal: Refusal) {
  const came: number[] = []
  return {
    came,
    onRequest: (request: IncomingMessage): Refusal | undefined => {
      if (!isUpload(request)) return undefined
      came.push(performance.now())
      return came.length <= times ? refusal : undefined
    },
  }
}

for (const status of [429, 503])
  void test(`${status}: waits as long as Retry-After says, every time, and nothing is refused`, async (t) => {
    const { proxy, upload, images } = await begin(t, 3)
    const { came, onRequest } = refusing(6, { status, headers: { 'retry-after': '1' } })
    proxy.meddle({ onRequest })
    const { exitCode, stdout, stderr } = await upload('--concurrency', '1')
    assert.equal(exitCode, 0, stderr)
    assert.match(stdout, /3 files: 3 uploaded/)
    assert.match(stderr, /^The proxy said so\. Waiting 1 second…$/m)
    for (const [at, time] of came.slice(0, 6).entries()) assert.ok((came[at + 1] ?? 0) - time >= 999)
    assert.equal(await images(), 3)
  })

void test('C38: the rate limit of a real server is waited out, by all uploads together', async (t) => {
  const { upload, images } = await begin(t, 12, { RATE_LIMIT_FACTOR: '1', RATE_ACCOUNT: '8' })
  const { exitCode, stdout, stderr } = await upload('--concurrency', '4')
  assert.equal(exitCode, 0, stderr)
  assert.match(stdout, /12 files: 12 uploaded/)
  assert.match(stderr, /Waiting \d+ seconds…/)
  assert.equal((stderr.match(/Waiting/g) ?? []).length < 6, true, stderr)
  assert.equal(await images(), 12)
})

void test('it gives up after --max-wait: report and summary list what was not uploaded, and a second run completes it', async (t) => {
  const { proxy, upload, images, folder } = await begin(t, 15)
  let uploads = 0
  proxy.meddle({
    onRequest: (request) => {
      if (!isUpload(request)) return undefined
      uploads += 1
      return uploads <= 3 ? undefined : { status: 429, headers: { 'retry-after': '3600' } }
    },
  })
  const report = path.join(folder, 'report.json')
  const { exitCode, stdout, stderr } = await upload(
    '--concurrency',
    '1',
    '--max-wait',
    '60',
    '--report',
    report,
  )
  assert.equal(exitCode, 2)
  const named = stdout.match(/^.*: not uploaded$/gm) ?? []
  assert.equal(named.length, 10, stdout)
  assert.match(stdout, /\n… and 2 more files not uploaded\.\n15 files: 3 uploaded, 12 not uploaded/)
  assert.match(stderr, /Not now: The proxy said so\.\n$/)
  const { files } = JSON.parse(await readFile(report, 'utf8')) as { files: { status: string }[] }
  assert.deepEqual(
    files.map(({ status }) => status),
    [...Array<string>(3).fill('sent'), ...Array<string>(12).fill('not-sent')],
  )
  proxy.meddle({})
  assert.match((await upload()).stdout, /15 files: 12 uploaded, 3 already uploaded/)
  assert.equal(await images(), 15)
})

void test('lost responses create no second photo, in the same run or in one a day later', async (t) => {
  const site = await startOauthSite(t, { hasHeldClocks: true })
  const { waymark } = site
  const proxy = await startHttpProxy(t, waymark.url)
  const folder = await newFolder(t)
  const photos = await photosIn(folder, 4)
  await waymark.addTrail(4711, 'Rim Trail')
  const settings = { WAYMARK_URL: proxy.url, ...(await clientOf(site)) }
  let answers = 0
  // The first response is lost once, those of the last two photos always.
  proxy.meddle({
    onAnswer: (request) => {
      if (!isUpload(request)) return true
      answers += 1
      return answers > 1 && answers <= 3
    },
  })
  const args = ['upload', photos, '--trail', '4711', '--concurrency', '2', '--max-wait', '3']
  const first = await run(args, { dataDir: folder, settings })
  assert.equal(first.exitCode, 2)
  assert.match(first.stderr, /The server cannot be reached/)
  proxy.meddle({})
  site.turn(25 * 3_600_000) // by then the Idempotency-Keys have expired
  const second = await run([...args, '--title', 'Other details'], { dataDir: folder, settings })
  assert.equal(second.exitCode, 0, second.stderr)
  assert.match(second.stdout, /4 files: .*already uploaded/)
  const { db } = waymark.installation.database
  const { length } = await db.selectFrom('image').select('id').execute()
  assert.equal(length, 4)
  await rm(path.join(folder, 'state'), { recursive: true })
})

/** Environment variables for a client of a new account. */
async function clientOf({ waymark }: OauthSite): Promise<Record<string, string>> {
  const { accountId } = await waymark.addPerson()
  const { clientId, clientSecret = '' } = await registerClient(waymark.installation.database.db, {
    accountId,
    name: 'Camera',
    scope: 'images:read images:write',
    now: waymark.system.now(),
    isPublic: false,
    redirectUris: [],
  })
  waymark.secrets.note('client secret', clientSecret)
  return { WAYMARK_CLIENT_ID: clientId, WAYMARK_CLIENT_SECRET: clientSecret }
}

void test('a token that expires during the upload is renewed, and no photo is lost', async (t) => {
  const site = await startOauthSite(t, { hasHeldClocks: true })
  const { waymark } = site
  const proxy = await startHttpProxy(t, waymark.url)
  const folder = await newFolder(t)
  const photos = await photosIn(folder, 9)
  await waymark.addTrail(4711, 'Rim Trail')
  const settings = { WAYMARK_URL: proxy.url, ...(await clientOf(site)) }
  let [answered, tokens] = [0, 0]
  proxy.meddle({
    onRequest: (request) => {
      if (request.url === '/oauth/token') tokens += 1
      return undefined
    },
    onAnswer: (request) => {
      if (isUpload(request)) answered += 1
      if (isUpload(request) && answered % 3 === 0) site.turn(16 * 60_000) // the command's own clock is unchanged
      return true
    },
  })
  const { exitCode, stdout, stderr } = await run(
    ['upload', photos, '--trail', '4711', '--concurrency', '2'],
    { dataDir: folder, settings },
  )
  assert.equal(exitCode, 0, stderr)
  assert.match(stdout, /9 files: 9 uploaded/)
  assert.ok(tokens >= 3, `${tokens} tokens`)
})
