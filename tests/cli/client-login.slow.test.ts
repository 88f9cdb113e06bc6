// Signing in as a client with a secret, and tokens renewed by several commands at once.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Login } from '../../cli/remote/logins.ts'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { newFolder } from '../helpers/folders.ts'
import { typeDeviceCode } from '../helpers/oauth-people.ts'
import { startOauthSite, type OauthSite } from '../helpers/oauth-site.ts'
import { addMember } from '../helpers/visitor.ts'
import { assertOneSentence, run, startChild } from './run-waymark.ts'

interface Kept {
  readonly servers: Readonly<Record<string, Login>>
}

async function begin(t: TestContext) {
  const site = await startOauthSite(t)
  const { waymark } = site
  const folder = await newFolder(t)
  const settings = { XDG_CONFIG_HOME: path.join(folder, 'config'), WAYMARK_URL: site.url }
  const file = path.join(folder, 'config/waymark/logins.json')
  const read = async () => JSON.parse(await readFile(file, 'utf8')) as Kept
  return {
    site,
    waymark,
    folder,
    settings,
    file,
    read,
    /** Makes the stored access token look expired, or refused by the server. */
    change: async (alter: (login: Login) => Login): Promise<void> => {
      const kept = await read()
      const servers = Object.entries(kept.servers).map(([url, login]) => [url, alter(login)] as const)
      await writeFile(file, JSON.stringify({ ...kept, servers: Object.fromEntries(servers) }))
    },
    as: (args: readonly string[], more: Readonly<Record<string, string>> = {}, stdin = '') =>
      run(args, { dataDir: folder, settings: { ...settings, ...more }, stdin }),
  }
}

async function addClient({ waymark }: Pick<OauthSite, 'waymark'>, scope = 'routes:read routes:write') {
  const { accountId } = await waymark.addPerson({ name: 'Camera' })
  const { clientId, clientSecret = '' } = await registerClient(waymark.installation.database.db, {
    accountId,
    name: 'Camera',
    scope,
    now: waymark.system.now(),
    isPublic: false,
    redirectUris: [],
  })
  waymark.secrets.note('client secret', clientSecret)
  return { clientId, clientSecret, accountId }
}

void test('a client signs in with a secret from a file, stdin or the environment, and signs out', async (t) => {
  const { site, folder, file, as, read, change } = await begin(t)
  const { clientId, clientSecret } = await addClient(site)
  const secretFile = path.join(folder, 'secret')
  await writeFile(secretFile, `${clientSecret}\n`)
  const ways: readonly [args: readonly string[], more: Record<string, string>, stdin: string][] = [
    [['--client-secret-file', secretFile], {}, ''],
    [['--client-secret-stdin'], {}, `${clientSecret}\n`],
    [[], { WAYMARK_CLIENT_SECRET: clientSecret }, ''],
    [[], { WAYMARK_CLIENT_SECRET_FILE: secretFile }, ''],
  ]
  for (const [args, more, stdin] of ways) {
    const ran = await as(['login', '--client-id', clientId, ...args], more, stdin)
    assert.deepEqual([ran.exitCode, ran.stdout], [0, `Signed in to ${site.url} as Camera.\n`], ran.stderr)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.equal((await as(['routes', 'export'])).stdout, '0 routes written.\n')
  }
  const before = (await read()).servers[site.url]?.accessToken
  await change((login) => ({ ...login, expiresAt: 0 }))
  assert.equal((await as(['routes', 'export'])).exitCode, 0)
  const after = (await read()).servers[site.url]
  assert.notEqual(after?.accessToken, before)
  assert.equal(after?.client?.clientId, clientId)
  assert.match((await as(['logout'])).stdout, /^Signed out of /)
  assert.doesNotMatch(await readFile(file, 'utf8'), /clientSecret|accessToken/)
  const token = { authorization: `Bearer ${after?.accessToken}` }
  assert.equal((await fetch(`${site.url}/v2/me`, { headers: token })).status, 401)
})

void test('a client in the environment needs no sign-in, and nothing is stored', async (t) => {
  const { site, file, as, folder } = await begin(t)
  const { clientId, clientSecret } = await addClient(site)
  const secretFile = path.join(folder, 'secret')
  await writeFile(secretFile, clientSecret)
  for (const secret of [{ WAYMARK_CLIENT_SECRET: clientSecret }, { WAYMARK_CLIENT_SECRET_FILE: secretFile }])
    assert.equal((await as(['routes', 'export'], { WAYMARK_CLIENT_ID: clientId, ...secret })).exitCode, 0)
  await assert.rejects(stat(file))
})

void test('client errors are one sentence, and never show the secret', async (t) => {
  const { site, folder, as } = await begin(t)
  const { clientId } = await addClient(site)
  const empty = path.join(folder, 'empty')
  await writeFile(empty, '\n')
  const named = { WAYMARK_CLIENT_ID: clientId }
  const login = ['login', '--client-id', clientId]
  const cases: readonly [
    args: readonly string[],
    more: Record<string, string>,
    exitCode: number,
    reported: RegExp,
  ][] = [
    [
      login,
      { WAYMARK_CLIENT_SECRET: 'not-the-secret' },
      3,
      /^The server does not accept this client ID and secret\./,
    ],
    [
      ['routes', 'export'],
      { ...named, WAYMARK_CLIENT_SECRET: 'not-the-secret' },
      3,
      /^The server does not accept this client ID and secret\./,
    ],
    [['routes', 'export'], named, 1, /^WAYMARK_CLIENT_ID requires the secret in WAYMARK_CLIENT_SECRET or/],
    [login, {}, 1, /^--client-id requires the secret: /],
    [[...login, '--client-secret-file', empty], {}, 2, /is empty: its first line must be the secret\.$/m],
    [[...login, '--client-secret-file', `${empty}.no`], {}, 2, /cannot be used: no such file/],
    [['login', '--client-secret-stdin'], {}, 1, /^The secret requires --client-id/],
    [
      [...login, '--client-secret-stdin', '--client-secret-file', empty],
      {},
      1,
      /^Use either --client-secret-file or/,
    ],
    [[...login, '--client-secret-stdin'], {}, 2, /^No client secret was given\.$/m],
  ]
  for (const [args, more, exitCode, reported] of cases) {
    const ran = await as(args, more)
    assert.equal(ran.exitCode, exitCode, ran.stderr)
    assertOneSentence(ran.stderr)
    assert.match(ran.stderr, reported)
    assert.doesNotMatch(ran.stderr + ran.stdout, /not-the-secret/)
  }
})

void test('simultaneous commands that renew the sign-in repeatedly use each refresh token once', async (t) => {
  const { site, waymark, folder, settings, as, change, read } = await begin(t)
  await waymark.addPerson({ role: 'admin' }) // the owner of the command line's client
  const child = startChild(['login'], { dataDir: folder, settings })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
  while (!/the code [A-Z]{4}-[A-Z]{4}/.test(said)) await once(child.stderr, 'data')
  await typeDeviceCode(await addMember(waymark), /the code ([A-Z-]{9})/.exec(said)?.[1] ?? '')
  assert.deepEqual(await once(child, 'close'), [0, null], said)
  const used = new Set<string | undefined>()
  for (let round = 0; round < 3; round += 1) {
    used.add((await read()).servers[site.url]?.refreshToken)
    await change((login) => ({ ...login, expiresAt: 0 }))
    const ran = await Promise.all([1, 2, 3, 4].map(() => as(['routes', 'export'])))
    assert.deepEqual(
      ran.map(({ exitCode, stderr }) => [exitCode, stderr]),
      ran.map(() => [0, '']),
    )
  }
  used.add((await read()).servers[site.url]?.refreshToken)
  assert.equal(used.size, 4)
})
