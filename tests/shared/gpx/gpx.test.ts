// Reading GPX (C33): what a document holds, what it is warned about, and that pieces of any size read alike.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { linesOf } from '../../../src/shared/gpx/gpx-document.ts'
import { readGpx, readGpxText } from '../../../src/shared/gpx/gpx.ts'
import { positionAt, positionsOf } from '../../../src/shared/geo/points.ts'
import { gpx11, gpxFrom, gpxOf, read, trackOf, warningsOf } from './gpx-helpers.ts'

const whole = `<?xml version="1.0" encoding="UTF-8"?>
<!-- a & b <!DOCTYPE x> --><?p & ?>
<g:gpx version="1.1" creator="K &amp; D" xmlns:g="http://www.topografix.com/GPX/1/1" xmlns:x="urn:x">
  <g:metadata><g:name> Walk\r\nhome </g:name><g:author><g:name>Ann</g:name></g:author></g:metadata>
  <g:wpt lat="1" lon="2"><g:ele>3.5</g:ele><g:name><![CDATA[Hut <1>]]></g:name></g:wpt>
  <g:wpt lat="-90" lon="180"/>
  <g:rte><g:name>Plan</g:name><g:rtept lat="+.5" lon="-0.25"><g:name>A</g:name></g:rtept></g:rte>
  <g:rte/>
  <g:trk><g:name>Trip</g:name>
    <g:trkseg>
      <g:trkpt lat=" 45.50 " lon="7."><g:ele>-1.25</g:ele><g:time>2024-02-29T23:30:00.5+01:30</g:time>
        <g:extensions><x:trkpt lat="9"/><x:ele>7</x:ele></g:extensions></g:trkpt>
      <g:trkpt lat="45.51" lon="7.1"></g:trkpt>
    </g:trkseg>
    <g:trkseg/>
  </g:trk>
</g:gpx>
`

void test('C33: a document has its lines, waypoints, names and counts', () => {
  const gpx = read(whole)
  assert.deepEqual(gpx.warnings, [])
  assert.deepEqual([gpx.version, gpx.creator, gpx.name], ['1.1', 'K & D', 'Walk\nhome'])
  assert.deepEqual(
    [...positionsOf(gpx.waypoints.line)],
    [
      { lat: 1, lon: 2, ele: 3.5 },
      { lat: -90, lon: 180 },
    ],
  )
  assert.deepEqual([...gpx.waypoints.names], [[0, 'Hut <1>']])
  assert.deepEqual(
    gpx.routes.map(({ name, line }) => [name, ...positionsOf(line)]),
    [['Plan', { lat: 0.5, lon: -0.25 }], [undefined]],
  )
  const timeMs = Date.parse('2024-02-29T22:00:00.500Z')
  assert.deepEqual(
    gpx.tracks.map(({ name, segments }) => [name, segments.map((line) => Array.from(positionsOf(line)))]),
    [
      [
        'Trip',
        [
          [
            { lat: 45.5, lon: 7, ele: -1.25, timeMs },
            { lat: 45.51, lon: 7.1 },
          ],
          [],
        ],
      ],
    ],
  )
  const counts = { waypoints: 2, routes: 2, routePoints: 1, tracks: 1, segments: 2, trackPoints: 2 }
  assert.deepEqual(gpx.counts, counts)
  assert.deepEqual(
    linesOf(gpx).map(({ first, end }) => end - first),
    [1, 0, 2, 0],
  )
})

void test('the points of a document follow one another, however many there are', () => {
  const point = (index: number) => `<trkpt lat="${index / 100}" lon="1"><ele>${index}</ele></trkpt>`
  const line = linesOf(read(trackOf(Array.from({ length: 1000 }, (_, index) => point(index)).join(''))))[0]
  assert.ok(line)
  assert.deepEqual(positionAt(line.points, 999), { lat: 9.99, lon: 1, ele: 999 })
  assert.equal([...positionsOf(line)].length, 1000)
})

const inPoint = (content: string): string => trackOf(`<trkpt lat="1" lon="1">${content}</trkpt>`)

const warned: readonly (readonly [text: string, ...details: readonly string[]])[] = [
  [`<gpx creator="c" ${gpx11}/>`, 'gpx has no version (gpx line 1, element gpx).'],
  [
    `<gpx version="2" creator="c" ${gpx11}/>`,
    'gpx has a version other than 1.0 and 1.1 (gpx line 1, element gpx).',
  ],
  [`<gpx version="1.1" ${gpx11}/>`, 'gpx has no creator (gpx line 1, element gpx).'],
  ['\n<gpx version="1.0"\n creator="c"/>', 'gpx has no namespace (gpx line 2, element gpx).'],
  [
    '<gpx\n version="1.1" creator="c" xmlns="urn:g"><wpt lat="1" lon="1"/></gpx>',
    'gpx has a namespace other than those of GPX 1.0 and 1.1 (gpx line 1, element gpx).',
  ],
  [`\u{feff}${gpxOf('')}`, 'The document starts with a byte-order mark (gpx line 1, element gpx).'],
  [
    `<?xml version="1.1" encoding="UTF-16"?>${gpxOf('')}`,
    'The declared encoding is ignored: GPX is stored as UTF-8 text (gpx line 1, element xml).',
  ],
  [`<?xml version="1.0" encoding="utf-8"?>${gpxOf('')}`],
  [
    gpxOf('<extensions><p:a/>\n<p:a/><b q:c=""/></extensions>'),
    'A prefix is not declared (gpx line 1, element p:a, 2 times).',
    'A prefix is not declared (gpx line 2, element b).',
  ],
  [
    gpxOf('<extensions><a xmlns:p="urn:p"><p:b/></a><p:c/></extensions>'),
    'A prefix is not declared (gpx line 1, element p:c).',
  ],
  [
    gpxOf('<x:a xmlns:x="urn:x"><trkpt/></x:a>'),
    'An element of another namespace outside extensions is ignored (gpx line 1, element a).',
  ],
  ['<gpx version="1.0" creator="c" xmlns="http://www.topografix.com/GPX/1/0"><a xmlns="urn:x"/></gpx>'],
  [
    gpxOf('<trk><trkpt lat="1" lon="1"/></trk>'),
    'An element is in the wrong place and is ignored (gpx line 1, element trkpt).',
  ],
  [inPoint('<TIME/>'), 'An element is in the wrong place and is ignored (gpx line 1, element TIME).'],
  [
    inPoint('<time>2020-01-01T00:00:00Z</time><ele>1</ele>'),
    'An element is in the wrong order (gpx line 1, element ele).',
  ],
  [trackOf('<trkpt lat="1e-5" lon="1"/>'), 'A number has an exponent (gpx line 1, element trkpt).'],
  ...['', 'NaN', '1,5', '1 m', '1e9', '0x10'].map(
    (ele) =>
      [
        inPoint(`<ele>${ele}</ele>`),
        'An elevation is not a number from -100,000 to 100,000 and is ignored (gpx line 1, element ele).',
      ] as const,
  ),
  ...[
    '',
    'noon',
    '2023-02-29T00:00:00Z',
    '2023-13-01T00:00:00Z',
    '2023-01-00T00:00:00Z',
    '2020-01-01T24:01:00Z',
    '2020-01-01',
  ].map(
    (time) =>
      [
        inPoint(`<time>${time}</time>`),
        'A time cannot be parsed and is ignored (gpx line 1, element time).',
      ] as const,
  ),
  [
    inPoint('<time>2020-01-01T00:00:00</time>'),
    'A time has no time zone and is read as UTC (gpx line 1, element time).',
  ],
]

for (const [text, ...details] of warned) {
  void test(`C33: ${details.length} warnings about ${JSON.stringify(text.slice(0, 110))}`, () => {
    assert.deepEqual(warningsOf(text), details)
  })
}

void test('ignored elements are not counted, and elements in a wrong namespace still are', () => {
  assert.equal(read(gpxOf('<trk><trkpt lat="1" lon="1"/></trk>')).counts.trackPoints, 0)
  assert.equal(read('<gpx xmlns="urn:g"><wpt lat="1" lon="1"/></gpx>').counts.waypoints, 1)
  assert.equal(read('<gpx><wpt lat="1" lon="1"/></gpx>').counts.waypoints, 1)
  assert.equal(read(`<gpx ${gpx11}><x:wpt xmlns:x="urn:x"/></gpx>`).counts.waypoints, 0)
})

void test('an odd document gives at most 50 kinds of warnings, and one that says there are more', () => {
  const odd = Array.from({ length: 1000 }, (_, index) => `<a${index}/>`).join('')
  const warnings = warningsOf(gpxOf(odd))
  assert.equal(warnings.length, 51)
  assert.equal(warnings.at(-1), 'There are more kinds of warnings (gpx line 1, element a50, 950 times).')
})

/** What can be compared of a reading. */
function outcome(reading: ReturnType<typeof readGpxText>): unknown {
  if (!reading.ok) return reading.fault
  const { waypoints, routes, tracks, ...rest } = reading.value
  const lines = [waypoints.line, ...linesOf(reading.value)].map((line) => Array.from(positionsOf(line)))
  return { ...rest, lines, names: [...waypoints.names], of: [...routes, ...tracks].map(({ name }) => name) }
}

void test('a document in chunks of any size is read the same as a whole one', async () => {
  const texts = [
    whole,
    `\u{feff}${whole}`,
    '<gpx>\r\n<wpt lat="1" lon="1"><name>a\r\rb&#x1F3D4;&lt;\u{1f3d4}</name></wpt>\r</gpx>\r',
    '<gpx>\r\n\r\n&nbsp;</gpx>',
    '<gpx>\n\n<metadata><name>Salt & Pepper</name></metadata></gpx>',
    '<gpx>\n<!DOCTYPE x></gpx>',
    '<gpx><!--<!DOCTYPE x>&--><![CDATA[&]]>]]></gpx>',
    '<gpx><!--a--><!DOCTYPE x></gpx>',
    '<gpx><![CDATA[a]]>&x</gpx>',
    '<gpx><?p a?>&x</gpx>',
    '<gpx a="<!--">-->',
  ]
  for (const text of texts) {
    const expected = outcome(readGpxText(text))
    for (let size = 1; size < 12; size += 1) {
      const chunks = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      assert.deepEqual(outcome(await readGpx(chunks)), expected, `pieces of ${size} of ${text.slice(0, 60)}`)
    }
  }
  const cuts = fc.array(fc.nat(whole.length), { maxLength: 12 })
  const property = fc.asyncProperty(cuts, async (places) => {
    const edges = [0, ...places.sort((one, other) => one - other), whole.length]
    const chunks = edges.slice(1).map((edge, index) => whole.slice(edges[index], edge))
    assert.deepEqual(outcome(await readGpx(chunks)), outcome(readGpxText(whole)))
  })
  await fc.assert(property, { numRuns: 200, seed: 5 })
})

void test('chunks may arrive one by one, and after an error no more are requested', async () => {
  let asked = 0
  async function* arriving(chunks: readonly string[]): AsyncGenerator<string> {
    for (const chunk of chunks) {
      asked += 1
      yield await Promise.resolve(chunk)
    }
  }
  const gpx = gpxFrom(await readGpx(arriving(['<gpx><wpt lat="1"', ' lon="2"/>', '</gpx>'])))
  assert.equal(gpx.counts.waypoints, 1)
  asked = 0
  const reading = await readGpx(arriving(['<gpx>', '</html>', '</gpx>', '</gpx>']))
  assert.equal(reading.ok, false)
  assert.equal(asked, 2)
})
