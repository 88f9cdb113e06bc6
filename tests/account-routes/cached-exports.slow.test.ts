// Public views of a route are generated once and cached: never served after they are hidden, and charged by their cost.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'
import { decodeTile, tileNumbers } from '../maps/map-helpers.ts'
import { addRoute, addZone, changeRoute, gpxOf, northward, segmentsIn, type Point } from './v2-helpers.ts'

const ours = { 'sec-fetch-site': 'same-origin' }
const visibility = 'public'

/** The remaining limit in the response's header. */
const leftIn = ({ headers }: Response): number =>
  Number(/;r=(\d+);/.exec(headers.get('ratelimit') ?? '')?.[1])

const formsOf = (id: number) => [
  `/v2/routes/${id}`,
  `/v2/routes/${id}.gpx`,
  `/v2/routes/${id}.geojson`,
  `/embed/routes/${id}`,
]

/** A zigzag whose points no simplification removes. */
const zigzag = (count: number, lat = 46): Point[] =>
  Array.from({ length: count }, (_, at) => [lat + (at % 7) / 100, 7 + at / count])

const withoutTimes = (gpx: string): string => gpx.replaceAll(/<(time|cmt|extensions)>.*?<\/\1>/g, '')

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson({ name: 'Ana' })

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const answer = await waymark.fetch(path, { method, headers: { ...ours, ...headers } })
  return { answer, text: await answer.text() }
}

void describe('cached bodies of routes', () => {
  it('C39: are the same bytes cached, compressed or uncompressed, each with its own ETag', async () => {
    const { routeID } = await addRoute(waymark, ana, { name: 'Rim', gpx: gpxOf([zigzag(300)]), visibility })
    for (const path of formsOf(routeID).slice(0, 3)) {
      const plain = await get(path, { 'accept-encoding': 'identity' })
      const coded = await get(path, { 'accept-encoding': 'gzip' })
      const again = await get(path, { 'accept-encoding': 'gzip' })
      assert.equal(plain.answer.headers.get('content-encoding'), null)
      assert.equal(coded.answer.headers.get('content-encoding'), 'gzip')
      assert.equal(Number(plain.answer.headers.get('content-length')), Buffer.byteLength(plain.text))
      assert.deepEqual([coded.text, again.text], [plain.text, plain.text])
      assert.match(plain.answer.headers.get('vary') ?? '', /Accept-Encoding/)
      const tags = [plain, coded].map(({ answer }) => answer.headers.get('etag') ?? '')
      assert.equal(new Set(tags).size, 2)
      for (const tag of tags) {
        const { answer } = await get(path, { 'if-none-match': tag })
        assert.deepEqual([answer.status, answer.headers.get('etag')], [304, tag])
      }
    }
  })

  it('C36: hide data at once when a zone or the owner hides it', async () => {
    // 6.5 km: a zone of 200 m hides up to 3.8 km from home.
    const points = northward(50, 9, 60)
    const { routeID } = await addRoute(waymark, ana, { name: 'Home', gpx: gpxOf([points]), visibility })
    const [x, y] = tileNumbers(50.01, 9, 12)
    const tile = `/v2/tiles/12/${x}/${y}.mvt`
    const tileIds = async (): Promise<unknown[]> => {
      const answer = await waymark.fetch(tile, { headers: ours })
      const { routes = [] } = decodeTile(new Uint8Array(await answer.arrayBuffer()))
      return routes.map(({ id, lines }) => [id, lines.flat().length > 0])
    }
    const read = async () => {
      const texts: string[] = []
      for (const path of formsOf(routeID)) texts.push((await get(path)).text)
      return texts
    }
    const before = await read()
    assert.deepEqual(await read(), before)
    assert.deepEqual(await tileIds(), [[routeID, true]])
    assert.equal(segmentsIn(before[1] ?? '').flat().length, 60)

    await addZone(waymark, ana, { lat: 50, lon: 9, radius: 200 })
    const clipped = await read()
    const [first] = segmentsIn(clipped[1] ?? '').flat()
    assert.ok((first?.[0] ?? 0) > 50.0017, String(first))
    for (const [at, text] of clipped.entries()) assert.notEqual(text, before[at])

    const zones = (await (await waymark.fetch('/v2/me/zones', { token: ana.token })).json()) as {
      items: { zoneID: number }[]
    }
    for (const { zoneID } of zones.items)
      await waymark.fetch(`/v2/me/zones/${zoneID}`, { method: 'DELETE', token: ana.token })
    assert.deepEqual(await read(), before, 'the zone is gone')

    await changeRoute(waymark, ana, { id: routeID, visibility: 'private' })
    for (const path of formsOf(routeID)) {
      const { answer } = await get(path)
      assert.ok([401, 404].includes(answer.status), `${path}: ${answer.status}`)
    }
    assert.deepEqual(await tileIds(), [])
    await changeRoute(waymark, ana, { id: routeID, visibility })
    assert.deepEqual(await read(), before)
    assert.deepEqual(await tileIds(), [[routeID, true]])
    await changeRoute(waymark, ana, { id: routeID, name: 'Another name' })
    for (const text of await read()) assert.match(text, /Another name/)
  })

  it('are rebuilt when only the line has changed, and no figure of the route', async () => {
    const line = (up: number): Point[] => [
      [46, 7],
      [46 + up, 7.1],
      [46, 7.2],
      [46 - up, 7.3],
      [46, 7.4],
    ]
    const { routeID } = await addRoute(waymark, ana, { name: 'Two', gpx: gpxOf([line(0.01)]), visibility })
    const read = async () => Promise.all(formsOf(routeID).map(async (path) => (await get(path)).text))
    const summaryOf = (text = ''): string => text.slice(0, text.indexOf('"gpx":'))
    const before = await read()
    await changeRoute(waymark, ana, { id: routeID, gpx: gpxOf([line(-0.01)]) })
    const now = await read()
    assert.equal(summaryOf(now[0]), summaryOf(before[0]), 'a figure tells the lines apart')
    for (const [at, text] of now.entries()) assert.notEqual(text, before[at], formsOf(routeID)[at] ?? '')
  })

  it('HEAD, except of GeoJSON, and conditional requests are answered without building a body, with the headers of GET', async () => {
    const gpx = withoutTimes(gpxOf([zigzag(12_000)]))
    const { routeID } = await addRoute(waymark, ana, { name: 'Long', gpx, visibility })
    // An embed is public and has no limit headers; this request has, and costs 1 itself.
    const left = async () => leftIn((await get('/v2/tiles.json')).answer)
    for (const path of formsOf(routeID)) {
      const lefts = [await left()]
      const head = await get(path, {}, 'HEAD')
      const tag = head.answer.headers.get('etag') ?? ''
      const known = await get(path, { 'if-none-match': tag })
      assert.deepEqual([head.answer.status, head.text, known.answer.status], [200, '', 304], path)
      lefts.push(await left())
      const { answer, text } = await get(path)
      lefts.push(await left())
      assert.ok(text.length > 1_000)
      for (const name of ['etag', 'content-type', 'content-encoding', 'cache-control', 'vary'])
        assert.equal(head.answer.headers.get(name), answer.headers.get(name), `${path}: ${name}`)
      await get(path)
      lefts.push(await left())
      const [first = 0, second = 0, again] = lefts.slice(1).map((now, at) => (lefts[at] ?? 0) - now - 1)
      // HEAD of GeoJSON returns its length, so it must be generated.
      const [untouched, made] = path.includes('.geojson') ? [second + 1, first - 1] : [first, second]
      assert.equal(untouched, 2, `${path} was made`)
      assert.ok(made > 1, `${path} cost nothing`)
      assert.equal(again, 1, `${path} was made again`)
    }
  })
})

void describe('limits by cost (C38)', () => {
  const start = (visitors: string): Promise<Waymark> =>
    startWaymark({ environment: { RATE_LIMIT_FACTOR: '1', RATE_VISITORS: visitors } })

  it('a response that must be built counts as several requests, whatever its headers say', async () => {
    const small = await start('20')
    try {
      const bea = await small.addPerson()
      const add = (name: string, lat: number) =>
        addRoute(small, bea, { name, gpx: withoutTimes(gpxOf([zigzag(30_000, lat)])), visibility })
      const routes = [await add('a', 46), await add('b', 47), await add('c', 48)]
      const tries: readonly (readonly [route: number, extension: string, headers: Record<string, string>])[] =
        [
          [0, 'gpx', { 'x-waymark-page': '1' }],
          [0, 'gpx', {}],
          [1, 'geojson', { 'accept-encoding': 'gzip' }],
          [2, 'gpx', ours],
          [0, 'gpx', { 'x-waymark-page': '1' }],
        ]
      const seen: [status: number, left: number][] = []
      for (const [at, extension, headers] of tries) {
        const answer = await small.fetch(`/v2/routes/${routes[at]?.routeID}.${extension}`, { headers })
        await answer.arrayBuffer()
        assert.match(answer.headers.get('ratelimit-policy') ?? '', /^"visitors";q=20;/)
        seen.push([answer.status, leftIn(answer)])
      }
      // 1 for each, and 6 more for every 30,000 points written.
      assert.deepEqual(seen, [
        [200, 13],
        [200, 12],
        [200, 5],
        [200, 0], // the last one may exceed the limit
        [429, 0],
      ])
    } finally {
      await small.close()
    }
  })
})
