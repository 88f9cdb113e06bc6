// The gpx of a route: stored and returned byte for byte, or refused with line and element (contract C33).
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, test } from 'node:test'
import { assertProblem } from '../../helpers/problems.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { createRouteClient, gpxOf, jsonForm, xmlForm } from '../route-client.ts'

const waymark = await startWaymark()
const maxBodyBytes = 100_000
const unchecked = await startWaymark({
  environment: { GPX_CHECK: 'off', MAX_ROUTE_BYTES: String(maxBodyBytes) },
})
after(() => Promise.all([waymark.close(), unchecked.close()]))
const ana = await waymark.addPerson()
const { set, item, write, make, change, read, ids, xmlOf } = createRouteClient(waymark, ana)

const maxBytes = 8 * 1024 ** 2
const point = '<trkpt lat="1" lon="2"/>'
const plain = `<gpx><trk><trkseg>${point}</trkseg></trk></gpx>`
const garmin =
  '<?xml version="1.0" encoding="UTF-8" standalone="no" ?>\n<gpx xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxx="http://www.garmin.com/xmlschemas/GpxExtensions/v3" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" creator="Oregon 550t" version="1.1" xsi:schemaLocation="x y"><metadata><link href="http://www.garmin.com"><text>Garmin</text></link><time>2012-10-06T12:48:05Z</time></metadata><trk><name>06-OCT-12 15:05:04</name><extensions><gpxx:TrackExtension><gpxx:DisplayColor>Red</gpxx:DisplayColor></gpxx:TrackExtension></extensions><trkseg><trkpt lat="36.5157069359" lon="-4.8947916273"><ele>0.94</ele><time>2012-10-06T12:48:07Z</time></trkpt></trkseg></trk></gpx>'

const kept: Readonly<Record<string, string>> = {
  'an empty string': '',
  'no version, creator or namespace': plain,
  'a byte-order mark': `\u{feff}${plain}`,
  CRLF: plain.replaceAll('><', '>\r\n<'),
  'lone CR and blanks all around': `\r${plain.replaceAll('><', '>\r\t <')}\r\n \t`,
  'a declared ISO-8859-1': `<?xml version="1.0" encoding="ISO-8859-1"?>${plain.replace('<trk>', '<trk><name>Zürich 🏔 — ½</name>')}`,
  'a declared UTF-16': `<?xml version='1.0' encoding='UTF-16'?>\n${plain}`,
  'a declared encoding that nobody knows': `<?xml version="1.0" encoding="x-klingon"?>${plain}`,
  'GPX 1.0': plain.replace(
    '<gpx>',
    '<gpx version="1.0" creator="x" xmlns="http://www.topografix.com/GPX/1/0">',
  ),
  'a version that does not exist': plain.replace('<gpx>', '<gpx version="9.7" creator="">'),
  'a foreign namespace in front': plain
    .replaceAll(/<(\/?)(gpx|trk|trkseg|trkpt)\b/g, '<$1g:$2')
    .replace('<g:gpx', '<g:gpx xmlns:g="http://www.topografix.com/GPX/1/1"'),
  'a device': garmin,
  'entities, CDATA, comments, instructions': plain.replace(
    '<trk>',
    '<!-- c --><?pi x?><trk><name>a &amp; b &#x1F3D4; &lt;</name><desc><![CDATA[<b> & "q" \\ /]]></desc>',
  ),
  'quotes and slashes': plain.replace('<gpx>', `<gpx creator='"a\\b/c"'>`),
  'neither time nor elevation': gpxOf('45,7', '46,8'),
  'times and elevations that make no sense': plain.replace(
    point,
    '<trkpt lat="1" lon="2"><ele>high</ele><time>noon</time></trkpt>',
  ),
  'elements in no order, twice': plain.replace(
    '<trk>',
    '<trk/><wpt lat="1" lon="1"/><metadata/><metadata/><trk>',
  ),
  'the ends of the world': gpxOf('90,180', '-90,-180', '0,0', '-0,-0'),
  'coordinates of many digits': gpxOf('45.123456789012345678901234567890,7.000', ' 45 ,+7', '1e1,2E-1'),
  'depth 64': `<gpx>${'<extensions>'.repeat(63)}${'</extensions>'.repeat(63)}</gpx>`,
  'no points at all': '<gpx/>',
  ...Object.fromEntries(
    [1, 4, 16, 64].flatMap((kib) =>
      [-1, 0, 1].map((more) => [`${kib} KiB and ${more}`, gpxOfBytes(kib * 1024 + more)] as const),
    ),
  ),
}

void test('C33: an accepted GPX comes back byte for byte, in both formats', async () => {
  for (const [what, gpx] of Object.entries(kept)) {
    const id = await make({ gpx })
    assert.equal((await read(id)).route.gpx, gpx, `${what} in JSON`)
    const another = await make({ gpx: plain })
    const xml = (await xmlOf(id)).replace(`<routeID>${id}</routeID>`, '')
    await change(another, xml, xmlForm)
    assert.equal((await read(another)).route.gpx, gpx, `${what} out and in again in XML`)
  }
})

const inTrack = (text: string): string => `<gpx>\n<trk>\n<trkseg>\n${text}</trkseg></trk></gpx>`
const entities = Array.from(
  { length: 10 },
  (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`,
).join('')

/** Refused documents, with the line and the element in the message. */
const refused: readonly (readonly [what: string, gpx: string, line: number, element: string | undefined])[] =
  [
    ['no XML', 'a walk in the woods', 1, undefined],
    ['a blank', '  ', 1, undefined],
    ['JSON', '{"type":"FeatureCollection"}', 1, undefined],
    ['HTML', '<!DOCTYPE html>\n<html><body>Please log in</body></html>', 1, undefined],
    ['HTML without DOCTYPE', '<html><head><title>x</title></head></html>', 1, 'html'],
    ['KML', '<kml xmlns="http://www.opengis.net/kml/2.2"><Document/></kml>', 1, 'kml'],
    ['TCX', '\n<TrainingCenterDatabase/>', 2, 'TrainingCenterDatabase'],
    ['cut off', inTrack('').slice(0, -15), 4, 'trkseg'],
    ['cut off in a tag', `<gpx>\n<trk><trkseg>\n<trkpt lat="1" lo`, 3, 'trkpt'],
    ['tags crossed', '<gpx>\n<trk>\n</gpx></trk>', 3, 'trk'],
    ['a second root', `${plain}\n${plain}`, 2, 'gpx'],
    ['text behind the end', `${plain}\nx`, 2, undefined],
    ['an attribute twice', inTrack('<trkpt lat="1" lat="1" lon="2"/>'), 4, 'trkpt'],
    ['a bare ampersand', '<gpx><metadata>\n<name>Salt & Pepper</name></metadata></gpx>', 2, 'name'],
    ['an unknown entity', '<gpx>\n\n<metadata><name>&nbsp;</name></metadata></gpx>', 3, 'name'],
    ['a DOCTYPE', '<?xml version="1.0"?>\n<!DOCTYPE gpx>\n<gpx/>', 2, undefined],
    [
      'a billion laughs',
      `<!DOCTYPE gpx [<!ENTITY l0 "lol">${entities}]><gpx><metadata><name>&l10;</name></metadata></gpx>`,
      1,
      undefined,
    ],
    [
      'an external entity',
      '<!DOCTYPE gpx [<!ENTITY x SYSTEM "file:///etc/passwd">]><gpx><name>&x;</name></gpx>',
      1,
      undefined,
    ],
    ['an external DTD', '<!DOCTYPE gpx SYSTEM "http://127.0.0.1:1/x.dtd"><gpx/>', 1, undefined],
    ['a point without lat', inTrack('<trkpt lon="1"/>'), 4, 'trkpt'],
    ['a point without lon', inTrack(`${point}\n<trkpt lat="1"/>`), 5, 'trkpt'],
    ['a waypoint without either', '<gpx>\n<wpt/></gpx>', 2, 'wpt'],
    [
      'a route point with lat of another case',
      '<gpx>\n<rte>\n<rtept LAT="1" lon="1"/></rte></gpx>',
      3,
      'rtept',
    ],
    ...['NaN', '', 'Infinity', '1e999', '45,5', '0x1', '45°', '90.0000001', '-91', '1 2'].map(
      (lat) => [`lat ${lat}`, inTrack(`<trkpt lat="${lat}" lon="1"/>`), 4, 'trkpt'] as const,
    ),
    ...['180.0000001', '-181', '360', 'E7'].map(
      (lon) => [`lon ${lon}`, inTrack(`<trkpt lat="1" lon="${lon}"/>`), 4, 'trkpt'] as const,
    ),
    ['depth 65', `<gpx>${'<a>'.repeat(64)}${'</a>'.repeat(64)}</gpx>`, 1, 'a'],
    ['200,000 nested tags', `<gpx>\n${'<a>'.repeat(200_000)}`, 2, 'a'],
    ['a line number far down', `<gpx>${'\r\n'.repeat(5_000)}<wpt lat="x" lon="1"/></gpx>`, 5_001, 'wpt'],
  ]

void test('C33: every refusal is a 400 with one sentence that names the line and the element; nothing is stored or changed', async () => {
  const id = await make({ gpx: plain, name: 'as it was' })
  const before = await ids()
  for (const [at, [what, gpx, line, element]] of refused.entries()) {
    const where = element === undefined ? 'outside any element' : `element ${element}`
    const posted = await write('POST', set, jsonForm.many({ gpx }))
    const { detail } = await assertProblem(posted, 'invalid-field', what)
    assert.ok(detail.endsWith(` (gpx line ${line}, ${where}).`), `${what}: ${detail}`)
    assert.ok(detail.length < 300, detail)
    if (at % 3 > 0) continue
    const [form, path] = at % 2 === 0 ? [xmlForm, item(id)] : [jsonForm, set]
    const answer = await write('PUT', path, form.one({ routeID: id, name: 'changed', gpx }), {
      type: form.type,
    })
    assert.equal((await assertProblem(answer, 'invalid-field', what)).detail, detail)
  }
  assert.deepEqual(await ids(), before)
  const { route } = await read(id)
  assert.deepEqual([route.name, route.gpx], ['as it was', plain])
})

/** A document of exactly this many bytes, mostly two-byte characters outside the points. */
function gpxOfBytes(bytes: number): string {
  const frame = plain.replace('<trk>', '<trk><desc></desc>')
  const left = bytes - Buffer.byteLength(frame)
  return frame.replace('<desc>', `<desc>${'é'.repeat(Math.floor(left / 2))}${left % 2 === 0 ? '' : 'x'}`)
}

void test('C33: 8 MiB are accepted and come back; one byte more is 400 and not 413, in POST and PUT and in both formats', async () => {
  const whole = gpxOfBytes(maxBytes)
  const over = gpxOfBytes(maxBytes + 1)
  assert.deepEqual([Buffer.byteLength(whole), Buffer.byteLength(over)], [maxBytes, maxBytes + 1])
  const id = await make({ gpx: whole })
  assert.ok((await read(id)).route.gpx === whole)
  for (const [form, method, path] of [
    [jsonForm, 'POST', set],
    [xmlForm, 'PUT', item(id)],
  ] as const) {
    const answer = await write(method, path, form.one({ gpx: over }), { type: form.type })
    const { detail } = await assertProblem(answer, 'invalid-field', `${method} ${form.name}`)
    assert.match(detail, /^The document is longer than 8388608 bytes \(gpx line 1, element \w+\)\.$/)
  }
  const inXml = await xmlOf(id)
  assert.ok(inXml.includes(`<gpx>${whole.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</gpx>`))
  assert.ok((await read(id)).route.gpx === whole)
})

void test('C33: GPX_CHECK=off stores any text, which v2 then reports as unreadable', async () => {
  const person = await unchecked.addPerson()
  const client = createRouteClient(unchecked, person)
  for (const [what, gpx] of refused.slice(0, 8)) {
    const id = await client.make({ gpx })
    assert.equal((await client.read(id)).route.gpx, gpx, what)
    assert.equal(await client.lengthOf(id), '0', what)
  }
  const id = await client.make({ gpx: gpxOf('0,10', '0,11') })
  assert.match(await client.lengthOf(id), /^69\.17/)
  await client.change(id, { gpx: 'no gpx' })
  assert.equal(await client.lengthOf(id), '0')
  const v2 = await unchecked.fetch(`/v2/routes/${id}`, { token: person.token })
  assert.match(await v2.text(), /Not XML: .*gpx line 1/)
})

void test('a body over MAX_ROUTE_BYTES gets 413 before it is read, and one that exceeds it during the transfer too', async () => {
  const client = createRouteClient(unchecked, await unchecked.addPerson())
  const bodyOf = (bytes: number): string => {
    const frame = jsonForm.many({ gpx: '' })
    return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`)
  }
  assert.equal((await client.write('POST', client.set, bodyOf(maxBodyBytes))).status, 201)
  const over = bodyOf(maxBodyBytes + 1)
  for (const body of [over, Readable.from([Buffer.from(over)])]) {
    const { detail } = await assertProblem(await client.write('POST', client.set, body), 'body-too-large')
    assert.match(detail ?? '', /\b100000 bytes/)
  }
  assert.equal((await client.ids()).length, 1)
})
