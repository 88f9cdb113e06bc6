// What others get of a route with a privacy zone: every field and byte derives from the clipped points alone.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startWaymark, type Person } from '../../helpers/waymark.ts'
import {
  addRoute,
  addZone,
  betraying,
  changeRoute,
  gpxOf,
  json,
  jsonOf,
  northward,
  pathOf,
  segmentsIn,
  setOf,
  type Point,
  type RouteDocument,
} from '../v2-helpers.ts'
import { assertNothingNear, assertOfExportedPoints, shownIn, type Shown } from './public-view-helpers.ts'
import { moved, randomFrom, type Place } from '../zones/zone-cases.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const stranger = await waymark.addPerson()
const home: Place = { lat: 45, lon: 7.5 }
const radius = 100

const shownOf = (route: RouteDocument, token?: string) => shownIn(waymark, route, token)

async function withZone(): Promise<Person> {
  const person = await waymark.addPerson()
  await addZone(waymark, person, { ...home, radius })
  return person
}

const fromHome = northward(home.lat, home.lon, 60, 0.0005)
const body = { name: 'Walk', description: 'd', length: 99, gpx: gpxOf([fromHome]), visibility: 'public' }

void describe('a route that starts in a zone', () => {
  void it('is shown as what is left of it, in every format, the same for everyone', async () => {
    const owner = await withZone()
    const route = await addRoute(waymark, owner, body)
    const nobody = await shownOf(route)
    assertOfExportedPoints(nobody)
    assertNothingNear(nobody, home, radius)
    const { document, text } = nobody
    assert.ok(document.pointCount > 20 && document.pointCount < 60, String(document.pointCount))
    assert.ok(document.length < 2 && document.length > 0.5, 'the stated length is not told')
    for (const [lat] of fromHome.slice(0, 4)) assert.doesNotMatch(text, new RegExp(`[",]${lat}[",\\]]`))
    for (const token of [stranger.token, (await waymark.addPerson({ role: 'admin' })).token]) {
      assert.deepEqual(await shownOf(route, token), nobody)
    }
    const previews = await Promise.all(
      ['', '.gpx', '.geojson'].map((format) =>
        waymark.fetch(`/v2/routes/${route.routeID}${format}?as=others`, { token: owner.token }),
      ),
    )
    const [preview = '', ...exported] = await Promise.all(previews.map((answer) => answer.text()))
    assert.equal([preview, ...exported].join('\n'), text)
    const own = await jsonOf<RouteDocument>(
      await waymark.fetch(`/v2/routes/${route.routeID}`, { token: owner.token }),
    )
    assert.deepEqual([own.pointCount, own.length, own.gpx], [60, 99, body.gpx])
    const list = await waymark.fetch(setOf(owner), { token: stranger.token })
    const { items } = await jsonOf<{ items: RouteDocument[] }>(list)
    const { gpx: _, ...summary } = document
    assert.deepEqual(items, [summary])
  })

  void it('with visibility link is shown in the same way, also to its owner with ?as=others', async () => {
    const owner = await withZone()
    const made = await addRoute(waymark, owner, { ...body, visibility: 'link' })
    const { search } = new URL(made.link ?? '')
    const byLink = await shownOf({ ...made, urls: { ...made.urls, gpx: made.urls.gpx + search } })
    assertOfExportedPoints(byLink)
    assertNothingNear(byLink, home, radius)
    const preview = await waymark.fetch(`/v2/routes/${made.routeID}?as=others`, { token: owner.token })
    assert.deepEqual(await preview.json(), byLink.document)
  })

  void it('is left out by filters that ask for hidden data', async () => {
    const owner = await withZone()
    const made = await addRoute(waymark, owner, { ...body, length: null })
    const { document } = await shownOf(made)
    const [west = 0, south = 0, east = 0] = document.bbox ?? []
    const found = async (query: string, token = stranger.token) => {
      const { items } = await jsonOf<{ items: unknown[] }>(
        await waymark.fetch(`${setOf(owner)}?${query}`, { token }),
      )
      return items.length
    }
    const hidden = `bbox=${west - 0.001},44.99,${east + 0.001},${(south - 0.0001).toFixed(6)}`
    assert.deepEqual([await found(hidden), await found(hidden, owner.token)], [0, 1])
    const between = `minMiles=${(document.length + made.length) / 2}`
    assert.deepEqual([await found(between), await found(between, owner.token)], [0, 1])
    assert.deepEqual(
      [await found(`maxMiles=${document.length}`), await found(`maxMiles=${document.length}`, owner.token)],
      [1, 0],
    )
    assert.equal(await found(`bbox=7,${south},8,46`), 1)
    for (const q of [betraying, 'track', 'door']) assert.equal(await found(`q=${q}`), 0)
  })

  void it('is a duplicate for others of anything that looks the same to them, and for its owner only of the whole', async () => {
    const owner = await withZone()
    const rest = fromHome.slice(1)
    const elsewhere = gpxOf([[[home.lat - 0.0003, home.lon + 0.0002, 7], ...rest]])
    const one = await addRoute(waymark, owner, body)
    const two = await addRoute(waymark, owner, { ...body, gpx: elsewhere })
    const hidden = await addRoute(waymark, owner, { ...body, visibility: 'private' })
    assert.deepEqual([two.duplicates, hidden.duplicates], [[], [one.routeID]])
    const linked = await addRoute(waymark, owner, { ...body, visibility: 'link' })
    assert.equal((await waymark.fetch(pathOf(linked.link ?? ''))).status, 200)
    const list = () => waymark.fetch(setOf(owner), { token: stranger.token })
    await (await list()).text() // unrequested routes are not compared for duplicates
    const [first, second] = await Promise.all([shownOf(one), shownOf(two)])
    assert.deepEqual([first.document.duplicates, second.document.duplicates], [[two.routeID], [one.routeID]])
    const same = ({ gpx, geoJson }: Shown) => [gpx, geoJson.features[0]?.geometry]
    assert.deepEqual(same(first), same(second))
    const { items } = await jsonOf<{ items: RouteDocument[] }>(await list())
    const listed = new Map(items.map(({ routeID, duplicates }) => [routeID, duplicates]))
    assert.deepEqual([listed.get(one.routeID), listed.get(two.routeID)], [[two.routeID], [one.routeID]])
    assert.equal(listed.size, 2)
  })

  void it('returns the same bytes and headers to others when only the hidden part changes (C39)', async () => {
    const owner = await withZone()
    const made = await addRoute(waymark, owner, { ...body, length: null })
    const paths = [
      ...['', '.gpx', '.geojson'].map((format) => `/v2/routes/${made.routeID}${format}`),
      setOf(owner),
    ]
    const seen = async () =>
      Promise.all(
        paths.map(async (path) => {
          const answer = await waymark.fetch(path, { token: stranger.token })
          assert.equal(answer.status, 200)
          const passing = /^(date|x-request-id|ratelimit.*)$/
          return [[...answer.headers].filter(([name]) => !passing.test(name)), await answer.text()]
        }),
      )
    const before = await seen()
    waymark.system.advance(1_000)
    const rest = fromHome.slice(1)
    const gpx = gpxOf([[[home.lat - 0.0002, home.lon + 0.0001, 1_000], [home.lat, home.lon], ...rest]], {
      name: 'moved',
    })
    const changed = await waymark.fetch(`/Accounts/${owner.accountId}/Routes/${made.routeID}`, {
      method: 'PUT',
      token: owner.token,
      headers: json,
      body: JSON.stringify([{ gpx }]),
    })
    assert.equal(changed.status, 200)
    const own = await jsonOf<RouteDocument>(
      await waymark.fetch(`/v2/routes/${made.routeID}`, { token: owner.token }),
    )
    assert.notEqual(own.length, made.length)
    assert.notEqual(own.updatedAt, made.updatedAt)
    assert.deepEqual(await seen(), before)
    await changeRoute(waymark, owner, { id: made.routeID, length: 12 })
    assert.deepEqual(await seen(), before)
    await changeRoute(waymark, owner, { id: made.routeID, name: 'Other' })
    assert.notDeepEqual(await seen(), before)
  })
})

void describe('other routes', () => {
  void it('that no zone touches are shown whole, with the length that was given', async () => {
    const owner = await withZone()
    const points = northward(46, 8, 5)
    const route = await addRoute(waymark, owner, { ...body, gpx: gpxOf([points]) })
    const shown = await shownOf(route)
    assertOfExportedPoints(shown, { isLengthStated: true })
    assert.deepEqual([shown.document.length, shown.document.pointCount], [99, 5])
    assert.deepEqual(segmentsIn(shown.gpx), [points])
  })

  void it('that lie in a zone entirely, or have nothing left, reveal no location and are no duplicates of anything', async () => {
    const owner = await withZone()
    const inside = { ...body, gpx: gpxOf([fromHome.slice(0, 3), [[45, 7.5]]]) }
    const routes = [await addRoute(waymark, owner, inside), await addRoute(waymark, owner, inside)]
    for (const route of routes) {
      const shown = await shownOf(route)
      assertOfExportedPoints(shown)
      const { length, measuredLengthMiles, pointCount, duplicates, climb } = shown.document
      assert.deepEqual(
        { length, measuredLengthMiles, pointCount, duplicates, climb },
        { length: 0, measuredLengthMiles: null, pointCount: 0, duplicates: [], climb: null },
      )
      assert.deepEqual(segmentsIn(shown.gpx).flat(), [])
      assert.doesNotMatch(shown.text, /\b45(\.|\b)|7\.5/)
    }
    const inWorld = await waymark.fetch(`${setOf(owner)}?bbox=-180,-90,180,90`, { token: stranger.token })
    assert.deepEqual((await jsonOf<{ items: unknown[] }>(inWorld)).items, [])
  })

  void it('random routes through several zones reveal nothing of any zone', async () => {
    const random = randomFrom(20_261_122)
    const owner = await waymark.addPerson()
    const centres = Array.from({ length: 3 }, (_, index) => moved(home, index * 120, 2_500))
    const radii = [60, 200, 450]
    for (const [index, centre] of centres.entries())
      await addZone(waymark, owner, { ...centre, radius: radii[index] ?? 0 })
    let clipped = 0
    for (let number = 0; number < 20; number += 1) {
      const from = centres[number % 3] ?? home
      let at = moved(from, random() * 360, random() * 400)
      const points: Point[] = Array.from({ length: 90 }, (_, index) => {
        at = moved(at, (number * 37 + index * 2 * random()) % 360, 60 + 60 * random())
        return [Number(at.lat.toFixed(7)), Number(at.lon.toFixed(7)), Math.round(random() * 80)]
      })
      const half = Math.floor(random() * 80)
      const route = await addRoute(waymark, owner, {
        ...body,
        gpx: gpxOf([points.slice(0, half), points.slice(half)]),
      })
      const shown = await shownOf(route)
      const isClipped = shown.document.pointCount < 90
      assertOfExportedPoints(shown, { isLengthStated: !isClipped })
      for (const [index, centre] of centres.entries()) assertNothingNear(shown, centre, radii[index] ?? 0)
      const known = new Set(points.map(String))
      for (const point of segmentsIn(shown.gpx).flat())
        assert.ok(known.has(String(point)), 'no point is made up')
      if (isClipped) clipped += 1
    }
    assert.ok(clipped >= 15, String(clipped))
  })
})
