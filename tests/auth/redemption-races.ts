// Six concurrent redemptions of everything that works once: at most one succeeds, on every database (trap 1, C29).
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import type { TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../src/database/database.ts'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { typeDeviceCode } from '../helpers/oauth-people.ts'
import { challengeOf, newVerifier } from '../helpers/pkce.ts'
import { addSignedIn, createVisitor, type Member } from '../helpers/visitor.ts'
import type { Waymark } from '../helpers/waymark.ts'

/**
 * Delays every database response by a few event-loop turns, like a remote database. SQLite responds immediately, so two
 * requests could never interleave between a check and its change.
 */
export const answersLate = (db: Db): Db =>
  db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      for (let turns = randomInt(1, 4); turns > 0; turns -= 1) await setImmediate()
      return result
    },
  })

const redirectUri = 'https://gallery.example/back'
const rivals = 6

export interface RaceOptions {
  /** For what needs no password hash. */
  readonly rounds: number
  /** For what needs six. */
  readonly hashedRounds: number
}

interface Runner {
  readonly waymark: Waymark
  readonly person: Member
  readonly admin: Member
  readonly clientId: string
}

interface TokenAnswer {
  readonly status: number
  readonly access_token?: string
  readonly refresh_token?: string
  readonly error?: string
}

async function tokenOf({ waymark, clientId }: Runner, form: Record<string, string>): Promise<TokenAnswer> {
  const body = new URLSearchParams({ client_id: clientId, ...form })
  const answer = await waymark.fetch('/oauth/token', { method: 'POST', body })
  return { status: answer.status, ...((await answer.json()) as object) }
}

/** An unused code, and what it is exchanged with. */
async function newCode({ person, clientId }: Runner): Promise<Record<string, string>> {
  const verifier = newVerifier()
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'images:read',
    state: 'x',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  })
  let answer = await person.follow(await person.get(`/oauth/authorize?${query.toString()}`))
  const action = /<form method="post" action="([^"]*interaction[^"]*)"/.exec(answer.text)?.[1]
  if (answer.location === null && action !== undefined)
    answer = await person.follow(await person.post(action, { do: 'allow' }))
  const code = new URL(answer.location ?? '').searchParams.get('code') ?? ''
  return { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }
}

async function newRefreshToken(runner: Runner): Promise<Record<string, string>> {
  const { refresh_token: token = '' } = await tokenOf(runner, await newCode(runner))
  return { grant_type: 'refresh_token', refresh_token: token }
}

async function newDeviceCode({ waymark, person, clientId }: Runner): Promise<Record<string, string>> {
  const body = new URLSearchParams({ client_id: clientId, scope: 'images:read' })
  const begun = (await (await waymark.fetch('/oauth/device', { method: 'POST', body })).json()) as Record<
    string,
    string
  >
  const page = await typeDeviceCode(person, begun['user_code'] ?? '')
  assert.match(page.text, /connected/)
  return {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: begun['device_code'] ?? '',
  }
}

const each = <Result>(work: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: rivals }, (_, index) => work(index)))

async function raceForTokens(runner: Runner, form: Record<string, string>): Promise<void> {
  const answers = await each(() => tokenOf(runner, form))
  const winners = answers.filter(({ status }) => status === 200)
  assert.ok(winners.length <= 1, `${winners.length} of ${rivals} got tokens`)
  for (const { status, error } of answers)
    if (status !== 200) assert.deepEqual([status, error], [400, 'invalid_grant'])
  // The thief cannot be distinguished from the owner, so everything issued is revoked.
  for (const { access_token: token = '', refresh_token: refreshToken = '' } of winners) {
    assert.equal((await runner.waymark.fetch('/v2/images', { token })).status, 401)
    const again = await tokenOf(runner, { grant_type: 'refresh_token', refresh_token: refreshToken })
    assert.equal(again.status, 400)
  }
}

/** The link works in one of six browsers; the others see that it has been used. */
async function raceForLink(
  waymark: Waymark,
  link: string,
  fields: (index: number) => Record<string, string>,
): Promise<void> {
  const answers = await each((index) => createVisitor(waymark).post(link, fields(index)))
  const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other)
  assert.deepEqual(statuses, [303, ...Array.from({ length: rivals - 1 }, () => 410)])
}

async function linkFor({ admin }: Runner, path: string, body?: unknown): Promise<string> {
  const answer = await admin.call('POST', path, body)
  assert.equal(answer.status, 201, answer.text)
  return (JSON.parse(answer.text) as { url: string }).url
}

type Race = (runner: Runner, round: number) => Promise<void>

const races: Readonly<Record<string, Race>> = {
  'one code': async (runner) => raceForTokens(runner, await newCode(runner)),
  'one refresh token': async (runner) => raceForTokens(runner, await newRefreshToken(runner)),
  'one device code': async (runner) => raceForTokens(runner, await newDeviceCode(runner)),
}

const hashedRaces: Readonly<Record<string, Race>> = {
  'one reset link': async (runner) => {
    const link = await linkFor(runner, `/v2/admin/accounts/${runner.person.accountId}/reset-link`)
    await raceForLink(runner.waymark, link, (index) => ({ password: `another pass ${index}` }))
  },
  'one invitation': async (runner, round) => {
    const email = `guest-${round}@trails.example`
    const link = await linkFor(runner, '/v2/admin/invitations', { email })
    await raceForLink(runner.waymark, link, (index) => ({ name: `Guest ${index}`, password: 'a good pass' }))
  },
  'one set-up link': async ({ waymark }, round) => {
    waymark.system.advance(11_000) // or the link of the previous round would still be valid
    const link = (await waymark.app.services.joining.makeSetUpLink()) ?? ''
    await raceForLink(waymark, link, (index) => ({
      email: `admin-${round}-${index}@trails.example`,
      name: 'Admin',
      password: 'a good pass',
    }))
  },
}

/** @param start with the given database, closed when the test ends. */
export async function runRedemptionRaces(
  t: TestContext,
  start: (t: TestContext) => Promise<Waymark>,
  { rounds, hashedRounds }: RaceOptions,
): Promise<void> {
  const waymark = await start(t)
  const [person, admin] = [await addSignedIn(waymark), await addSignedIn(waymark, 'admin')]
  const { clientId } = await registerClient(waymark.installation.database.db, {
    accountId: admin.accountId,
    name: 'Gallery',
    scope: 'images:read',
    now: waymark.system.now(),
    isPublic: true,
    redirectUris: [redirectUri],
  })
  const runner = { waymark, person, admin, clientId }
  for (const [all, count] of [
    [races, rounds],
    [hashedRaces, hashedRounds],
  ] as const) {
    for (const [name, race] of Object.entries(all)) {
      await t.test(`${rivals} simultaneous uses of ${name}, ${count} times`, async () => {
        for (let round = 0; round < count; round += 1) await race(runner, round)
      })
    }
  }
}
