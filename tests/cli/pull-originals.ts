// The suite of `waymark pull --originals` for both databases, pulling from a Waymark with originals.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import sharp from 'sharp'
import { originalKey } from '../../src/images/storage/blob-keys.ts'
import { startClassicFilter } from '../helpers/classic-filter.ts'
import { mostAsked } from '../helpers/classic-stand-in.ts'
import { writePrivateMetadata } from '../helpers/exif-fixtures.ts'
import { newFolder } from '../helpers/folders.ts'
import { coded, makeHeif, tinyHeic } from '../helpers/heif-fixtures.ts'
import { storeAsBefore } from '../helpers/older-store.ts'
import { jpegPicture, pngPicture } from '../helpers/pictures.ts'
import { startWaymark, type Person } from '../helpers/waymark.ts'
import { filePart, sendForm } from '../images/image-client.ts'
import { codesOf, lists, serving, tokenFor, type PullDocument } from './pull-helpers.ts'
import { createKiller, pullKilled } from './pull-kills.ts'
import { done, run, runJson, type RunOptions } from './run-waymark.ts'

type Settings = Readonly<Record<string, string>>

const quickly = ['--rate', '1000', '--trails', '4711', '--originals']

export async function startSource(t: TestContext, count: number) {
  const waymark = await startWaymark({ mayFail: true })
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail', 'rim')
  const people = [
    await waymark.addPerson({ id: 42, name: 'Ann "é"' }),
    await waymark.addPerson({ id: 43, name: 'Bo' }),
  ]
  const admin = await waymark.addPerson({ id: 9, role: 'admin', scope: 'images:read images:review' })
  const staff = { token: await waymark.tokenFor(9, 'images:read images:review') }
  const png = await pngPicture({ width: 40, height: 30 })
  const others = [
    await sharp(png).webp().toBuffer(),
    makeHeif([coded(tinyHeic)], { brand: 'heic', references: [] }),
    await sharp(png).avif({ effort: 0 }).toBuffer(),
    png,
  ]
  /** By imageID, in the order of the list. */
  const originals = new Map<number, Buffer>()
  for (let at = 0; at < count; at += 1) {
    const camera = await jpegPicture({ width: 60 + at, height: 40, seed: at })
    const bytes =
      others[at] ??
      writePrivateMetadata(camera, { position: { lat: 46 + at / 100, lon: 7.25 }, orientation: 6 })
    const person = people[at % 2] as Person
    const made = await sendForm(waymark, person, 4711, { parts: [filePart(bytes, '')] })
    assert.equal(made.status, 201, await made.clone().text())
    const { imageID, sha256 } = (await made.json()) as { imageID: number; sha256: string }
    originals.set(imageID, bytes)
    if (at % 5 === 4) await storeAsBefore(waymark.installation, sha256)
    assert.equal((await waymark.review({ ...admin, ...staff }, imageID, 'approve')).status, 200)
  }
  const key = await waymark.addKey(9)
  return { waymark, people, admin: staff.token, originals, key, url: waymark.url }
}

type Source = Awaited<ReturnType<typeof startSource>>

/** The imported originals, from the endpoint for admins. */
async function originalsHere(
  url: string,
  token: string,
  ids: Iterable<number>,
): Promise<Map<number, Buffer>> {
  const found = new Map<number, Buffer>()
  for (const id of ids) {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${url}/v2/images/${id}/original`, { headers })
    assert.equal(answer.status, 200)
    found.set(id, Buffer.from(await answer.arrayBuffer()))
  }
  return found
}

const addAdmin = async (options: RunOptions): Promise<void> => {
  const person = ['--id', '7', '--name', 'Ada', '--email', 'ada@trails.example', '--role', 'admin']
  await done(['accounts', 'create', ...person], options)
}

/** @param kills number of kills during the pull. */
export async function testKilledOriginals(t: TestContext, settings: Settings, kills: number): Promise<void> {
  const source = await startSource(t, 40)
  const killer = createKiller()
  const also = [/^\/v2\/me$/, /^\/v2\/images\/\d+\/original$/]
  const filter = await startClassicFilter(t, { target: source.url, also, onStep: killer.onStep })
  const own = { ...settings, RATE_LIMIT_FACTOR: '1000' }
  const options = { dataDir: await newFolder(t), settings: { ...own, WAYMARK_TOKEN: source.admin } }
  const args = ['pull', `${filter.origin}/V1`, '--api-key', source.key, ...quickly]
  const document = await pullKilled(args, options, { killer, kills, requests: source.originals.size })
  assert.deepEqual([document.left, document.conflicts, document.notes], [0, 0, 0], JSON.stringify(document))
  assert.equal(document.images.originals, document.images.new)
  assert.deepEqual(filter.strays, [])
  const max = mostAsked(filter.asked)
  assert.ok(max.times <= 2, `${max.path} was asked ${max.times} times`)
  assert.ok(
    ![...filter.asked.keys()].some((path) => path.includes('ImageHandler')),
    'no lg is asked for besides',
  )

  await addAdmin(options)
  const here = await serving(t, { ...options, settings: own }, 7)
  assert.deepEqual(await lists(here, 4711), await lists(source, 4711))
  const token = await tokenFor(here, options, 7, 'images:read images:review')
  const found = await originalsHere(here.url, token, source.originals.keys())
  for (const [id, bytes] of source.originals) assert.ok(found.get(id)?.equals(bytes), `image ${id}`)
  const stored = (await done(['check', '--store', '--audit'], options)) as { ok?: boolean }
  assert.notEqual(stored.ok, false)

  const again = (await runJson(args, options)).document as PullDocument
  assert.deepEqual([again.images.new, again.notes, again.resumed], [0, 0, false])
}

async function pulled(source: Source, token: string, dataDir: string, ...more: string[]) {
  const settings = { RATE_LIMIT_FACTOR: '1000', WAYMARK_URL: source.url, WAYMARK_TOKEN: token }
  const args = ['pull', `${source.url}/v1.6`, '--api-key', source.key, ...quickly, ...more]
  const { exitCode, document } = await runJson(args, { dataDir, settings })
  return { exitCode, ...(document as PullDocument) }
}

export async function testMixedForms(t: TestContext): Promise<void> {
  const source = await startSource(t, 8)
  const { waymark, originals } = source
  const ids = [...originals.keys()]
  const dataDir = await newFolder(t)
  await addAdmin({ dataDir })
  const firstOf = (codes: readonly string[], code: string) =>
    codes.filter((one) => one.endsWith(` ${code}`)).map((one) => Number(one.split(' ')[1]))
  // One original is missing there: that of the fifth photo is stored beside lg.
  const lost = ids[4] ?? 0
  const row = await waymark.installation.database.db
    .selectFrom('image')
    .select('sha256')
    .where('id', '=', lost)
    .executeTakeFirstOrThrow()
  await waymark.installation.blobs.remove(originalKey(row.sha256))

  // Ann has the first, third, fifth… photo.
  const ann = source.people[0]?.token ?? ''
  const begunAt = performance.now()
  const annsDry = await pulled(source, ann, dataDir, '--dry-run')
  assert.ok(performance.now() - begunAt < 60_000, 'the process ends with its last answer')
  const notHers = ids.filter((_, at) => at % 2 === 1)
  assert.deepEqual(firstOf(codesOf(annsDry), 'original-not-open'), notHers)
  assert.deepEqual([annsDry.images.new, annsDry.images.originals], [8, 4])

  const anns = await pulled(source, ann, dataDir)
  assert.equal(anns.exitCode, 0)
  assert.deepEqual(firstOf(codesOf(anns), 'original-not-open'), notHers)
  assert.deepEqual(firstOf(codesOf(anns), 'original-missing'), [lost])
  assert.deepEqual([anns.images.new, anns.images.originals], [8, 3])

  // Photos that came as size lg are reported and stay so. Only the list is requested again.
  const later = await pulled(source, source.admin, dataDir)
  assert.deepEqual(new Set(firstOf(codesOf(later), 'stays-lg')), new Set([...notHers, lost]))
  assert.deepEqual([later.exitCode, later.images.new, later.requests], [0, 0, 1])
}

export async function testRefusedSignIn(t: TestContext): Promise<void> {
  const source = await startSource(t, 2)
  const dataDir = await newFolder(t)
  const args = ['pull', `${source.url}/V1`, '--api-key', source.key, ...quickly]
  for (const [settings, exitCode, sentence] of [
    [{ WAYMARK_TOKEN: 'no-such-token' }, 3, /refuses the sign-in for originals/],
    [{}, 3, /^The user \S+ is not signed in to http.* as this user, or set WAYMARK_CLIENT_ID and/],
    // Credentials of another server, such as one's own, are not sent to this one, which would accept this token.
    [
      { WAYMARK_URL: 'https://trails.example', WAYMARK_TOKEN: source.admin },
      3,
      /WAYMARK_URL is https:\/\/trails.example, so the credentials for it are not sent to http/,
    ],
  ] as const) {
    const refused = await run(args, { dataDir, settings })
    assert.deepEqual([refused.exitCode, sentence.test(refused.stderr)], [exitCode, true], refused.stderr)
  }
  // The list is cached, and the next pull continues with it.
  const next = await pulled(source, source.admin, dataDir)
  assert.deepEqual([next.exitCode, next.images.new, next.images.originals], [0, 2, 2])
}
