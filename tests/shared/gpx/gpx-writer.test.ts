// GPX that we write: what it looks like, and that reading it back gives what was read, without a warning.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { replaceForbidden } from '../../../src/shared/text/characters.ts'
import { writeGpx } from '../../../src/shared/gpx/gpx-writer.ts'
import type { WrittenGpx } from '../../../src/shared/gpx/gpx-writer.ts'
import { createPoints, lineOf, positionsOf } from '../../../src/shared/geo/points.ts'
import type { Line, Position } from '../../../src/shared/geo/points.ts'
import { gpxOf, read } from './gpx-helpers.ts'

const nothing = { name: '', description: '', creator: 'Waymark', routes: [], tracks: [] }
const written = (document: Partial<WrittenGpx>): string => [...writeGpx({ ...nothing, ...document })].join('')
const gpxTag =
  '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="Waymark" xmlns="http://www.topografix.com/GPX/1/1">\n'

void test('a complete document has its elements in the order of the schema', () => {
  const gpx = read(
    gpxOf(
      '<name>Old</name><wpt lat="1" lon="2"><name>Hut &amp; spring</name><ele>800</ele></wpt><wpt lat="-1.50" lon="180"/>' +
        '<rte><name>R</name><rtept lat="3" lon="4"><extensions><x/></extensions></rtept></rte><rte/>' +
        '<trk><name>T</name><trkseg><trkpt lat="5" lon="6"><time>2026-07-31T20:05:09.250+02:00</time><ele>-3.20</ele></trkpt><trkpt lat="5" lon="7"><time>2026-07-31T18:05:10Z</time></trkpt></trkseg><trkseg/></trk><trk/>',
    ),
  )
  const document = {
    ...gpx,
    name: 'Rim <Trail>',
    description: 'Up,\r\nthen "down"',
    creator: 'Waymark',
    link: 'https://hikes.example/routes/1?a=1&b="2"',
  }
  assert.equal(
    written(document),
    `${gpxTag}<metadata><name>Rim &#60;Trail&#62;</name><desc>Up,&#13;\nthen "down"</desc><link href="https://hikes.example/routes/1?a=1&#38;b=&#34;2&#34;"/></metadata>
<wpt lat="1" lon="2"><ele>800</ele><name>Hut &#38; spring</name></wpt>
<wpt lat="-1.5" lon="-180"/>
<rte><name>R</name>
<rtept lat="3" lon="4"/>
</rte>
<rte>
</rte>
<trk><name>T</name>
<trkseg>
<trkpt lat="5" lon="6"><ele>-3.2</ele><time>2026-07-31T18:05:09.250Z</time></trkpt>
<trkpt lat="5" lon="7"><time>2026-07-31T18:05:10Z</time></trkpt>
</trkseg>
<trkseg>
</trkseg>
</trk>
<trk>
</trk>
</gpx>
`,
  )
})

void test('an empty document is valid too', () => {
  assert.equal(written({}), `${gpxTag}</gpx>\n`)
  assert.equal(written({ name: ' ', description: '\n' }), `${gpxTag}</gpx>\n`)
})

const numbers: readonly (readonly [lat: number, written: string])[] = [
  [90, '90'],
  [-0, '0'],
  [45.52, '45.52'],
  [0.1 + 0.2, '0.30000000000000004'],
  [0.000001, '0.000001'],
  [9.2e-7, '0.00000092'],
  [-1.2345e-10, '-0.00000000012345'],
  [1e-20, '0.00000000000000000001'],
  [1e-21, '0'],
  [-5e-324, '0'],
]

void test('numbers are short decimals without an exponent', () => {
  for (const [lat, text] of numbers) {
    const segments = [lineOf([{ lat, lon: 1, ele: lat }])]
    const point = `<trkpt lat="${text}" lon="1"><ele>${text}</ele></trkpt>`
    assert.ok(written({ tracks: [{ name: undefined, segments }] }).includes(point), text)
  }
})

const moments: readonly (readonly [timeMs: number, written: string])[] = [
  [0, '<time>1970-01-01T00:00:00Z</time>'],
  [-1, '<time>1969-12-31T23:59:59.999Z</time>'],
  [Date.parse('0001-01-01T00:00:00Z'), '<time>0001-01-01T00:00:00Z</time>'],
  [Date.parse('9999-12-31T23:59:59Z'), '<time>9999-12-31T23:59:59Z</time>'],
  [Date.parse('0000-12-31T23:59:59Z'), ''],
  [Date.parse('9999-12-31T23:59:59Z') + 1000, ''],
  [1e300, ''],
]

void test('a time outside the years 1 to 9999, which the schema does not allow, is left out', () => {
  for (const [timeMs, text] of moments) {
    const line = lineOf([{ lat: 1, lon: 1, ele: 2, timeMs }])
    const point = `<rtept lat="1" lon="1"><ele>2</ele>${text}</rtept>`
    assert.ok(written({ routes: [{ name: undefined, line }] }).includes(point), `${timeMs}`)
  }
})

void test('characters that XML does not allow are replaced, in texts and attributes', () => {
  const text = written({ name: 'a\0b\u{d800}c\u{ffff}', creator: '\u{b}"\t\n\r' })
  assert.ok(text.includes('<name>a\u{fffd}b\u{fffd}c\u{fffd}</name>'))
  assert.ok(text.includes('creator="\u{fffd}&#34;&#9;&#10;&#13;"'))
  assert.equal(read(text).creator, '\u{fffd}"\t\n\r')
})

void test('a long document is written in chunks, each of which can be encoded separately', () => {
  const points = createPoints()
  for (let index = 0; index < 20_000; index += 1) points.add(45 + index * 1e-5, 7)
  const names = new Map([[1_000, '\u{1f3d4}'.repeat(40_000)]])
  const waypoints = { line: { points, first: 0, end: 2_000 }, names }
  const tracks = [{ name: undefined, segments: [{ points, first: 0, end: 20_000 }] }]
  const chunks = [...writeGpx({ ...nothing, waypoints, tracks })]
  const encoded = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)))
  assert.deepEqual(encoded, Buffer.from(chunks.join('')))
  const lengths = chunks.map(({ length }) => length).toSorted((a, b) => a - b)
  assert.ok(chunks.length > 20)
  assert.ok((lengths.at(-2) ?? 0) < 33_000, 'only the piece with the long name is longer')
  const { counts } = read(chunks.join(''))
  assert.deepEqual([counts.waypoints, counts.trackPoints], [2_000, 20_000])
})

const degrees = (max: number): fc.Arbitrary<number> =>
  fc.oneof(
    fc.double({ min: -max, max: max, noNaN: true }),
    fc.integer({ min: -max * 1e5, max: max * 1e5 }).map((value) => value / 1e5),
    fc.constantFrom(max, -max, 0, -0),
  )
const position: fc.Arbitrary<Position> = fc.record(
  {
    lat: degrees(90),
    lon: degrees(180),
    ele: degrees(100_000),
    timeMs: fc.integer({ min: Date.parse('0001-01-01'), max: Date.parse('9999-12-31') }),
  },
  { requiredKeys: ['lat', 'lon'] },
)
const positions = fc.array(position, { maxLength: 6 })
/** As the reader gives a name: with something in it, and no blanks around. */
const name = fc.option(
  fc
    .oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({
        unit: fc.constantFrom(...'< > & " \' ] a \r \n \t \u{85} \u{2028} \u{feff} \u{d800}'.split(' '), ' '),
      }),
    )
    .map((text) => replaceForbidden(text).trim() || 'Rim'),
  { nil: undefined },
)

interface Drawn {
  readonly name: string | undefined
  readonly lines: readonly (readonly Position[])[]
}
const drawn = (minLength: number, maxLength: number): fc.Arbitrary<Drawn> =>
  fc.record({ name, lines: fc.array(positions, { minLength, maxLength }) })

/** The lines in one set of points, one behind the other, as the reader keeps them. */
function linesIn(all: readonly (readonly Position[])[]): Line[] {
  const { points } = lineOf(all.flat())
  let end = 0
  return all.map(({ length }) => {
    end += length
    return { points, first: end - length, end }
  })
}

function assertSame(line: Line | undefined, expected: readonly Position[]): void {
  const back = line === undefined ? [] : [...positionsOf(line)]
  assert.equal(back.length, expected.length)
  for (const [index, { lat, lon, ele, timeMs }] of expected.entries()) {
    const got = back[index]
    const isNear = (a: number | undefined, b: number | undefined): boolean =>
      a === undefined || b === undefined ? a === b : Math.abs(a - b) <= 1e-20
    assert.ok(isNear(got?.lat, lat), `lat ${lat}`)
    assert.ok(isNear(got?.lon, lon === 180 ? -180 : lon), `lon ${lon}`)
    assert.ok(isNear(got?.ele, ele), `ele ${ele}`)
    assert.equal(got?.timeMs, timeMs)
  }
}

void test('C33: a written document reads back with the same points, heights, times and names, without warnings', () => {
  fc.assert(
    fc.property(
      fc.record({
        title: name,
        description: fc.string({ unit: 'binary' }),
        waypoints: fc.array(fc.tuple(position, name), { maxLength: 4 }),
        routes: fc.array(drawn(1, 1), { maxLength: 3 }),
        tracks: fc.array(drawn(0, 3), { maxLength: 3 }),
      }),
      ({ title, description, waypoints, routes, tracks }) => {
        const lines = linesIn([...routes, ...tracks].flatMap((one) => one.lines))
        const names = new Map(
          waypoints.flatMap(([, label], index) => (label === undefined ? [] : [[index, label] as const])),
        )
        const text = written({
          name: title ?? '',
          description,
          waypoints: { line: lineOf(waypoints.map(([where]) => where)), names },
          routes: routes.map((one) => ({ name: one.name, line: lines.shift() ?? lineOf([]) })),
          tracks: tracks.map((one) => ({ name: one.name, segments: lines.splice(0, one.lines.length) })),
        })
        const gpx = read(text)
        assert.deepEqual(gpx.warnings, [])
        assert.deepEqual([gpx.version, gpx.creator, gpx.name], ['1.1', 'Waymark', title])
        const waypointPositions = waypoints.map(([where]) => where)
        assertSame(gpx.waypoints.line, waypointPositions)
        assert.deepEqual(gpx.waypoints.names, names)
        assert.deepEqual(
          [gpx.routes, gpx.tracks].map((all) => all.map((one) => one.name)),
          [routes, tracks].map((all) => all.map((one) => one.name)),
        )
        for (const [index, { lines: own }] of routes.entries())
          assertSame(gpx.routes[index]?.line, own[0] ?? [])
        for (const [index, { lines: own }] of tracks.entries()) {
          const segments = gpx.tracks[index]?.segments
          assert.equal(segments?.length, own.length)
          for (const [place, segment] of own.entries()) assertSame(segments?.[place], segment)
        }
      },
    ),
    { numRuns: 2_000 },
  )
})
