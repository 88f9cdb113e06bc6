// The server process: the first admin, garbage collection at the start, and a graceful stop.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { createAccounts } from '../../src/accounts/accounts.ts'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { hashPassword, isPassword } from '../../src/auth/passwords.ts'
import { readConfig } from '../../src/settings/config.ts'
import { openInstallation, type Installation } from '../../src/installation.ts'
import { createTrails } from '../../src/trails/trails.ts'
import { newFolder } from '../helpers/folders.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startChild, type RunOptions } from './run-waymark.ts'

const patienceMs = 30_000
/** A server that does not stop must not block all other tests. */
const timeout = 90_000

/** Polls, with a generous limit. */
async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + patienceMs
  while (!(await condition())) {
    assert.ok(Date.now() < end, `waited in vain for ${what}`)
    await pause(5)
  }
}

/** Starts a server and records its output. */
async function serve(t: TestContext, options: RunOptions) {
  const settings = { PORT: '0', PUBLIC_URL: 'http://waymark.example', ...options.settings }
  const child = startChild(['serve'], { ...options, settings })
  const closed = once(child, 'close') as Promise<[number | null, string | null]>
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      said[name] += chunk
    })
  }
  t.after(async () => {
    child.kill('SIGKILL')
    await closed
  })
  const heard = () => /listens on (http:\S+)/.exec(said.stderr)?.[1]
  await until(() => heard() !== undefined || child.exitCode !== null, 'the server to listen')
  const url = heard()
  assert.ok(url !== undefined, said.stderr)
  return { child, said, closed, url }
}

/** Opens the installation, with or without a running server. */
async function withInstallation<T>(
  dataDir: string,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const installation = await openInstallation(readConfig({ DATA_DIR: dataDir }))
  try {
    return await work(installation)
  } finally {
    await installation.close()
  }
}

async function stopped({ child, closed }: Awaited<ReturnType<typeof serve>>): Promise<void> {
  child.kill('SIGTERM')
  assert.deepEqual(await closed, [0, null])
}

const accountsIn = (dataDir: string) =>
  withInstallation(dataDir, ({ database }) => database.db.selectFrom('account').selectAll().execute())

void test('D6: the first admin is created once, and there is never a default one', { timeout }, async (t) => {
  const folder = await newFolder(t)
  const dataDir = path.join(folder, 'data')
  await stopped(await serve(t, { dataDir }))
  assert.deepEqual(await accountsIn(dataDir), [])

  const passwordFile = path.join(folder, 'password')
  await writeFile(passwordFile, 'correct horse battery\n')
  const settings = { ADMIN_EMAIL: 'Ann@trails.example', ADMIN_PASSWORD_FILE: passwordFile }
  const first = await serve(t, { dataDir, settings })
  assert.match(first.said.stderr, /^Created the first admin, Ann@trails\.example\.\n/)
  await stopped(first)
  const [admin, ...others] = await accountsIn(dataDir)
  assert.deepEqual([admin?.email, admin?.role, others.length], ['Ann@trails.example', 'admin', 0])
  assert.equal(await isPassword('correct horse battery', admin?.password_hash ?? ''), true)

  await rm(passwordFile)
  const second = await serve(t, { dataDir, settings: { ...settings, ADMIN_EMAIL: 'bob@trails.example' } })
  assert.doesNotMatch(second.said.stderr, /admin/)
  await stopped(second)
  assert.equal((await accountsIn(dataDir)).length, 1)
})

void test('a start removes leftovers of a crash, and logs it', { timeout }, async (t) => {
  const dataDir = await newFolder(t)
  const temporary = path.join(dataDir, 'blobs', 'tmp')
  await mkdir(temporary, { recursive: true })
  await writeFile(path.join(temporary, 'old'), 'half an upload')
  await writeFile(path.join(temporary, 'young'), 'half an upload')
  const server = await serve(t, { dataDir })
  await until(() => /"temporaryFiles":2\b.*"removed/.test(server.said.stdout), 'the sweep')
  assert.deepEqual(await readdir(temporary), [])
  await stopped(server)
})

/**
 * Creates a trail, an account and its client.
 * @returns the client's credentials for HTTP Basic.
 */
const prepare = (dataDir: string): Promise<string> =>
  withInstallation(dataDir, async ({ database: { db }, system }) => {
    const now = () => system.now()
    await createTrails(db, now).importAll([{ id: 4711, name: 'Rim Trail', slug: undefined }])
    const accountId = await createAccounts({ db, system, hashPassword }).create({
      email: 'ann@trails.example',
      displayName: 'Ann',
      role: 'member',
      id: undefined,
      password: undefined,
    })
    const { clientId, clientSecret } = await registerClient(db, {
      accountId,
      name: 'test',
      scope: 'images:write',
      now: now(),
      isPublic: false,
      redirectUris: [],
    })
    return Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  })

void test(
  'a start that fails after listening ends with its reason, and leaves no process that ignores signals',
  { timeout },
  async (t) => {
    const dataDir = await newFolder(t)
    await withInstallation(dataDir, async ({ database: { db } }) => {
      await sql`create trigger no_audit before insert on audit begin select raise(fail, 'no room here'); end`.execute(
        db,
      )
    })
    const { closed, said } = await serve(t, { dataDir, settings: { SITE_NAME: 'Rim' } })
    assert.deepEqual(await closed, [2, null], said.stderr)
    assert.match(said.stderr, /no room here/)
  },
)

void test(
  'SIGTERM lets uploads in progress finish, refuses later ones, and ends with 0',
  { timeout },
  async (t) => {
    const dataDir = await newFolder(t)
    const basic = await prepare(dataDir)
    const server = await serve(t, { dataDir })
    const granted = await fetch(`${server.url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
    const { access_token: token } = (await granted.json()) as { access_token: string }
    const picture = await jpegPicture()
    const upload = http.request(`${server.url}/Trails/4711/Images`, {
      method: 'POST',
      agent: false, // a keep-alive connection would delay the server's stop
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'image/jpeg',
        'content-length': picture.length,
      },
    })
    upload.write(picture.subarray(0, 1_000))
    const temporary = path.join(dataDir, 'blobs', 'tmp')
    await until(async () => (await readdir(temporary)).length === 1, 'the upload to be under way')

    server.child.kill('SIGTERM')
    await until(() => server.said.stderr.includes('Waymark is stopping.'), 'the server to stop')
    await until(
      async () =>
        fetch(`${server.url}/health/ready`).then(
          () => false,
          () => true,
        ),
      'the door to close',
    )
    assert.equal(server.child.exitCode, null)

    upload.end(picture.subarray(1_000))
    const [answer] = (await once(upload, 'response')) as [http.IncomingMessage]
    const imageId = Number(await text(answer))
    assert.equal(answer.statusCode, 201)
    assert.deepEqual(await server.closed, [0, null])
    const rows = await withInstallation(dataDir, ({ database }) =>
      database.db.selectFrom('image').select(['id', 'bytes']).execute(),
    )
    assert.deepEqual(
      rows.map(({ id, bytes }) => [id, bytes]),
      [[imageId, picture.length]],
    )
  },
)
