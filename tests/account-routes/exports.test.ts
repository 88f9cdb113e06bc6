// GET /v2/routes/{routeID}.gpx and .geojson: all kinds of names and lines, content types, and conditions.
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { startWaymark } from '../helpers/waymark.ts'
import {
  addRoute,
  betraying,
  changeRoute,
  gpxOf,
  jsonOf,
  northward,
  segmentsIn,
  type Point,
  type RouteDocument,
} from './v2-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const ana = await waymark.addPerson({ name: 'Ana' })
const { token } = ana
const visibility = 'public'
const formats = ['gpx', 'geojson'] as const

interface Collection {
  readonly type: string
  readonly bbox?: readonly number[]
  readonly features: readonly {
    readonly type: string
    readonly properties: Record<string, unknown>
    readonly geometry: { readonly type: string; readonly coordinates: unknown } | null
  }[]
}

const exportOf = ({ routeID }: RouteDocument, format: string, bearer?: string): Promise<Response> =>
  waymark.fetch(`/v2/routes/${routeID}.${format}`, bearer === undefined ? {} : { token: bearer })

void describe('names', () => {
  const names: readonly (readonly [name: string, file: string])[] = [
    ['Rim Trail', 'Rim Trail'],
    ['a\r\nSet-Cookie: x=1\r\n\r\n<b>', 'a Set-Cookie x=1 b'],
    ['"; filename="evil.exe', '; filename= evil.exe'],
    ['../../etc/passwd', '.. .. etc passwd'],
    ['C:\\x|y?*', 'C x y'],
    ["O'Hara (100%)*", "O'Hara (100%)"],
    ['Größe 🥾 山', 'Größe 🥾 山'],
    ['\u202egnp.exe\u2066', 'gnp.exe'],
    ['tab\there', 'tab here'],
    ['%0d%0aX: y', '%0d%0aX y'],
    ['🥾'.repeat(1_000), '🥾'.repeat(80)],
    ['', ''],
    ['///', ''],
    ["''", "''"],
    ['\u2028\u00a0', ''],
  ]
  for (const [name, file] of names) {
    void it(`of ${JSON.stringify(name).slice(0, 40)} make one harmless Content-Disposition`, async () => {
      const route = await addRoute(waymark, ana, { name, gpx: gpxOf([[[1, 2]]]), visibility })
      for (const format of formats) {
        for (const bearer of [token, undefined]) {
          const { headers } = await exportOf(route, format, bearer)
          assert.equal(headers.get('set-cookie'), null)
          assert.equal(headers.get('x'), null)
          const form =
            /^attachment; filename="(route-\d+\.\w+)"; filename\*=UTF-8''((?:[A-Za-z0-9!#$&+.^_`|~-]|%[0-9A-Fa-f]{2})+)$/
          const [, plain, encoded = ''] = form.exec(headers.get('content-disposition') ?? '') ?? []
          assert.equal(plain, `route-${route.routeID}.${format}`)
          const expected = file === '' ? `route-${route.routeID}` : file
          assert.equal(decodeURIComponent(encoded).replaceAll(/ +/g, ' '), `${expected}.${format}`)
        }
      }
    })
  }

  void it('are escaped in the files', async () => {
    const name = `<&"'>]]> Ü`
    const description = '\\"\u2028</script>\n-->'
    const route = await addRoute(waymark, ana, { name, description, gpx: gpxOf([[[1, 2]]]), visibility })
    for (const bearer of [token, undefined]) {
      const gpx = await (await exportOf(route, 'gpx', bearer)).text()
      const [, head = ''] = /<metadata>(.*?)<\/metadata>/s.exec(gpx) ?? []
      const read = (text: string) =>
        text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
      const [words = '', others = ''] = head.split('<author>')
      assert.equal(words.split('<').length - 1, 4, 'no markup but that of the two elements')
      assert.equal(read(words), `<name>${name}</name><desc>${description}</desc>`)
      assert.equal(others !== '', bearer !== undefined, 'the rest of the document is for its owner')
      const geoJson = await jsonOf<Collection>(await exportOf(route, 'geojson', bearer))
      assert.deepEqual(
        [geoJson.features[0]?.properties['name'], geoJson.features[0]?.properties['description']],
        [name, description],
      )
    }
  })
})

void describe('lines', () => {
  const cases: readonly (readonly [
    what: string,
    points: readonly Point[][],
    geometry: unknown,
    bbox: unknown,
  ])[] = [
    ['no gpx', [], null, undefined],
    ['one point', [[[1, 2, 3]]], null, [2, 1, 2, 1]],
    [
      'two points',
      [
        [
          [1, 2, 3],
          [1, 3],
        ],
      ],
      {
        type: 'LineString',
        coordinates: [
          [2, 1, 3],
          [3, 1],
        ],
      },
      [2, 1, 3, 1],
    ],
    [
      'two lines, an empty and a lone one',
      [
        [
          [1, 2],
          [1, 3],
        ],
        [],
        [[5, 5]],
        [
          [2, 2],
          [2, 3],
        ],
      ],
      {
        type: 'MultiLineString',
        coordinates: [
          [
            [2, 1],
            [3, 1],
          ],
          [
            [2, 2],
            [3, 2],
          ],
        ],
      },
      [2, 1, 5, 5],
    ],
    [
      'the antimeridian',
      [
        [
          [0, 179],
          [0, -179],
        ],
      ],
      {
        type: 'MultiLineString',
        coordinates: [
          [
            [179, 0],
            [180, 0],
          ],
          [
            [-180, 0],
            [-179, 0],
          ],
        ],
      },
      [179, 0, -179, 0],
    ],
  ]
  for (const [what, points, geometry, bbox] of cases) {
    void it(`of ${what} are visible to the owner and, without a zone, to everyone`, async () => {
      const gpx = points.length === 0 ? '' : gpxOf(points)
      const route = await addRoute(waymark, ana, { name: 'x', gpx, visibility })
      for (const bearer of [token, undefined]) {
        const collection = await jsonOf<Collection>(await exportOf(route, 'geojson', bearer))
        assert.equal(collection.type, 'FeatureCollection')
        assert.deepEqual(collection.features[0]?.geometry, geometry)
        if (bearer === undefined) assert.deepEqual(collection.bbox, bbox)
        assert.equal(collection.features.length, bearer === undefined || gpx === '' ? 1 : 2)
        const written = await (await exportOf(route, 'gpx', bearer)).text()
        const creator = bearer === undefined || gpx === '' ? 'Waymark' : betraying
        const start = `<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="${creator}" `
        assert.equal(written.slice(0, start.length), start)
        assert.deepEqual(segmentsIn(written), points)
        assert.equal(/<time>|<wpt/.test(written), bearer !== undefined && gpx !== '')
        assert.equal(written.includes(betraying), bearer !== undefined && gpx !== '')
      }
    })
  }
})

void describe('responses', () => {
  void it('have their content type, and a HEAD without a body', async () => {
    const route = await addRoute(waymark, ana, { gpx: gpxOf([northward(1, 1, 3)]), visibility })
    const types = {
      gpx: 'application/gpx+xml; charset=utf-8',
      geojson: 'application/geo+json; charset=utf-8',
    }
    for (const format of formats) {
      const { headers } = await exportOf(route, format)
      assert.equal(headers.get('content-type'), types[format])
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      const head = await waymark.fetch(`/v2/routes/${route.routeID}.${format}`, { method: 'HEAD' })
      assert.equal(head.status, 200)
      assert.equal(head.headers.get('etag'), headers.get('etag'))
      assert.equal(await head.text(), '')
    }
    for (const path of [
      `${route.routeID}.kml`,
      `${route.routeID}.gpx.gpx`,
      `x.gpx`,
      `.gpx`,
      `${route.routeID}.`,
    ]) {
      assert.ok([401, 404].includes((await waymark.fetch(`/v2/routes/${path}`)).status), path)
    }
  })

  void it('C39: their ETag holds until the name or the line changes', async () => {
    const route = await addRoute(waymark, ana, { name: 'a', gpx: gpxOf([northward(1, 1, 3)]), visibility })
    const tags = async (bearer?: string) =>
      Promise.all(
        ['.gpx', '.geojson', ''].map(async (format) => {
          const path = `/v2/routes/${route.routeID}${format}`
          const init = bearer === undefined ? {} : { token: bearer }
          const etag = (await waymark.fetch(path, init)).headers.get('etag') ?? ''
          const again = await waymark.fetch(path, { ...init, headers: { 'if-none-match': etag } })
          assert.equal(again.status, 304)
          assert.equal(await again.text(), '')
          return etag
        }),
      )
    const seen = new Set([...(await tags()), ...(await tags(token))])
    assert.equal(seen.size, 6)
    await changeRoute(waymark, ana, { id: route.routeID, name: 'b' })
    for (const tag of [...(await tags()), ...(await tags(token))]) seen.add(tag)
    assert.equal(seen.size, 12)
    await changeRoute(waymark, ana, { id: route.routeID, gpx: gpxOf([northward(1, 1, 4)]) })
    for (const tag of [...(await tags()), ...(await tags(token))]) seen.add(tag)
    assert.equal(seen.size, 18)
    // Figures and times stay the same; only what the owner alone gets changes.
    await changeRoute(waymark, ana, {
      id: route.routeID,
      gpx: gpxOf([northward(1, 1, 4)]).replace('door', 'gate'),
    })
    for (const tag of await tags()) assert.ok(seen.has(tag))
    for (const tag of await tags(token)) assert.equal(seen.has(tag), false)
  })
})
