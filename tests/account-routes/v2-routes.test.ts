// POST /v2/accounts/{acctID}/routes: every field, and figures compared with independent ones.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startOfTime, startWaymark } from '../helpers/waymark.ts'
import {
  addRoute,
  gpxOf,
  jsonOf,
  northward,
  patch,
  post,
  setOf,
  type Point,
  type Problem,
  type RouteDocument,
} from './v2-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson({ name: 'Ana' })
const { token } = ana

/** A degree of the equator in metres: π a / 180, without a geodesic. */
const degreeOfEquator = (Math.PI * 6_378_137) / 180
const metresOfMile = 1609.344
const near = (actual: number | null, expected: number, max: number): void =>
  assert.ok(actual !== null && Math.abs(actual - expected) <= max, `${actual}, not ${expected}`)

void describe('POST /v2/accounts/{acctID}/routes', () => {
  void it('accepts every field, and returns everything that is known of the route', async () => {
    const gpx = gpxOf([
      [
        [0, 10, 5],
        [0, 11, 5],
      ],
      [
        [0, 12, 100],
        [0, 13, 200],
        [0, 14, 150],
      ],
    ])
    const body = { name: 'Rim / Ü', description: ' ', length: 12.5, gpx, visibility: 'private' }
    const answer = await post(waymark, setOf(ana), { token, body })
    assert.equal(answer.status, 201)
    const route = await jsonOf<RouteDocument>(answer)
    assert.equal(answer.headers.get('location'), `https://trails.example/v2/routes/${route.routeID}`)
    assert.match(answer.headers.get('cache-control') ?? '', /private, no-store/)
    const { routeID, measuredLengthMiles, ...rest } = route
    near(measuredLengthMiles, (3 * degreeOfEquator) / metresOfMile, 1e-6)
    const at = new Date(startOfTime).toISOString()
    assert.deepEqual(rest, {
      acctID: ana.accountId,
      displayName: 'Ana',
      name: 'Rim / Ü',
      description: '',
      length: 12.5,
      climb: 100,
      descent: 50,
      bbox: [10, 0, 14, 0],
      pointCount: 5,
      start: { lat: 0, lon: 10 },
      end: { lat: 0, lon: 14 },
      duplicates: [],
      visibility: 'private',
      createdAt: at,
      urls: {
        gpx: `https://trails.example/v2/routes/${routeID}.gpx`,
        geojson: `https://trails.example/v2/routes/${routeID}.geojson`,
      },
      updatedAt: at,
      link: null,
      isLengthStated: true,
      shares: [],
      warnings: [],
    })
    const got = await waymark.fetch(`/v2/routes/${routeID}`, { token })
    assert.deepEqual(await jsonOf(got), { ...route, gpx })
  })

  void it('creates a private route from an empty body', async () => {
    const route = await addRoute(waymark, ana, {})
    const { name, length, measuredLengthMiles, climb, descent, bbox, pointCount, start, end } = route
    assert.deepEqual(
      { name, length, measuredLengthMiles, climb, descent, bbox, pointCount, start, end },
      {
        name: '',
        length: 0,
        measuredLengthMiles: null,
        climb: null,
        descent: null,
        bbox: null,
        pointCount: 0,
        start: null,
        end: null,
      },
    )
    assert.equal(route.visibility, 'private')
    assert.equal(route.isLengthStated, false)
  })

  const measured: readonly (readonly [what: string, points: readonly Point[][], Partial<RouteDocument>])[] = [
    ['one point', [[[1, 2]]], { measuredLengthMiles: 0, bbox: [2, 1, 2, 1], pointCount: 1, climb: null }],
    [
      'the antimeridian',
      [
        [
          [0, 179.5],
          [0, -179.5],
        ],
      ],
      {
        measuredLengthMiles: Number((degreeOfEquator / metresOfMile).toFixed(7)),
        bbox: [179.5, 0, -179.5, 0],
      },
    ],
    [
      // The quarter of a meridian of WGS84 is 10,001,965.7293 m (Karney 2011).
      'from the equator to the pole',
      [
        [
          [0, 7],
          [90, 7],
        ],
      ],
      { measuredLengthMiles: Number((10_001_965.7293 / metresOfMile).toFixed(7)), bbox: [7, 0, 7, 90] },
    ],
    [
      'rises of 10 m, which do not count',
      [
        [
          [1, 1, 0],
          [1, 1, 10],
          [1, 1, 0],
        ],
      ],
      { climb: 0, descent: 0 },
    ],
    [
      'an empty segment',
      [[], [[3, 4]], []],
      { pointCount: 1, start: { lat: 3, lon: 4 }, end: { lat: 3, lon: 4 } },
    ],
  ]
  for (const [what, points, expected] of measured) {
    void it(`measures ${what}`, async () => {
      const route = await addRoute(waymark, ana, { gpx: gpxOf(points) })
      for (const [field, value] of Object.entries(expected)) {
        assert.deepEqual(route[field as keyof RouteDocument], value, field)
      }
      near(route.length, route.measuredLengthMiles ?? NaN, 1e-7)
    })
  }

  void it('C13: uses the name in the GPX if none is given, and no name if an empty one is given', async () => {
    const gpx = gpxOf([[[1, 2]]], { name: 'Of the file' })
    assert.equal((await addRoute(waymark, ana, { gpx })).name, 'Of the file')
    assert.equal((await addRoute(waymark, ana, { gpx, name: '' })).name, '')
    assert.equal((await addRoute(waymark, ana, { gpx, name: ' ' })).name, '')
    const long = gpxOf([[[1, 2]]], { name: 'x'.repeat(1001) })
    assert.equal((await addRoute(waymark, ana, { gpx: long })).name, '')
  })

  const lengths = [
    [null, 0],
    [0, 0],
    [-0, 0],
    [1e-7, 1e-7],
    [0.1, 0.1],
    [1_000_000, 1_000_000],
  ] as const
  for (const [sent, shown] of lengths) {
    void it(`C34: a length of ${Object.is(sent, -0) ? '-0' : sent} is shown as ${shown}`, async () => {
      const route = await addRoute(waymark, ana, { length: sent })
      assert.equal(route.length, shown)
      assert.equal(route.isLengthStated, shown !== 0)
    })
  }

  const wrong: readonly (readonly [body: unknown, named: RegExp])[] = [
    [{ nam: 'x' }, /\bnam\b/],
    [{ routeID: 1 }, /routeID/],
    [{ dateCreated: 'x' }, /dateCreated/],
    [{ link: 'x' }, /\blink\b/],
    [{ name: 1 }, /\bname\b/],
    [{ name: null }, /\bname\b/],
    [{ description: {} }, /\bdescription\b/],
    [{ length: '3' }, /\blength\b/],
    [{ length: -1 }, /\blength\b/],
    [{ length: 1_000_000.5 }, /\blength\b/],
    [{ gpx: null }, /\bgpx\b/],
    [{ gpx: '<gpx><wpt lat="1"/></gpx>' }, /no lon.*line 1, element wpt/],
    [{ gpx: '<!DOCTYPE gpx><gpx/>' }, /DOCTYPE|document type/i],
    [{ gpx: 'x' }, /XML/],
    [{ visibility: 'Public' }, /visibility.*private.*link.*public/],
    [{ visibility: null }, /visibility/],
    [{ name: 'x'.repeat(1001) }, /\bname\b.*1,?000/],
    [{ description: '🥾'.repeat(100_001) }, /\bdescription\b.*100,?000/],
    [{ name: 'a\u0001b' }, /U\+0001.*line 1/],
    [[{ name: 'x' }], /body/i],
    ['"x"', /body/i],
  ]
  for (const [body, named] of wrong) {
    void it(`refuses ${JSON.stringify(body).slice(0, 40)} by name, on POST and PATCH`, async () => {
      const { routeID } = await addRoute(waymark, ana, { name: 'stays' })
      const answers = await Promise.all([
        post(waymark, setOf(ana), { token, body }),
        patch(waymark, `/v2/routes/${routeID}`, { token, body }),
      ])
      for (const answer of answers) {
        assert.equal(answer.status, 400, await answer.clone().text())
        assert.match((await jsonOf<Problem>(answer)).detail ?? '', named)
      }
      const kept = await jsonOf<RouteDocument>(await waymark.fetch(`/v2/routes/${routeID}`, { token }))
      assert.equal(kept.name, 'stays')
    })
  }

  void it('C18: a repeated Idempotency-Key creates one route; another body with it is 422', async () => {
    const headers = { 'idempotency-key': 'one' }
    const sent = { token, body: { name: 'once', gpx: gpxOf([northward(1, 1, 3)]) }, headers }
    const answers = await Promise.all([1, 2, 3].map(() => post(waymark, setOf(ana), sent)))
    const ids = await Promise.all(
      answers.map(async (answer) => (await jsonOf<RouteDocument>(answer)).routeID),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201, 201],
    )
    assert.equal(new Set(ids).size, 1)
    const other = await post(waymark, setOf(ana), { ...sent, body: { name: 'twice' } })
    assert.equal(other.status, 422)
  })

  void it('C30, C31: the account and its existence are checked before the body', async () => {
    const other = await waymark.addPerson()
    const reader = await waymark.tokenFor(ana.accountId, 'routes:read images:read')
    const status = async (path: string, bearer: string | undefined) =>
      (await post(waymark, path, { token: bearer, body: '{' })).status
    assert.equal(await status(setOf(ana), undefined), 401)
    assert.equal(await status(setOf(ana), 'wrong'), 401)
    assert.equal(await status(setOf(ana), other.token), 403)
    assert.equal(await status(setOf(ana), reader), 403)
    assert.equal(await status('/v2/accounts/1/routes', token), 404)
    assert.equal(await status(setOf(ana), token), 400)
  })
})
