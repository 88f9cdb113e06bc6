// A public export and an API key: whatever is in the export, the key reads too, field by field and byte by byte.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createSiteExport } from '../../src/site-export/site-export.ts'
import { ascii, buildTiff, exifSegment, gpsEntries, insertSegments } from '../helpers/exif-fixtures.ts'
import { commentSegment, rationals, tags } from '../helpers/exif-fixtures.ts'
import { startRenditions } from '../helpers/imaging.ts'
import { filesIn } from '../helpers/leaving.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startWaymark } from '../helpers/waymark.ts'

const trailId = 4711

async function photo(seed: number): Promise<Buffer> {
  const picture = await jpegPicture({ width: 12, height: 9, seed })
  const tiff = buildTiff({
    exif: [
      ascii(tags.takenAt, '2026:05:14 23:08:07'),
      ascii(tags.offset, '+02:00'),
      ascii(tags.ownerName, 'Ann Private'),
    ],
    gps: [...gpsEntries(47.37, 8.54), rationals(tags.accuracy, [9, 2]), rationals(tags.direction, [181, 2])],
  })
  return insertSegments(picture, [exifSegment(tiff), commentSegment('Ann Private')])
}

async function start(t: TestContext, takenAt: string) {
  const waymark = await startWaymark({ environment: { TAKEN_AT: takenAt } })
  const renditions = startRenditions(1, 10)
  t.after(async () => {
    await renditions.close()
    await waymark.close()
  })
  await waymark.addTrail(trailId, 'Rim Trail')
  const [ana, bea, rob] = [
    await waymark.addPerson({ name: 'Ana' }),
    await waymark.addPerson({ name: 'Bea' }),
    await waymark.addPerson({ name: 'Rob', role: 'reviewer' }),
  ]
  const { config, database, blobs, system } = waymark.installation
  const now = () => system.now()
  const site = createSiteExport({ config, database, blobs, renditions, now, version: '0.0.0' })
  let seed = 0
  return {
    waymark,
    ana,
    bea,
    rob,
    headers: { 'x-api-key': await waymark.addKey(ana.accountId) },
    publish: async (person = ana, decision: string | null = 'approve'): Promise<number> => {
      seed += 1
      const id = await waymark.upload(person, trailId, await photo(seed))
      if (decision !== null) assert.equal((await waymark.review(rob, id, decision)).status, 200)
      return id
    },
    write: async () => {
      const pieces: Uint8Array[] = []
      const signal = AbortSignal.timeout(60_000)
      const sink = async (bytes: Uint8Array) => void pieces.push(bytes)
      await site.run({ scope: 'public', signal, sink })
      return filesIn(Buffer.concat(pieces))
    },
  }
}

for (const takenAt of ['hidden', 'day', 'exact'])
  void test(`TAKEN_AT=${takenAt}: a public export contains what an API key can read, and nothing else`, async (t) => {
    const { waymark, bea, headers, publish, write } = await start(t, takenAt)
    const listed = [await publish(), await publish(bea)]
    const removed = await publish()
    const { token } = bea
    for (const [method, id] of [
      ['DELETE', await publish(bea)],
      ['PATCH', listed[1]],
    ] as const) {
      const body = method === 'PATCH' ? JSON.stringify({ title: 'Edited since' }) : null
      const type = { 'content-type': 'application/json' }
      const answer = await waymark.fetch(`/v2/images/${id}`, {
        method,
        token,
        body,
        headers: body ? type : {},
      })
      assert.ok(answer.ok, await answer.text())
    }
    await publish(undefined, 'reject')
    await publish(undefined, null)
    const { db } = waymark.installation.database
    await db.updateTable('image').set({ state: 'rejected' }).where('id', '=', removed).execute()

    const files = await write()
    const { features } = JSON.parse(String(files.get('images.geojson'))) as {
      features: { properties: Record<string, unknown> }[]
    }
    const rows = features.map(({ properties }) => properties)
    assert.deepEqual(new Set(rows.map(({ imageID }) => imageID)), new Set(listed))
    for (const { file, ...row } of rows) {
      const answer = await waymark.fetch(`/v2/images/${String(row['imageID'])}`, { headers })
      const seen = (await answer.json()) as Record<string, unknown>
      for (const [name, value] of Object.entries(row)) assert.deepEqual(value, seen[name], name)
      const served = await waymark.fetch(`/ImageHandler?id=${String(row['imageID'])}&t=lg`)
      assert.ok(files.get(String(file))?.equals(Buffer.from(await served.arrayBuffer())))
    }
    assert.deepEqual([...files.keys()].filter((name) => /^(?:photos|originals)\//.test(name)).length, 2)
    for (const [name, bytes] of files) {
      assert.ok(!bytes.includes('Ann Private'), name)
      assert.ok(!/[\w.]+@trails\.example/.test(bytes.toString('latin1')), name)
      if (takenAt === 'hidden') assert.ok(!/2026.05.14.23|23:08/.test(bytes.toString('latin1')), name)
    }
  })
