// The programs in examples/, copied as by a user: with the installed package and a running server.
import assert from 'node:assert/strict'
import { cp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { registerClient } from '../../src/auth/oauth/oauth-clients.ts'
import { addWebhook, ask, onLoopback } from '../events/webhooks/receiver.ts'
import { startSite } from '../browser/site.ts'
import { newFolder } from '../helpers/folders.ts'
import { typeDeviceCode } from '../helpers/oauth-people.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { lastingPort } from '../helpers/ports.ts'
import { addMember } from '../helpers/visitor.ts'
import { startWaymark, type WaymarkOptions } from '../helpers/waymark.ts'
import { startHeldLine } from './held-line.ts'
import { complaintsAbout, installIn, packAll, root } from './packages.ts'
import { startProgram } from './running-program.ts'

const packed = await packAll()
after(packed.remove)

async function copyExamples(t: TestContext): Promise<string> {
  const folder = await newFolder(t)
  await cp(path.join(root, 'examples'), folder, { recursive: true })
  await installIn(folder, [packed.client])
  return folder
}

async function startServer(t: TestContext, options?: WaymarkOptions) {
  const waymark = await startWaymark(options)
  t.after(() => waymark.close())
  waymark.system.advance(Date.now() - waymark.system.now()) // the programs use the real time
  await waymark.addTrail(4711, 'Ridge')
  return waymark
}

void test("the examples type-check with TypeScript's strictest settings", async (t) => {
  const folder = await copyExamples(t)
  const options = {
    allowJs: true,
    checkJs: true,
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    target: 'es2022',
    module: 'nodenext',
    typeRoots: [path.join(root, 'node_modules/@types')],
  }
  const inNode = { ...options, lib: ['es2023'], types: ['node'] }
  assert.equal(await complaintsAbout(folder, { compilerOptions: inNode, include: ['*.js'] }), '')
  const inPages = { ...options, lib: ['es2022', 'dom', 'dom.iterable'], types: [] }
  assert.equal(await complaintsAbout(folder, { compilerOptions: inPages, include: ['pkce-page/*.js'] }), '')
})

void test('upload.js, killed at each of 20 photos, resumes and creates none twice', async (t) => {
  const folder = await copyExamples(t)
  const waymark = await startServer(t)
  const { token } = await waymark.addPerson()
  const line = await startHeldLine(t, waymark.url)
  const names = Array.from({ length: 20 }, (_, index) => `${10 + index}.${['jpg', 'JPG', 'jpeg'][index % 3]}`)
  for (const [seed, name] of names.entries())
    await writeFile(path.join(folder, name), await jpegPicture({ seed }))
  const start = () =>
    startProgram(t, folder, {
      args: ['upload.js', '.', '4711'],
      environment: { WAYMARK_URL: line.url, WAYMARK_TOKEN: token },
    })
  for (const index of names.keys()) {
    // Before the server has the photo, or after it has it but before the response: then the next run sends it again.
    const isHeld = line.hold(index % 2 === 0 ? 'before' : 'after')
    const program = start()
    await isHeld
    await program.end('SIGKILL')
  }
  const last = start()
  assert.deepEqual(await last.ended, { code: 0, signal: null }, last.lines.join('\n'))
  const answer = await waymark.fetch('/v2/images?limit=100', { token })
  const { items } = (await answer.json()) as { items: { imageID: number }[] }
  assert.equal(items.length, names.length)
  const journal = JSON.parse(await readFile(path.join(folder, '.uploads.json'), 'utf8')) as Record<
    string,
    { imageID: number }
  >
  assert.deepEqual(Object.keys(journal), names)
  assert.deepEqual(
    new Set(Object.values(journal).map(({ imageID }) => imageID)),
    new Set(items.map(({ imageID }) => imageID)),
  )
  const again = start()
  assert.deepEqual(await again.ended, { code: 0, signal: null })
  assert.deepEqual(again.lines, [])
  await rm(path.join(folder, '.uploads.json'))
  await writeFile(path.join(folder, '10.jpg'), 'no photo')
  const refused = start()
  assert.deepEqual(await refused.ended, { code: 1, signal: null })
  assert.match(refused.lines[0] ?? '', /^10\.jpg: \w/)
})

void test('follow-changes.js resumes where it was, also after a kill, and misses nothing', async (t) => {
  const folder = await copyExamples(t)
  const waymark = await startServer(t)
  const reviewer = await waymark.addPerson({ role: 'reviewer' })
  const approve = async (seed: number): Promise<number> => {
    const imageId = await waymark.upload(reviewer, 4711, await jpegPicture({ seed }))
    assert.equal((await waymark.review(reviewer, imageId, 'approve')).status, 200)
    return imageId
  }
  const start = () =>
    startProgram(t, folder, {
      args: ['follow-changes.js'],
      environment: { WAYMARK_URL: waymark.url, WAYMARK_TOKEN: reviewer.token },
    })
  const first = await approve(1)
  const one = start()
  await one.line(new RegExp(`image\\.approved.*:${first},`))
  const second = await approve(2)
  await one.line(new RegExp(`image\\.approved.*:${second},`))
  await one.end('SIGTERM')
  assert.equal(one.lines.length, 2)
  const third = await approve(3)
  const two = start()
  await two.line(new RegExp(`image\\.approved.*:${third},`))
  assert.equal(two.lines.length, 1)
  await two.end('SIGKILL')
  const fourth = await approve(4)
  const three = start()
  await three.line(new RegExp(`image\\.approved.*:${fourth},`))
  // Killed before it stored the position, it may have printed the third again.
  assert.ok(three.lines.every((line) => line.includes(`:${third},`) || line.includes(`:${fourth},`)))
  await three.end('SIGTERM')
  assert.deepEqual(await three.ended, { code: 0, signal: null })
  assert.match(
    three.lines.at(-1) ?? '',
    new RegExp(`^${await readFile(path.join(folder, 'position.txt'), 'utf8')} `),
  )
})

void test('receive-webhooks.js accepts signed deliveries, once, and nothing else', async (t) => {
  const folder = await copyExamples(t)
  const waymark = await startServer(t, onLoopback)
  const person = await waymark.addPerson()
  const port = String(await lastingPort())
  const url = `http://127.0.0.1:${port}/hook`
  const { id, secret } = await addWebhook(waymark, person.token, url, ['image.uploaded'])
  const start = () =>
    startProgram(t, folder, {
      args: ['receive-webhooks.js'],
      environment: { WEBHOOK_SECRET: secret, PORT: port },
    })
  const { workAll } = waymark.app.services.webhooks
  const statuses = async (): Promise<(number | null)[]> => {
    const answer = await ask(waymark, `/${id}/deliveries`, { token: person.token, method: 'GET' })
    const { items } = (await answer.json()) as { items: { attempts: { status: number | null }[] }[] }
    return items.flatMap(({ attempts }) => attempts.map(({ status }) => status))
  }
  const receiver = start()
  await receiver.line(/listening/)
  const imageId = await waymark.upload(person, 4711, await jpegPicture())
  await workAll()
  await receiver.line(/image\.uploaded/)
  assert.deepEqual(receiver.lines.slice(1), [
    `image.uploaded {"imageID":${imageId},"trailID":4711,"status":"pending"}`,
  ])
  const forged = await fetch(url, { method: 'POST', body: '{}', headers: { 'webhook-id': 'msg_1' } })
  assert.equal(forged.status, 400)

  const answer = await ask(waymark, `/${id}/deliveries`, { token: person.token, method: 'GET' })
  const { items } = (await answer.json()) as { items: { id: number }[] }
  await receiver.end('SIGKILL')
  const another = start()
  await another.line(/listening/)
  const replayed = await ask(waymark, `/${id}/deliveries/${items[0]?.id}/replay`, { token: person.token })
  assert.ok(replayed.ok, `${replayed.status}`)
  await workAll()
  assert.deepEqual(await statuses(), [204, 204])
  assert.equal(another.lines.length, 1, 'a repeated delivery is answered, and nothing more')
})

void test('device-login.js signs in once, stores the tokens for its user only, and renews them', async (t) => {
  const folder = await copyExamples(t)
  const { waymark, url } = await startSite(t)
  await waymark.addTrail(4711, 'Ridge')
  const member = await addMember(waymark)
  const { clientId } = await registerClient(waymark.installation.database.db, {
    accountId: member.accountId,
    name: 'Terminal',
    scope: 'images:read',
    now: waymark.system.now(),
    isPublic: true,
    redirectUris: [],
  })
  const token = await waymark.tokenFor(member.accountId, 'images:write')
  const imageId = await waymark.upload({ accountId: member.accountId, token }, 4711, await jpegPicture())
  const start = () =>
    startProgram(t, folder, {
      args: ['device-login.js'],
      environment: { WAYMARK_URL: url, CLIENT_ID: clientId },
    })
  const first = start()
  const [, address, code = ''] = /^Open (\S+) and enter (\S+)$/.exec(await first.line(/^Open /)) ?? []
  assert.equal(address, `${url}/device`)
  assert.match((await typeDeviceCode(member, code)).text, /Your device is connected/)
  assert.deepEqual(await first.ended, { code: 0, signal: null }, first.lines.join('\n'))
  assert.equal(first.lines.at(-1)?.trim(), `${imageId} pending`)

  const tokensFile = path.join(folder, 'tokens.json')
  assert.equal((await stat(tokensFile)).mode & 0o777, 0o600)
  const kept = JSON.parse(await readFile(tokensFile, 'utf8')) as { refreshToken: string }
  for (const name of ['accessToken', 'refreshToken'] as const)
    waymark.secrets.note(name, (kept as Record<string, string>)[name])
  await writeFile(tokensFile, JSON.stringify({ ...kept, expiresAt: 0 }), { mode: 0o600 })
  const second = start()
  assert.deepEqual(await second.ended, { code: 0, signal: null }, second.lines.join('\n'))
  assert.deepEqual(
    second.lines.map((line) => line.trim()),
    [`${imageId} pending`],
  )
  const renewed = JSON.parse(await readFile(tokensFile, 'utf8')) as { refreshToken: string }
  assert.notEqual(renewed.refreshToken, kept.refreshToken)
})
