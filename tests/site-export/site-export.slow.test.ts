// waymark export --site, read by other programs: its content, what must never be in it, and that it is one snapshot
// (issue 27).
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { renditionKey } from '../../src/images/storage/blob-keys.ts'
import { writePrivateMetadata } from '../helpers/exif-fixtures.ts'
import { filesBelow, newFolder } from '../helpers/folders.ts'
import { addOwner, furnish, type OwnedThings, type Owner } from '../helpers/leaving.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { databaseSettingFor } from '../helpers/test-database.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'
import { assertOneSentence, done, run, startChild, type RunOptions } from '../cli/run-waymark.ts'
import { assertSound, exportSite, runTool, without } from './unpacked.ts'

const needed = without('python3', '--version') || without('unzip', '-v')

describe('waymark export --site', { skip: needed }, () => {
  let here: RunOptions
  let waymark: Waymark
  let reviewer: Person
  let ann: Owner
  let bob: Owner
  let anns: OwnedThings
  let bobs: OwnedThings
  /** Listed, with position and serial number in the file. */
  let secretive: number
  let secretiveBytes: Buffer

  before(async () => {
    waymark = await startWaymark({ environment: { TAKEN_AT: 'day' } })
    here = { dataDir: waymark.dataDir, settings: await databaseSettingFor(waymark.dataDir) }
    await waymark.addTrail(4711, 'Rim Trail')
    await waymark.addTrail(4712, '=Formula, "quoted"')
    reviewer = await waymark.addPerson({ role: 'reviewer' })
    ;[ann, bob] = [await addOwner(waymark), await addOwner(waymark)]
    anns = await furnish(waymark, ann, { trailId: 4711, reviewer, mark: 'anns' })
    bobs = await furnish(waymark, bob, { trailId: 4712, reviewer, mark: 'bobs' })
    secretiveBytes = writePrivateMetadata(await jpegPicture({ seed: 9 }), {
      position: { lat: 46.25, lon: 7.25 },
      serialNumber: 'SN-4711-SECRET',
      ownerName: 'Ann Private',
    })
    secretive = await waymark.upload(ann, 4711, secretiveBytes)
    const patch = {
      title: '=1+1',
      caption: 'Über dem "Grat",\nim Nebel',
      takenAt: '2026-05-14T09:08:07+02:00',
    }
    const headers = { 'content-type': 'application/json' }
    const changed = await waymark.fetch(`/v2/images/${secretive}`, {
      method: 'PATCH',
      token: ann.token,
      headers,
      body: JSON.stringify(patch),
    })
    assert.equal(changed.status, 200)
    assert.equal((await waymark.review(reviewer, secretive, 'approve')).status, 200)
  })
  after(() => waymark.close())

  const exported = (t: TestContext, ...args: string[]) => exportSite(t, here, ...args)

  it('writes everything public, exactly as visitors see it', async (t) => {
    const site = await exported(t)
    await assertSound(site)
    const listed = [anns.images.listed, bobs.images.listed, secretive].toSorted((one, other) => one - other)
    const routes = [anns.routeId, bobs.routeId].toSorted((one, other) => one - other)
    assert.deepEqual(site.manifest.counts, { trails: 2, images: 3, photos: 3, routes: 2, gpx: 2 })
    assert.deepEqual(
      (await filesBelow(site.out)).toSorted(),
      [
        'README.txt',
        'SHA256SUMS',
        'images.csv',
        'images.geojson',
        'manifest.json',
        ...listed.map((id) => `photos/${id}.jpg`),
        'routes.csv',
        ...routes.flatMap((id) => [`routes/${id}.geojson`, `routes/${id}.gpx`]),
        'trails.csv',
        'trails.geojson',
      ].toSorted(),
    )
    const key = await waymark.addKey(bob.accountId)
    const features = await site.features()
    assert.deepEqual(
      features.map(({ properties }) => properties.imageID),
      listed,
    )
    for (const trailId of [4711, 4712]) {
      const answer = await waymark.fetch(`/v2/trails/${trailId}/images?api_key=${key}`)
      const { items } = (await answer.json()) as {
        items: { imageID: number; urls: object; lat: number | null; lon: number | null }[]
      }
      for (const { urls: _urls, ...shown } of items) {
        const found = features.find(({ properties }) => properties.imageID === shown.imageID)
        const { file, ...properties } = found?.properties ?? { file: null }
        assert.deepEqual(properties, shown)
        assert.deepEqual(
          found?.geometry?.coordinates,
          shown.lat === null ? undefined : [shown.lon, shown.lat],
        )
        const view = await waymark.fetch(`/ImageHandler?id=${shown.imageID}&t=lg`)
        assert.ok((await site.bytes(file ?? '')).equals(Buffer.from(await view.arrayBuffer())))
      }
    }
    const visitor = await waymark.addPerson()
    for (const id of routes)
      for (const kind of ['gpx', 'geojson']) {
        const answer = await waymark.fetch(`/v2/routes/${id}.${kind}`, { token: visitor.token })
        assert.equal(await site.text(`routes/${id}.${kind}`), await answer.text())
      }
  })

  it('has nothing private in a public export: no hidden place, address, state or metadata', async (t) => {
    const site = await exported(t, '--public')
    const texts = await Promise.all(
      (await filesBelow(site.out))
        .filter((name) => !name.startsWith('photos/'))
        .map(async (name) => `${name}\n${await site.text(name)}`),
    )
    const all = texts.join('\n')
    const secrets = [
      ann.email,
      bob.email,
      'anns home',
      'anns unreadable',
      'trkpt lat="45.1" lon="7.1"', // within the privacy zone
      String(anns.images.pending),
      String(anns.images.trash),
      String(anns.unreadableRouteId),
      '09:08:07+02:00', // TAKEN_AT is day
    ]
    for (const secret of secrets) assert.ok(!all.includes(secret), secret)
    assert.match(all, /2026-05-14/)
    const photo = await site.bytes(`photos/${secretive}.jpg`)
    assert.ok(secretiveBytes.includes('SN-4711-SECRET'))
    assert.ok(!photo.includes('SN-4711-SECRET') && !photo.includes('Ann Private'))
  })

  it(
    'has no position or serial number in its photos, according to exiftool',
    { skip: without('exiftool', '-ver') },
    async (t) => {
      const site = await exported(t)
      const { stdout } = await runTool('exiftool', ['-json', '-r', '-G', path.join(site.out, 'photos')])
      for (const photo of JSON.parse(stdout) as Record<string, unknown>[])
        for (const name of Object.keys(photo))
          assert.doesNotMatch(name, /GPS|Serial|Owner|XMP|MakerNotes|Artist/i)
      await runTool('exiftool', ['-json', '-r', '-G', site.out])
    },
  )

  it('writes everything: originals and GPX byte for byte, every state, accounts, history and events', async (t) => {
    const site = await exported(t, '--everything')
    await assertSound(site)
    const { db } = waymark.installation.database
    for (const [id, original] of [...anns.originals, ...bobs.originals])
      assert.ok((await site.bytes(`originals/${id}.jpg`)).equals(original), String(id))
    assert.ok((await site.bytes(`originals/${secretive}.jpg`)).equals(secretiveBytes))
    assert.equal(await site.text(`routes/${anns.routeId}.gpx`), anns.gpx)
    assert.equal(await site.text(`routes/${anns.unreadableRouteId}.gpx`), '<gpx>not closed')
    const states = Map.groupBy(await site.features(), ({ properties }) => properties['status'])
    assert.deepEqual(
      ['approved', 'pending', 'deleted'].map((state) => states.get(state)?.length),
      [3, 2, 2],
    )
    const own = (await site.features()).find(({ properties }) => properties.imageID === secretive)
    assert.equal(own?.properties['takenAt'], '2026-05-14T09:08:07+02:00')
    const csv = await site.text('images.csv')
    assert.ok(csv.includes(`,'=1+1,"Über dem ""Grat"",\nim Nebel",`))
    assert.ok((await site.text('accounts.csv')).includes(ann.email))
    for (const [name, table] of [
      ['accounts.csv', 'account'],
      ['history.jsonl', 'image_history'],
      ['events.jsonl', 'outbox'],
      ['audit.jsonl', 'audit'],
      ['zones.jsonl', 'zone'],
      ['routes.csv', 'route'],
      ['images.csv', 'image'],
    ] as const) {
      const { count } = await db
        .selectFrom(table)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      assert.equal(site.rows[name], count, name)
    }
    const all = await site.text('accounts.csv')
    assert.doesNotMatch(all, /argon2/)
  })

  it('can be imported again, with the same trails', async (t) => {
    const site = await exported(t)
    const other = await newFolder(t)
    await done(['trails', 'import', path.join(site.out, 'trails.geojson')], { dataDir: other })
    const again = path.join(other, 'again.geojson')
    await done(['trails', 'export', again], { dataDir: other })
    assert.equal(await readFile(again, 'utf8'), await site.text('trails.geojson'))
  })

  it('refuses in one sentence, and names what could not be read', async (t) => {
    const folder = await newFolder(t)
    const file = path.join(folder, 'site.zip')
    await writeFile(file, 'something')
    const cases: readonly [args: readonly string[], exitCode: number, reported: RegExp][] = [
      [['export', '--site', file], 2, /already exists: choose another file, or replace it with --force\.$/m],
      [['export', '--site', file, '--public', '--everything'], 1, /^Use either --public or --everything\.$/m],
      [['export'], 1, /--site/],
    ]
    for (const [args, exitCode, reported] of cases) {
      const ran = await run(args, here)
      assert.equal(ran.exitCode, exitCode, ran.stderr)
      assertOneSentence(ran.stderr)
      assert.match(ran.stderr, reported)
    }
    assert.equal(await readFile(file, 'utf8'), 'something')
    const nowhere = await run(['export', '--site', path.join(folder, 'x.zip')], {
      dataDir: path.join(folder, 'none'),
    })
    assert.match(nowhere.stderr, /^There is no database at /)

    const lost = await waymark.upload(ann, 4711, await jpegPicture({ seed: 77, width: 50 }))
    assert.equal((await waymark.review(reviewer, lost, 'approve')).status, 200)
    const { sha256 } = await waymark.installation.database.db
      .selectFrom('image')
      .select('sha256')
      .where('id', '=', lost)
      .executeTakeFirstOrThrow()
    const { blobs } = waymark.installation
    const large = await blobs.read(renditionKey(sha256, 'lg'))
    await blobs.remove(renditionKey(sha256, 'lg')) // which holds the original
    const ran = await run(['export', '--site', file, '--force', '--everything'], here)
    assert.equal(ran.exitCode, 2)
    assert.match(ran.stdout, /\n2 files could not be read; see MISSING\.txt in the zip\.\n$/)
    const { stdout } = await runTool('unzip', ['-p', file, 'MISSING.txt'])
    assert.match(
      stdout,
      new RegExp(`^photos/${lost}\\.jpg: the photo .*\\.\noriginals/${lost}: the original .*\\.\n$`),
    )
    await blobs.put(renditionKey(sha256, 'lg'), large ?? Buffer.alloc(0), 'durable')
    assert.deepEqual(await readdir(folder), ['site.zip'])
  })

  it('leaves no file that looks complete when it is killed, and cleans up in the next run', async (t) => {
    const folder = await newFolder(t)
    const file = path.join(folder, 'site.zip')
    const preload = path.resolve(import.meta.dirname, '../helpers/kill-itself.ts')
    const kill = { NODE_OPTIONS: `--import "${preload}"`, KILL_IN: folder, KILL_AT: 'site.zip.partial' }
    const child = startChild(['export', '--site', file, '--everything'], {
      ...here,
      settings: { ...here.settings, ...kill },
    })
    assert.deepEqual(await once(child, 'close'), [null, 'SIGKILL'])
    assert.deepEqual(await readdir(folder), ['site.zip.partial'])
    await done(['export', '--site', file], here)
    assert.deepEqual(await readdir(folder), ['site.zip'])
    const left = (await filesBelow(here.dataDir)).filter((name) => name.includes('export-work'))
    assert.deepEqual(left, [])
  })
})
