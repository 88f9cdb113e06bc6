// What owners share besides the line: nothing by default, each kind separately, and nothing inside a zone.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { savePublicView } from '../../../src/account-routes/public-view/public-view-table.ts'
import { startWaymark, type Person } from '../../helpers/waymark.ts'
import { addRoute, addZone, changeRoute, jsonOf, patch, pathOf, type RouteDocument } from '../v2-helpers.ts'
import { shownIn, type Shown } from './public-view-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())

const count = 60
const home = { lat: 45, lon: 7.5 }
const latAt = (index: number): number => Number((home.lat + index * 0.0005).toFixed(6))
const timeAt = (index: number): string =>
  new Date(Date.UTC(2026, 4, 1, 6, 0, index)).toISOString().replace('.000', '')

/** From home to the north, a point every 55 m and every second, with a waypoint at the door and one at the far end. */
const gpx = (() => {
  const points = Array.from(
    { length: count },
    (_, index) =>
      `<trkpt lat="${latAt(index)}" lon="${home.lon}"><ele>${100 + index}</ele><time>${timeAt(index)}</time><cmt>SECRET</cmt><extensions><tp:TrackPointExtension><tp:atemp>21.5</tp:atemp><tp:hr>${90 + index}</tp:hr><tp:cad>80</tp:cad></tp:TrackPointExtension><power>${200 + index}</power><own:secret lat="45" lon="7.5">SECRET</own:secret></extensions></trkpt>`,
  )
  const waypoint = (index: number, name: string): string =>
    `<wpt lat="${latAt(index)}" lon="${home.lon}"><ele>5</ele><time>${timeAt(index)}</time><name>${name}</name><desc>about ${name}</desc><link href="https://secret.example/SECRET"/><sym>Flag</sym><extensions><own:secret>SECRET</own:secret></extensions></wpt>`
  return `<gpx version="1.1" creator="SECRET" xmlns="http://www.topografix.com/GPX/1/1" xmlns:tp="http://www.garmin.com/xmlschemas/TrackPointExtension/v1" xmlns:own="urn:own"><metadata><author><name>SECRET</name></author><time>2026-05-01T05:55:00Z</time></metadata>${waypoint(1, 'door')}${waypoint(count - 5, 'summit')}<trk><name>SECRET</name><trkseg>${points.join('')}</trkseg></trk></gpx>`
})()

const body = { name: 'Walk', gpx, visibility: 'public' }
const propertiesOf = ({ geoJson }: Shown, feature = 0) => geoJson.features[feature]?.properties ?? {}
const share = (person: Person, { routeID: id }: RouteDocument, shares: readonly string[]) =>
  changeRoute(waymark, person, { id, shares })

void describe('without a zone', () => {
  void it('others get only the line and its elevations until more is shared', async () => {
    const owner = await waymark.addPerson()
    const route = await addRoute(waymark, owner, body)
    assert.deepEqual((route as { shares?: unknown }).shares, [])
    const bare = await shownIn(waymark, route)
    assert.doesNotMatch(bare.text, /SECRET|<time>|<wpt|hr>|coordTimes|coordinateProperties|summit|shares/)
    assert.equal(bare.gpx.match(/<ele>/g)?.length, count)

    await share(owner, route, ['times'])
    const timed = await shownIn(waymark, route)
    assert.equal(timed.gpx.match(/<time>/g)?.length, count)
    assert.doesNotMatch(timed.text, /SECRET|<wpt|hr>|2026-05-01T05:55/)
    assert.equal((propertiesOf(timed)['coordTimes'] as string[]).length, count)

    await share(owner, route, ['sensors', 'waypoints'])
    const rich = await shownIn(waymark, route)
    assert.doesNotMatch(rich.text, /SECRET|<time>|coordTimes/)
    assert.equal(rich.gpx.match(/<wpt /g)?.length, 2)
    assert.match(
      rich.gpx,
      /<wpt lat="45.0005" lon="7.5"><ele>5<\/ele><name>door<\/name><desc>about door<\/desc><sym>Flag<\/sym><\/wpt>/,
    )
    assert.match(
      rich.gpx,
      /<ele>100<\/ele><extensions><gpxtpx:TrackPointExtension><gpxtpx:atemp>21.5<\/gpxtpx:atemp><gpxtpx:hr>90<\/gpxtpx:hr><gpxtpx:cad>80<\/gpxtpx:cad><\/gpxtpx:TrackPointExtension><gpxpx:PowerExtension><gpxpx:PowerInWatts>200<\/gpxpx:PowerInWatts><\/gpxpx:PowerExtension><\/extensions>/,
    )
    assert.deepEqual(Object.keys(propertiesOf(rich)['coordinateProperties'] as object).toSorted(), [
      'atemps',
      'cadences',
      'heart',
      'powers',
    ])
    assert.deepEqual(propertiesOf(rich, 2), { name: 'summit', desc: 'about summit', sym: 'Flag' })

    await share(owner, route, [])
    assert.equal((await shownIn(waymark, route)).text, bare.text, 'what is taken back is gone')
    const etags = await Promise.all(
      [[], ['times'], ['waypoints']].map(async (shares, index) => {
        const other = await addRoute(waymark, owner, { ...body, name: `w${index}`, shares })
        return (await waymark.fetch(pathOf(other.urls.gpx))).headers.get('etag')
      }),
    )
    assert.equal(new Set(etags).size, 3)
  })

  void it('the choice is validated strictly, kept through other changes, and independent of order', async () => {
    const owner = await waymark.addPerson()
    const route = await addRoute(waymark, owner, { ...body, shares: ['waypoints', 'times'] })
    assert.deepEqual((route as { shares?: unknown }).shares, ['times', 'waypoints'])
    const changed = await changeRoute(waymark, owner, { id: route.routeID, name: 'Other' })
    assert.deepEqual((changed as { shares?: unknown }).shares, ['times', 'waypoints'])
    assert.match((await shownIn(waymark, route)).gpx, /<wpt/)
    for (const shares of [['everything'], ['times', 'times'], 'times', null]) {
      const answer = await patch(waymark, `/v2/routes/${route.routeID}`, {
        token: owner.token,
        body: { shares },
      })
      assert.equal(answer.status, 400, JSON.stringify(shares))
    }
    const unchanged = await shownIn(waymark, route)
    assert.match(unchanged.gpx, /<time>/)
    // Another document, which is shared from now on.
    const later = gpx.replaceAll('2026-05-01', '2027-05-01').replaceAll('summit', 'peak')
    await changeRoute(waymark, owner, { id: route.routeID, gpx: later })
    const after = await shownIn(waymark, route)
    assert.match(after.text, /2027-05-01T06:00:01.*peak/s)
    assert.doesNotMatch(after.text, /2026-05-01|summit/)
  })
})

void describe('with a zone', () => {
  void it('its waypoints, times and sensor values are removed, and nothing else shifts', async () => {
    const owner = await waymark.addPerson()
    const route = await addRoute(waymark, owner, { ...body, shares: ['times', 'waypoints', 'sensors'] })
    const whole = await shownIn(waymark, route)
    await addZone(waymark, owner, { ...home, radius: 100 })
    const shown = await shownIn(waymark, route)
    assert.match(whole.text, /door/)
    assert.doesNotMatch(shown.text, /door/)
    const points = [...shown.gpx.matchAll(/<trkpt lat="([^"]+)".*?<time>([^<]+)<.*?<gpxtpx:hr>(\d+)</g)]
    assert.ok(points.length > 10 && points.length < count, `${points.length} points`)
    for (const [, lat, time, heart] of points) {
      const index = Math.round((Number(lat) - home.lat) / 0.0005)
      assert.equal(time, timeAt(index))
      assert.equal(Number(heart), 90 + index)
    }
    const first = Math.round((Number(points[0]?.[1]) - home.lat) / 0.0005)
    assert.ok(first > 2, 'more than the door is hidden')
    for (let index = 0; index < first; index += 1)
      assert.ok(!shown.text.includes(timeAt(index).slice(0, 19)), timeAt(index))
    assert.equal((propertiesOf(shown)['coordTimes'] as unknown[]).length, points.length)
    const waypoints = shown.geoJson.features.slice(1).map(({ properties }) => properties['name'])
    assert.ok(waypoints.every((name) => name === 'summit'))
    // The owner's preview equals what others get.
    const preview = await waymark.fetch(`/v2/routes/${route.routeID}.gpx?as=others`, { token: owner.token })
    assert.equal(await preview.text(), shown.gpx)
    const own = await jsonOf<{ gpx: string }>(
      await waymark.fetch(`/v2/routes/${route.routeID}`, { token: owner.token }),
    )
    assert.equal(own.gpx, gpx)
  })

  void it('the same applies with a link', async () => {
    const owner = await waymark.addPerson()
    await addZone(waymark, owner, { ...home, radius: 100 })
    const route = await addRoute(waymark, owner, { ...body, visibility: 'link', shares: ['waypoints'] })
    const { search } = new URL(route.link ?? '')
    const answer = await waymark.fetch(`/v2/routes/${route.routeID}.gpx${search}`)
    assert.equal(answer.status, 200)
    const text = await answer.text()
    assert.doesNotMatch(text, /door|<time>|SECRET/)
  })
})

void it('responses derived before a share was withdrawn are not kept', async () => {
  const owner = await waymark.addPerson()
  const route = await addRoute(waymark, owner, { ...body, shares: ['times'] })
  await shownIn(waymark, route)
  const { db } = waymark.installation.database
  const rows = db.selectFrom('route_shown').selectAll().where('route_id', '=', route.routeID)
  const before = await rows.executeTakeFirstOrThrow()
  assert.ok(before.shared)
  await share(owner, route, [])
  await savePublicView(db, before) // as by a request in progress
  const { shared, shared_of: of } = await rows.executeTakeFirstOrThrow()
  assert.deepEqual([shared, of], [null, null])
})
