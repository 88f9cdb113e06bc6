// Documents with a million elements in one place, which no device writes: they are stored and exported without taking a
// gigabyte.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readGpxText } from '../../src/shared/gpx/gpx.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { addRoute, jsonOf, type Problem } from './v2-helpers.ts'

const waymark = await startWaymark()
after(() => waymark.close())
const owner = await waymark.addPerson()

const documentOf = (content: string): string =>
  `<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">${content}</gpx>`
const line = '<trk><trkseg><trkpt lat="45" lon="7"/><trkpt lat="45.1" lon="7"/></trkseg></trk>'
const crowd = '<a/>'.repeat(1_000_000)

const crowded: Readonly<Record<string, string>> = {
  'in extensions': `${line}<extensions>${crowd}</extensions>`,
  'in a waypoint': `<wpt lat="45" lon="7">${crowd}</wpt>${line}`,
  'at the root': `${line}${crowd}`,
  'in a track': `<trk>${crowd}</trk>${line}`,
}

for (const [name, content] of Object.entries(crowded))
  test(`a million elements ${name}`, async () => {
    const gpx = documentOf(content)
    const shares = ['waypoints', 'sensors', 'times']
    const { routeID } = await addRoute(waymark, owner, { name, gpx, visibility: 'public', shares })
    const get = (end: string, token?: string): Promise<Response> =>
      waymark.fetch(`/v2/routes/${routeID}${end}`, token === undefined ? {} : { token })
    const exported = await get('.gpx', owner.token)
    assert.equal(exported.status, 200)
    const text = await exported.text()
    assert.equal(text.match(/<a xmlns="urn:gpx:no-namespace"\/>/g)?.length, 1_000_000)
    assert.ok(readGpxText(text, { maxBytes: 100 * 1024 ** 2 }).ok)
    assert.equal(await (await get('/original.gpx', owner.token)).text(), gpx)
    for (const end of ['', '.geojson']) assert.equal((await get(end, owner.token)).status, 200, end)
    for (const end of ['', '.gpx', '.geojson', '/overview']) assert.equal((await get(end)).status, 200, end)
  })

test('if each of many elements would need a long namespace declaration, only the original is offered', async () => {
  const long = 'urn:'.padEnd(100_000, 'x')
  const gpx = documentOf(`${line}<extensions xmlns:a="${long}">${'<a:b/>'.repeat(200_000)}</extensions>`)
  const { routeID } = await addRoute(waymark, owner, { name: 'long namespaces', gpx })
  const get = (end: string): Promise<Response> =>
    waymark.fetch(`/v2/routes/${routeID}${end}`, { token: owner.token })
  const refused = await get('.gpx')
  const { type, detail } = await jsonOf<Problem>(refused)
  assert.equal(refused.headers.get('content-disposition'), null)
  assert.match(
    `${refused.status} ${type} ${detail}`,
    /^4\d\d \S*unreadable-gpx The GPX would be longer than 80 MiB as an export: get the original\.$/,
  )
  assert.equal(await (await get('/original.gpx')).text(), gpx)
})

test('as many elements in points and tracks are exported', async () => {
  const point =
    '<trkpt lat="45" lon="7"><ele>1</ele><extensions><hr>90</hr><cad>80</cad></extensions></trkpt>'
  const track = `<trk><name>n</name><type>t</type><trkseg>${point.repeat(10)}</trkseg></trk>`
  const { routeID } = await addRoute(waymark, owner, { name: 'long', gpx: documentOf(track.repeat(7_000)) })
  const exported = await waymark.fetch(`/v2/routes/${routeID}.gpx`, { token: owner.token })
  assert.equal(exported.status, 200)
  assert.equal((await exported.text()).match(/<hr /g)?.length, 70_000)
})
