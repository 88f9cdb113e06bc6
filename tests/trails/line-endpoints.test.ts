// Data derived from a trail's line: description and heights, the profile, and downloads for clients and visitors.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'
import { jsonOf, lineOf, refused, send, type TrailDocument } from './trail-client.ts'

interface HighTrail extends TrailDocument {
  readonly description: string
  readonly ascent: number | null
  readonly descent: number | null
  readonly highest: number | null
  readonly lowest: number | null
}

interface Profile {
  readonly points: readonly { readonly miles: number; readonly elevation: number }[]
  readonly ascent: number | null
  readonly descent: number | null
}

const name = 'Höhen & <Wege>'
const description = 'Up the *ridge*, past the hut.\n\nThen "down".'
const line = lineOf([7, 46, 500], [7.01, 46, 812.46], [7.02, 46], [7.03, 46, 600])

void describe('the line of a trail', () => {
  let waymark: Waymark
  let admin: Person
  let key: string

  before(async () => {
    waymark = await startWaymark({ environment: { WEB_APP: 'on' } })
    admin = await waymark.addPerson({ role: 'admin' })
    key = await waymark.addKey(admin.accountId)
    const body = { trailID: 4711, name, slug: 'höhenweg', description, geometry: line }
    const made = await send(waymark, 'POST', '/v2/trails', { token: admin.token, body })
    assert.equal(made.status, 201)
    await waymark.addTrail(4712, 'Flat Trail')
  })
  after(() => waymark.close())

  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    waymark.fetch(path, { headers: { 'x-api-key': key, ...headers } })

  it('has elevations and a description, and a PUT without a description keeps it', async () => {
    const trail = await jsonOf<HighTrail>(await get('/v2/trails/4711'))
    const { ascent, descent, highest, lowest } = trail
    assert.deepEqual([ascent, descent, highest, lowest], [312.5, 212.5, 812.5, 500])
    assert.equal(trail.description, description)
    assert.deepEqual(trail.geometry?.coordinates, [
      [7, 46, 500],
      [7.01, 46, 812.5],
      [7.02, 46],
      [7.03, 46, 600],
    ])
    const put = (body: object) =>
      send(waymark, 'PUT', '/v2/trails/4711', {
        token: admin.token,
        body: { name, slug: 'höhenweg', ...body },
      })
    const kept = await jsonOf<HighTrail>(await put({ geometry: line }))
    assert.deepEqual([kept.description, kept.ascent], [description, 312.5])
    const bare = await jsonOf<HighTrail>(await put({ description: '' }))
    assert.deepEqual([bare.description, bare.ascent, bare.highest], ['', null, null])
    const flat = await jsonOf<HighTrail>(await put({ geometry: lineOf([7, 46], [7.1, 46]) }))
    assert.deepEqual([flat.ascent, flat.descent, flat.highest, flat.lowest], [null, null, null, null])
    const again = await jsonOf<HighTrail>(await put({ description, geometry: line }))
    assert.deepEqual([again.description, again.ascent, again.lowest], [description, 312.5, 500])
  })

  it('refuses a description that is too long, or that XML cannot contain', async () => {
    const put = (text: string) =>
      send(waymark, 'PUT', '/v2/trails/4712', {
        token: admin.token,
        body: { name: 'Flat Trail', description: text },
      })
    assert.equal((await put('é'.repeat(20_000))).status, 200)
    assert.match(await refused(await put('é'.repeat(20_001)), 400, 'invalid-field'), /20,000 characters/)
    await refused(await put('a\u0007b'), 400, 'malformed-body')
    assert.equal((await put('')).status, 200)
  })

  it('has a profile by miles, with an ETag, and none without elevations', async () => {
    const answer = await get('/v2/trails/4711/profile')
    const etag = answer.headers.get('etag') ?? ''
    const { points, ...rest } = await jsonOf<Profile>(answer)
    assert.deepEqual(rest, { ascent: 312.5, descent: 212.5 })
    assert.deepEqual(
      points.map(({ elevation }) => elevation),
      [500, 812.5, 600],
    )
    const { lengthMiles } = await jsonOf<HighTrail>(await get('/v2/trails/4711'))
    assert.equal(points[0]?.miles, 0)
    assert.ok(Math.abs((points[2]?.miles ?? 0) - (lengthMiles ?? 0)) < 1e-6)
    assert.equal((await get('/v2/trails/4711/profile', { 'if-none-match': etag })).status, 304)
    assert.deepEqual(await jsonOf(await get('/v2/trails/4712/profile')), {
      points: [],
      ascent: null,
      descent: null,
    })
    await refused(await get('/v2/trails/9/profile'), 404, 'invalid-trail-id')
  })

  const files = [
    ['gpx', 'application/gpx+xml; charset=utf-8'],
    ['kml', 'application/vnd.google-earth.kml+xml; charset=utf-8'],
    ['geojson', 'application/geo+json; charset=utf-8'],
  ] as const
  for (const [format, type] of files)
    it(`can be downloaded as ${format}, by clients and through a plain link on the page of the trail`, async () => {
      const answer = await get(`/v2/trails/4711.${format}`)
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('content-type'), type)
      assert.equal(
        answer.headers.get('content-disposition'),
        `attachment; filename="trail-4711.${format}"; filename*=UTF-8''h%C3%B6henweg.${format}`,
      )
      const etag = answer.headers.get('etag') ?? ''
      const body = await answer.text()
      assert.equal((await get(`/v2/trails/4711.${format}`, { 'if-none-match': etag })).status, 304)
      // Over plain HTTP, a browser that follows a link sends no more than the URL.
      for (const place of ['h%C3%B6henweg', '4711']) {
        const linked = await waymark.fetch(`/t/${place}/trail.${format}`)
        assert.deepEqual([linked.status, await linked.text()], [200, body])
        assert.equal(linked.headers.get('content-disposition'), answer.headers.get('content-disposition'))
      }
      const head = await waymark.fetch(`/t/4711/trail.${format}`, { method: 'HEAD' })
      assert.deepEqual([head.status, await head.text()], [200, ''])
      await refused(await waymark.fetch(`/t/nowhere/trail.${format}`), 404, 'invalid-trail-id')
      assert.equal((await waymark.fetch(`/v2/trails/4711.${format}`)).status, 401)
    })

  it('is unchanged after importing the file that it was downloaded as', async () => {
    for (const path of ['/v2/trails/4711.geojson', '/v2/trails.geojson', '/v2/trails.csv']) {
      const file = await get(path)
      const type = file.headers.get('content-type')?.split(';')[0] ?? ''
      const plan = await send(waymark, 'POST', '/v2/admin/trails/import?dryRun=true', {
        token: admin.token,
        body: await file.text(),
        headers: { 'content-type': type },
      })
      const { counts } = await jsonOf<{ counts: object }>(plan)
      assert.deepEqual(counts, { new: 0, changed: 0, problems: 0 }, path)
    }
  })

  it('gets its description from either kind of import, and an empty description in a file keeps it', async () => {
    const importAs = async (type: string, body: string): Promise<string> => {
      const answer = await send(waymark, 'POST', '/v2/admin/trails/import', {
        token: admin.token,
        body,
        headers: { 'content-type': type },
      })
      const { changed } = await jsonOf<{ changed: { fields: object }[] }>(answer)
      const trail = await jsonOf<HighTrail>(await get('/v2/trails/4720'))
      return `${trail.description} ${trail.ascent} ${changed.map(({ fields }) => JSON.stringify(fields)).join()}`
    }
    const csv = (text: string): Promise<string> =>
      importAs('text/csv', `trailID,name,slug,description\r\n4720,Told,told,"${text}"\r\n`)
    const geojson = (...segments: readonly object[]): Promise<string> =>
      importAs(
        'application/geo+json',
        JSON.stringify({
          type: 'FeatureCollection',
          features: segments.map((segment) => ({
            type: 'Feature',
            properties: { id: '4720', name: 'Told', slug: 'told', ...segment },
            geometry: lineOf([8, 46, 500], [8.1, 46, 900]),
          })),
        }),
      )
    assert.equal(await csv("'=Up\n\n* and down"), '=Up\n\n* and down null ')
    assert.equal(await csv(''), '=Up\n\n* and down null ')
    assert.equal(await csv('Down'), 'Down null {"description":"changed"}')
    assert.equal(await geojson({ description: 7 }), 'Down 400 {"geometry":"changed"}')
    assert.equal(await geojson({}, { description: 'Up' }), 'Up 400 {"description":"changed"}')
    assert.equal(await geojson({ description: 'Up' }, { description: 'Other' }), 'Up 400 ')
  })

  it('is valid in each format, whatever the name of the trail', async () => {
    const gpx = await (await get('/v2/trails/4711.gpx')).text()
    assert.match(gpx, /<name>Höhen &#38; &#60;Wege&#62;<\/name><desc>Up the/)
    assert.match(gpx, /<trkpt lat="46" lon="7.01"><ele>812.5<\/ele><\/trkpt>\n<trkpt lat="46" lon="7.02"\/>/)
    const kml = await (await get('/v2/trails/4711.kml')).text()
    assert.match(kml, /<name>Höhen &amp; &lt;Wege&gt;<\/name><description>Up the/)
    assert.match(kml, /<coordinates>7,46,500 7.01,46,812.5 7.02,46 7.03,46,600<\/coordinates>/)
    const flat = await (await get('/v2/trails/4712.kml')).text()
    assert.match(flat, /<Placemark><name>Flat Trail<\/name>\n<\/Placemark>/)
    assert.doesNotMatch(await (await get('/v2/trails/4712.gpx')).text(), /<trk>/)
  })
})
