// Long operations: a stream that ends with its token, and device login with a decision while polling.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createOauth, createWaymark } from '../../client/client.ts'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { readSamples, runSample, sampleEntries } from './samples.ts'
import { startSite } from '../browser/site.ts'
import { typeDeviceCode } from '../helpers/oauth-people.ts'
import { addSignedIn } from '../helpers/visitor.ts'
import { startWaymark } from '../helpers/waymark.ts'

const root = path.resolve(import.meta.dirname, '../..')

void test('listening ends without an error when its credential expires', async (t) => {
  const site = await startWaymark({ heartbeatMs: 100 })
  t.after(() => site.close())
  const person = await site.addPerson()
  const sdk = createWaymark({ baseUrl: site.url, credential: { bearer: person.token } })
  const states: string[] = []
  const events = sdk.events({
    onConnection: (state) => {
      states.push(state)
      site.system.advance(3_600_000) // which is longer than a token lives
    },
  })
  assert.deepEqual(await events.next(), { value: undefined, done: true })
  assert.deepEqual(states, ['open', 'waiting'])
})

void test('C29 a terminal gets its tokens once the person has typed the code, and none if they refuse', async (t) => {
  const { waymark, url } = await startSite(t)
  const person = await addSignedIn(waymark)
  const { clientId } = await registerClient(waymark.installation.database.db, {
    accountId: person.accountId,
    name: 'Terminal',
    scope: 'images:read',
    now: waymark.system.now(),
    isPublic: true,
    redirectUris: [],
  })
  const oauth = createOauth({ baseUrl: url, clientId, scopes: ['images:read'] })
  const [device, refused] = await Promise.all([oauth.device(), oauth.device()])
  assert.match(device.verificationUri, /\/device$/)
  assert.ok(device.verificationUriComplete.includes(encodeURIComponent(device.userCode)))
  const polls = Promise.all([device.poll(), refused.poll().catch((error: unknown) => error)])
  await typeDeviceCode(person, device.userCode)
  await typeDeviceCode(person, refused.userCode, 'no')
  const [tokens, refusal] = await polls
  const sdk = createWaymark({ baseUrl: url, credential: { bearer: tokens.accessToken } })
  assert.equal((await sdk.me.get()).acctID, person.accountId)
  assert.ok(refusal instanceof Error && 'code' in refusal && refusal.code === 'access_denied')

  const giveUp = oauth.device().then(({ poll }) => poll(AbortSignal.timeout(20)))
  await assert.rejects(giveUp, { name: 'TimeoutError' })
})

void test('the sample of docs/sdk.md for a terminal', async (t) => {
  const { waymark, url } = await startSite(t)
  const person = await addSignedIn(waymark)
  const { clientId } = await registerClient(waymark.installation.database.db, {
    accountId: person.accountId,
    name: 'Terminal',
    scope: 'images:write',
    now: waymark.system.now(),
    isPublic: true,
    redirectUris: [],
  })
  const sample = (await readSamples()).find(({ code }) => code.includes('YOUR_TERMINAL'))
  assert.ok(sample)
  const folder = await mkdtemp(path.join(os.tmpdir(), 'waymark-sdk-'))
  t.after(() => rm(folder, { recursive: true }))
  const typing: Promise<unknown>[] = []
  const { lines } = await runSample(sample, {
    folder,
    values: { 'https://trails.example': url, YOUR_TERMINAL: clientId },
    onLine: (line) => {
      const [, code] = /and type (.+)$/.exec(line) ?? []
      if (code !== undefined) typing.push(typeDeviceCode(person, code))
    },
  })
  await Promise.all(typing)
  assert.match(lines[0] ?? '', /^Open http.*\/device and type [A-Z-]{8,9}$/)
  assert.equal(lines[1], '["images:write"]')
})

void test('the samples of docs/sdk.md type-check, for a page and for Node', async (t) => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'waymark-sdk-'))
  t.after(() => rm(folder, { recursive: true }))
  for (const [at, { code }] of (await readSamples()).entries())
    await writeFile(path.join(folder, `sample-${at}.ts`), code)
  const compilerOptions = {
    lib: ['es2025', 'esnext', 'dom', 'dom.iterable'],
    typeRoots: [path.join(root, 'node_modules/@types')],
    paths: Object.fromEntries(
      Object.entries(sampleEntries).map(([name, file]) => [name, [path.join(root, file)]]),
    ),
    module: 'esnext',
    moduleResolution: 'bundler',
  }
  const settings = { extends: path.join(root, 'tsconfig.json'), compilerOptions, include: [folder] }
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const tsc = path.join(root, 'node_modules/.bin/tsc')
  const { stdout } = await promisify(execFile)(tsc, ['-p', folder]).catch(
    (error: { stdout: string }) => error,
  )
  assert.equal(stdout, '')
})
