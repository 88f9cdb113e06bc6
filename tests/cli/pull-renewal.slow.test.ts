// waymark pull --originals for hours: the access token of `waymark login` expires in between, and is renewed.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Login } from '../../cli/remote/logins.ts'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { startClassicFilter } from '../helpers/classic-filter.ts'
import { newFolder } from '../helpers/folders.ts'
import { typeDeviceCode } from '../helpers/oauth-people.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { addMember } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'
import type { PullDocument } from './pull-helpers.ts'
import { assertOneSentence, done, run, runJson, startChild } from './run-waymark.ts'

/** Longer than an access token is valid. */
const expiryMs = 16 * 60_000

const isOriginal = (address: string): boolean => /^\/v2\/images\/\d+\/original$/.test(address)

const trailId = 4711

/** Another Waymark with photos of one member. */
async function begin(t: TestContext, photos: number) {
  const waymark = await startWaymark()
  t.after(() => waymark.close())
  await waymark.addTrail(trailId, 'Rim Trail', 'rim')
  const admin = await waymark.addPerson({ role: 'admin' })
  const member = await addMember(waymark)
  const token = await waymark.tokenFor(member.accountId, 'images:read images:write')
  for (let seed = 0; seed < photos; seed += 1) {
    const bytes = await jpegPicture({ width: 40 + seed, height: 30, seed })
    const id = await waymark.upload({ accountId: member.accountId, token }, trailId, bytes)
    assert.equal((await waymark.review(admin, id, 'approve')).status, 200)
  }
  const state = {
    /** The token expires after so many originals, and again after as many. */
    expireAfter: Infinity,
    /** As many renewed tokens expire before they are used. */
    expireRenewed: 0,
    received: 0,
    expired: 0,
    /** The status of each renewal. */
    renewed: [] as (number | undefined)[],
  }
  const filter = await startClassicFilter(t, {
    target: waymark.url,
    also: [/^\/v2\/me$/, /^\/v2\/images\/\d+\/original$/],
    posts: [/^\/oauth\/(?:device|token)$/],
    onStep: (step, address, status) => {
      // Before the response reaches the pull, so that its next request comes after the expiry.
      if (step !== 'half') return
      if (address === '/oauth/token') {
        state.renewed.push(status)
        if (state.renewed.length <= state.expireRenewed) waymark.system.advance(expiryMs)
      } else if (isOriginal(address) && status === 200) {
        state.received += 1
        if (state.received % state.expireAfter !== 0) return
        state.expired += 1
        waymark.system.advance(expiryMs)
      }
    },
  })
  const folder = await newFolder(t)
  const settings = { XDG_CONFIG_HOME: path.join(folder, 'config'), RATE_LIMIT_FACTOR: '1000' }
  /** With `waymark login`, as a person who types the code that it shows. */
  async function signIn(): Promise<void> {
    const child = startChild(['login', '--url', filter.origin], { dataDir: folder, settings })
    child.stdout.resume()
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
    while (!/the code [A-Z]{4}-[A-Z]{4}/.test(said)) await once(child.stderr, 'data')
    await typeDeviceCode(member, /the code ([A-Z-]{9})/.exec(said)?.[1] ?? '')
    assert.deepEqual(await once(child, 'close'), [0, null], said)
    state.renewed.length = 0
  }

  /** As docs/moving-in.md has it. */
  async function signInClient(): Promise<void> {
    const { clientId, clientSecret = '' } = await registerClient(waymark.installation.database.db, {
      accountId: member.accountId,
      name: 'Pull',
      scope: 'images:read',
      now: waymark.system.now(),
      isPublic: false,
      redirectUris: [],
    })
    waymark.secrets.note('client secret', clientSecret)
    const login = ['login', '--url', filter.origin, '--client-id', clientId]
    await done(login, { dataDir: folder, settings: { ...settings, WAYMARK_CLIENT_SECRET: clientSecret } })
    state.renewed.length = 0
  }

  const key = await waymark.addKey(member.accountId)
  const args = ['pull', `${filter.origin}/V1`, '--api-key', key, '--rate', '1000']
  return {
    waymark,
    signIn,
    signInClient,
    member: { accountId: member.accountId, token },
    filter,
    state,
    settings,
    args: [...args, '--trails', String(trailId), '--originals'],
    refreshToken: async () => {
      const text = await readFile(path.join(settings.XDG_CONFIG_HOME, 'waymark/logins.json'), 'utf8')
      const { servers } = JSON.parse(text) as { servers: Record<string, Login> }
      return servers[filter.origin]?.refreshToken
    },
  }
}

void test('the token expires three times while two processes pull: each refresh token is used once, and both have every original', async (t) => {
  const { waymark, filter, signIn, state, settings, args, refreshToken } = await begin(t, 10)
  await signIn()
  const first = await refreshToken()
  // Of 20 responses; the fourth expiry would come with the 24th.
  state.expireAfter = 6
  const pulls = await Promise.all(
    [1, 2].map(async () => {
      const options = { dataDir: await newFolder(t), settings }
      const { exitCode, document } = await runJson(args, options)
      return { exitCode, options, document: document as PullDocument }
    }),
  )
  for (const { exitCode, options, document } of pulls) {
    assert.equal(exitCode, 0, JSON.stringify(document))
    const { images, left, conflicts, notes } = document
    assert.deepEqual([left, conflicts, notes], [0, 0, 0])
    assert.deepEqual([images.new, images.originals], [10, 10])
    assert.notEqual(((await done(['check', '--store'], options)) as { ok?: boolean }).ok, false)
  }
  assert.equal(state.received, 20)
  assert.deepEqual([state.expired, state.renewed], [3, [200, 200, 200]])
  assert.deepEqual(filter.strays, [])
  // The sign-in has not been revoked: the token of the last renewal works, and the one before it was replaced.
  const last = await refreshToken()
  assert.notEqual(last, first)
  waymark.system.advance(expiryMs)
  const again = await done(args, { dataDir: await newFolder(t), settings })
  assert.equal((again as PullDocument).images.originals, 10)
  assert.notEqual(await refreshToken(), last)
})

void test('a token of a client that expires while it is renewed is renewed again', async (t) => {
  const { signInClient, state, settings, args } = await begin(t, 4)
  await signInClient()
  state.expireAfter = 2
  state.expireRenewed = 2
  const document = await done(args, { dataDir: await newFolder(t), settings })
  assert.deepEqual([(document as PullDocument).images.originals, state.received], [4, 4])
  assert.deepEqual(state.renewed, [200, 200, 200])
})

void test('with an expired token in the environment the pull ends, however often, and leaves no photo out', async (t) => {
  const { waymark, member, state, settings, args } = await begin(t, 4)
  state.expireAfter = 2
  const dataDir = await newFolder(t)
  const tokens = [member.token, member.token, member.token]
  for (const WAYMARK_TOKEN of tokens) {
    const ended = await run(args, { dataDir, settings: { ...settings, WAYMARK_TOKEN } })
    assert.deepEqual([ended.exitCode, state.received], [3, 2], ended.stderr)
    assertOneSentence(ended.stderr)
  }
  state.expireAfter = Infinity
  const WAYMARK_TOKEN = await waymark.tokenFor(member.accountId, 'images:read')
  const last = await done(args, { dataDir, settings: { ...settings, WAYMARK_TOKEN } })
  const { resumed, images, left, notes } = last as PullDocument
  assert.deepEqual([resumed, images.new, images.originals, left, notes], [true, 2, 2, 0, 0])
})
