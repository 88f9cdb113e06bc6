// A route that shares everything, with a zone at home, and all requests of strangers and other members: no response
// contains a hidden value, or what only the owner gets.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startWaymark } from '../../helpers/waymark.ts'
import { tileNumbers } from '../../maps/map-helpers.ts'
import { addRoute, addZone } from '../v2-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())

const home = { lat: 45.1, lon: 7.61 }
const count = 80
const latAt = (index: number): string => (home.lat + index * 0.00071).toFixed(5)
const timeAt = (index: number): string =>
  new Date(Date.UTC(2026, 4, 1, 6, 0, index * 7)).toISOString().replace('.000', '')
/** A different value for each point, to recognise it. */
const heartAt = (index: number): string => (100 + index * 0.37).toFixed(2)
const eleAt = (index: number): string => (1_000 + index * 3.13).toFixed(2)

/** Only hidden points have power; only the owner may read SECRET. */
const point = (index: number): string =>
  `<trkpt lat="${latAt(index)}" lon="${home.lon}"><ele>${eleAt(index)}</ele><time>${timeAt(index)}</time><name>SECRET</name><link href="https://SECRET.example/"/><hdop>7.77</hdop><extensions><hr>${heartAt(index)}</hr>${index < 3 ? '<power>777</power>' : ''}<at lat="${latAt(0)}" lon="${home.lon}">SECRET</at></extensions></trkpt>`
const gpx = `<gpx version="1.1" creator="SECRET" xmlns="http://www.topografix.com/GPX/1/1"><metadata><name>SECRET</name><desc>SECRET</desc><author><name>SECRET</name><email id="SECRET" domain="x.example"/></author><link href="https://SECRET.example/"/><time>${timeAt(0)}</time><keywords>SECRET</keywords><bounds minlat="${latAt(0)}" minlon="7.5" maxlat="46" maxlon="8"/><extensions><s>SECRET</s></extensions></metadata><wpt lat="${latAt(1)}" lon="${home.lon}"><name>DOOR</name></wpt><wpt lat="${latAt(count - 3)}" lon="${home.lon}"><ele>5</ele><name>summit</name><src>SECRET</src><link href="https://SECRET.example/"/><hdop>7.77</hdop><extensions><s>SECRET</s></extensions></wpt><trk><name>SECRET</name><cmt>SECRET</cmt><desc>SECRET</desc><src>SECRET</src><link href="https://SECRET.example/"/><extensions><s>SECRET</s></extensions><trkseg>${Array.from({ length: count }, (_, index) => point(index)).join('')}</trkseg></trk><extensions><s>SECRET</s></extensions></gpx>`

test('C36: no request of anyone else reveals what is hidden', async () => {
  const owner = await waymark.addPerson({ name: 'Ana' })
  const shares = ['times', 'waypoints', 'sensors']
  const body = { name: 'Walk', description: 'Up', gpx, visibility: 'public', shares, length: 4.4321 }
  const { routeID } = await addRoute(waymark, owner, body)
  await addZone(waymark, owner, { ...home, radius: 150 })
  const member = await waymark.addPerson()
  const admin = await waymark.addPerson({ role: 'admin' })

  const own = `/v2/routes/${routeID}`
  const shown = await (await waymark.fetch(`${own}.gpx`)).text()
  const seen = [...shown.matchAll(/<trkpt lat="([^"]+)"/g)].map(([, lat]) => lat)
  const first = Array.from({ length: count }, (_, index) => latAt(index)).indexOf(Number(seen[0]).toFixed(5))
  assert.ok(first >= 3 && seen.length === count - first, `${first} are hidden`)
  const hidden = Array.from({ length: first }, (_, index) => index)
  const words = [
    'SECRET',
    'DOOR',
    '7.77',
    '777',
    'powers',
    'PowerInWatts',
    '4.4321',
    ...hidden.flatMap((index) => [
      latAt(index),
      String(Number(latAt(index))),
      heartAt(index),
      eleAt(index),
      timeAt(index).slice(0, 19),
    ]),
  ].map((word) => new RegExp(String.raw`(?<![\d.])${RegExp.escape(word)}(?!\d)`))

  const tiles = [8, 11, 14].flatMap((zoom) => {
    const [x, y] = tileNumbers(home.lat, home.lon, zoom)
    return [`/v2/tiles/${zoom}/${x}/${y}.mvt`]
  })
  const near = `${home.lon - 0.001},${home.lat - 0.001},${home.lon + 0.001},${home.lat + 0.001}`
  const paths = [
    ...['', '.gpx', '.geojson', '/overview', '.gpx?as=others', '/original.gpx', '.kml'].map(
      (end) => own + end,
    ),
    `/v2/accounts/${owner.accountId}/routes`,
    '/v2/routes',
    `/v2/routes?bbox=${near}`,
    `/embed/routes/${routeID}`,
    `/routes/${routeID}`,
    '/routes',
    '/sitemap.xml',
    '/v2/changes',
    ...tiles,
    `/Accounts/${owner.accountId}/Routes`,
    `/Accounts/${owner.accountId}/Routes/${routeID}`,
  ]
  let answered = 0
  for (const token of [undefined, member.token, admin.token])
    for (const path of paths) {
      const answer = await waymark.fetch(path, token === undefined ? {} : { token })
      const text = Buffer.from(await answer.arrayBuffer()).toString('latin1')
      const reported = `${[...answer.headers].join('\n')}\n${text}`
      for (const word of words) assert.doesNotMatch(reported, word, `${path} (${answer.status})`)
      assert.ok(answer.status < 500, path)
      if (answer.status === 200) answered += 1
    }
  assert.ok(answered > 30, `${answered} answers`)
  // It is not found by its start.
  const found = (await (await waymark.fetch(`/v2/routes?bbox=${near}`, { token: member.token })).json()) as {
    items: unknown[]
  }
  assert.deepEqual(found.items, [])
  // It does share the rest.
  assert.match(shown, /summit/)
  assert.equal(shown.match(/<gpxtpx:hr>/g)?.length, seen.length)
  assert.equal(shown.match(/<trkpt[^\n]*<time>/g)?.length, seen.length)
})

test('C36: data that only hidden points have, including times, leaves no trace', async () => {
  const owner = await waymark.addPerson()
  await addZone(waymark, owner, { ...home, radius: 150 })
  const bare = gpx.replaceAll(/<time>[^<]*<\/time>|<hr>[^<]*<\/hr>/g, '')
  const timed = bare.replace('<ele>1000.00</ele>', `<ele>1000.00</ele><time>${timeAt(0)}</time>`)
  assert.notEqual(timed, bare)
  const shares = ['times', 'sensors']
  const { routeID } = await addRoute(waymark, owner, { gpx: timed, visibility: 'public', shares })
  const text = await (await waymark.fetch(`/v2/routes/${routeID}.geojson`)).text()
  assert.doesNotMatch(text, /coordTimes|coordinateProperties|powers/)
  const file = await (await waymark.fetch(`/v2/routes/${routeID}.gpx`)).text()
  assert.doesNotMatch(file, /gpxpx|<time>/)
})
