// An invalid GPX stored with GPX_CHECK=off: its owner sees an error, others get no line, and there is no export.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startWaymark } from '../helpers/waymark.ts'
import {
  addRoute,
  changeRoute,
  gpxOf,
  jsonOf,
  northward,
  pathOf,
  segmentsIn,
  type Problem,
  type RouteDocument,
} from './v2-helpers.ts'

const waymark = await startWaymark({ environment: { GPX_CHECK: 'off' } })
after(() => waymark.close())
const ana = await waymark.addPerson()
const { token } = ana
const secret = 'lat="46.12345" lon="7.54321"'

const documents: readonly (readonly [what: string, gpx: string])[] = [
  ['one that is cut', `<gpx><trk><trkseg><trkpt ${secret}/><trkpt lat="46.2" lon="7.5"/>`],
  ['no XML', `where I live: ${secret}`],
  ['one with a DOCTYPE', `<!DOCTYPE gpx><gpx><trk><trkseg><trkpt ${secret}/></trkseg></trk></gpx>`],
  ['lone surrogates and quotes', `"\\ \u2028 ${secret}`],
]
for (const [what, gpx] of documents) {
  void test(`C33: of ${what}`, async () => {
    const made = await addRoute(waymark, ana, { name: 'Old', gpx, length: 4, visibility: 'public' })
    assert.equal(typeof made.unreadable, 'string')
    assert.deepEqual([made.pointCount, made.measuredLengthMiles, made.bbox, made.length], [0, null, null, 4])
    const path = `/v2/routes/${made.routeID}`
    const own = await jsonOf<RouteDocument>(await waymark.fetch(path, { token }))
    assert.equal(own.gpx, gpx)
    for (const format of ['.gpx', '.geojson']) {
      const answer = await waymark.fetch(path + format, { token })
      assert.equal(answer.status, 422)
      assert.equal(answer.headers.get('content-disposition'), null)
      assert.match((await jsonOf<Problem>(answer)).detail ?? '', /line 1/)
    }
    for (const address of [path, pathOf(made.urls.gpx), pathOf(made.urls.geojson)]) {
      const answer = await waymark.fetch(address)
      const text = await answer.text()
      assert.equal(answer.status, 200)
      assert.doesNotMatch(text, /46\.1|7\.5|unreadable|where I live/)
      assert.deepEqual(segmentsIn(text), [])
    }
  })
}

void test('an unreadable GPX that is replaced by a readable one is shown again, without the fault', async () => {
  const { routeID } = await addRoute(waymark, ana, { gpx: 'x', visibility: 'public' })
  const changed = await changeRoute(waymark, ana, { id: routeID, gpx: gpxOf([northward(1, 1, 3)]) })
  assert.equal('unreadable' in changed, false)
  assert.equal(changed.pointCount, 3)
  const shown = await jsonOf<RouteDocument>(await waymark.fetch(`/v2/routes/${routeID}`))
  assert.equal(shown.pointCount, 3)
})
