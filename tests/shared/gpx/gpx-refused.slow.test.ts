// GPX that is refused (C33): each fault by line and element in one sentence, attacks at once, and never an exception.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { readGpx, readGpxText } from '../../../src/shared/gpx/gpx.ts'
import { cpuMs, quickestMs } from '../contract-helpers.ts'
import { faultIn, gpxOf, read, trackOf } from './gpx-helpers.ts'

const coordinate = (lat: string, lon: string): string => trackOf(`\n<trkpt\n lat="${lat}"\n lon="${lon}"/>`)
const place = '(gpx line 2, element trkpt).'

const refused: readonly (readonly [text: string, detail: string])[] = [
  ['', 'Not XML: document must contain a root element (gpx line 1, outside any element).'],
  [' \n', 'Not XML: document must contain a root element (gpx line 2, outside any element).'],
  [
    '{"type":"FeatureCollection"}',
    'Not XML: text data outside of root node (gpx line 1, outside any element).',
  ],
  ['<html><body/></html>', 'The root element is html, not gpx (gpx line 1, element html).'],
  ['<GPX/>', 'The root element is GPX, not gpx (gpx line 1, element GPX).'],
  [
    '<kml xmlns="http://www.opengis.net/kml/2.2"/>',
    'The root element is kml, not gpx (gpx line 1, element kml).',
  ],
  ['<x:gpx/>', 'The root element is gpx, not gpx (gpx line 1, element x:gpx).'],
  ['<gpx>\n<trk></gpx>', 'Not XML: unexpected close tag (gpx line 2, element trk).'],
  ['<gpx>\n<trk>', 'Not XML: unclosed tag: trk (gpx line 2, element trk).'],
  ['<gpx/><gpx/>', 'Not XML: documents may contain only one root (gpx line 1, element gpx).'],
  [gpxOf('<a b="1" b="2"/>'), 'Not XML: duplicate attribute: b (gpx line 1, element a).'],
  [
    trackOf('<trkpt lat="1" lon="1" lat="2"/>'),
    'Not XML: duplicate attribute: lat (gpx line 1, element trkpt).',
  ],
  [gpxOf('<a b=1/>'), 'Not XML: unquoted attribute value (gpx line 1, element a).'],
  [gpxOf('\n<name>\u{1}</name>'), 'Not XML: disallowed character (gpx line 2, element name).'],
  [gpxOf('\n<desc>&nbsp;</desc>'), 'The entity &nbsp; is not declared (gpx line 2, element desc).'],
  [
    gpxOf('<desc>\n\nSalt & Pepper</desc>'),
    'An & that begins no reference is written &amp; (gpx line 3, element desc).',
  ],
  [gpxOf('<a b="x&y"/>'), 'An & that begins no reference is written &amp; (gpx line 1, element a).'],
  [gpxOf('<desc>&#0;</desc>'), 'Not XML: malformed character entity (gpx line 1, element desc).'],
  [
    `\u{feff}\u{feff}${gpxOf('')}`,
    'Not XML: text data outside of root node (gpx line 1, outside any element).',
  ],
  [
    ` <?xml version="1.0"?>${gpxOf('')}`,
    'Not XML: an XML declaration must be at the start of the document (gpx line 1, outside any element).',
  ],
  ['\n<!DOCTYPE gpx><gpx/>', 'DOCTYPE is not allowed (gpx line 2, outside any element).'],
  ['<!doctype html><html></html>', 'DOCTYPE is not allowed (gpx line 1, outside any element).'],
  [trackOf('\n<trkpt lon="1"/>'), `The point has no lat ${place}`],
  [trackOf('\n<trkpt lat="1"/>'), `The point has no lon ${place}`],
  [gpxOf('<wpt/>'), 'The point has no lat (gpx line 1, element wpt).'],
  [gpxOf('<rte><rtept LAT="1" LON="1"/></rte>'), 'The point has no lat (gpx line 1, element rtept).'],
  [gpxOf('<trk><trkpt/></trk>'), 'The point has no lat (gpx line 1, element trkpt).'],
  ...['NaN', '', ' ', 'undefined', '45,5', '1 2', 'Infinity', '1e999', '0x1', '--1', '45°', '١'].flatMap(
    (text) => [
      [coordinate(text, '1'), `The lat of the point is not a number ${place}`] as const,
      [coordinate('1', text), `The lon of the point is not a number ${place}`] as const,
    ],
  ),
  ...['90.0000001', '-91', '1e3'].map(
    (text) => [coordinate(text, '1'), `The lat of the point is not from -90 to 90 ${place}`] as const,
  ),
  ...['180.5', '-181', '359'].map(
    (text) => [coordinate('1', text), `The lon of the point is not from -180 to 180 ${place}`] as const,
  ),
]

for (const [text, detail] of refused) {
  void test(`C33: refused: ${JSON.stringify(text.slice(-90))}`, () => {
    const fault = faultIn(text)
    assert.deepEqual([fault.code, fault.detail], ['invalid-field', detail])
    assert.ok(
      detail.includes(
        `line ${fault.line}, ${fault.element === undefined ? 'outside' : `element ${fault.element}`}`,
      ),
    )
  })
}

void test('C33: 64 levels are read, and 65 are refused where the 65th opens, also when 200,000 come at once', () => {
  const nested = (depth: number): string =>
    gpxOf(`<extensions>${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}</extensions>`)
  assert.ok(readGpxText(nested(62)).ok)
  assert.equal(faultIn(nested(63)).detail, 'Nesting is deeper than 64 (gpx line 1, element a).')
  assert.match(faultIn(gpxOf('<a>'.repeat(200_000))).detail, /^Nesting is deeper than 64/)
})

void test('C33: a document at the byte limit in UTF-8 is read, and one byte more is refused', () => {
  const limits = { maxBytes: 1000 }
  const filled = (bytes: number, character: string): string => {
    const room = bytes - gpxOf('<desc></desc>').length
    const width = new TextEncoder().encode(character).length
    return gpxOf(`<desc>${character.repeat(room / width)}${'x'.repeat(room % width)}</desc>`)
  }
  for (const character of ['x', 'é', '漢', '\u{1f3d4}']) {
    assert.ok(readGpxText(filled(1000, character), limits).ok, character)
    const reading = readGpxText(filled(1001, character), limits)
    assert.equal(
      reading.ok ? '' : reading.fault.detail,
      'The document is longer than 1000 bytes (gpx line 1, outside any element).',
    )
  }
  assert.match(
    faultIn(gpxOf(`<desc>${'x'.repeat(8 * 1024 ** 2)}</desc>`)).detail,
    /longer than 8388608 bytes/,
  )
})

const bomb = Array.from({ length: 10 }, (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`)
const doctypes: Readonly<Record<string, string>> = {
  'billion laughs': `<!DOCTYPE gpx [<!ENTITY l0 "lol">${bomb.join('')}]><gpx><name>&l10;</name></gpx>`,
  'XXE of a file': '<!DOCTYPE gpx [<!ENTITY x SYSTEM "file:///etc/passwd">]><gpx><name>&x;</name></gpx>',
  'XXE of an address': '<!DOCTYPE gpx SYSTEM "http://127.0.0.1:1/a.dtd"><gpx/>',
  'parameter entity': '<!DOCTYPE gpx [<!ENTITY % p SYSTEM "http://127.0.0.1:1/"> %p;]><gpx/>',
  'behind an instruction': '<?xml version="1.0"?><!-- <gpx> --><?p <b>?><!DOCTYPE gpx><gpx/>',
  inside: '<gpx><!DOCTYPE gpx></gpx>',
  behind: '<gpx/><!DOCTYPE gpx>',
  'never closed': '<!DOCTYPE gpx',
}

for (const [name, text] of Object.entries(doctypes)) {
  void test(`C33: DOCTYPE, ${name}: refused before any of it is interpreted`, () => {
    assert.match(faultIn(text).detail, /^DOCTYPE is not allowed \(gpx line 1, .+\)\.$/)
  })
}

const halfMebibyte = 512 * 1024
const long: Readonly<Record<string, string>> = {
  'tabs in an attribute': gpxOf(`<a b="${'\t'.repeat(halfMebibyte * 2)}"/>`),
  'spaces in a tag': gpxOf(`<a ${' '.repeat(halfMebibyte * 2)}/>`),
  'references in a name': gpxOf(`<metadata><name>${'&#9;'.repeat(halfMebibyte)}</name></metadata>`),
  'line ends in a name': gpxOf(`<metadata><name>${'\r'.repeat(halfMebibyte * 2)}</name></metadata>`),
  'hyphens in a comment': gpxOf(`<!--${'- '.repeat(halfMebibyte)}-->`),
  'brackets in CDATA': gpxOf(`<desc><![CDATA[${'] '.repeat(halfMebibyte)}]]></desc>`),
  'question marks': gpxOf(`<?p ${'? '.repeat(halfMebibyte)}?>`),
  'a comment never closed': gpxOf(`<!--${'<!-'.repeat(halfMebibyte)}`),
}

void test('tokens longer than 512 KiB are refused; long texts that are not stored are read', () => {
  for (const [name, text] of Object.entries(long)) {
    const reading = readGpxText(text)
    assert.match(reading.ok ? 'read' : reading.fault.detail, /is longer than 512 KiB/, name)
  }
  assert.ok(readGpxText(gpxOf(`<desc>${'x\r&lt;'.repeat(halfMebibyte)}</desc>`)).ok)
  assert.ok(
    readGpxText(gpxOf(`<!--${'x'.repeat(halfMebibyte - 10)}--><!--${'x'.repeat(halfMebibyte - 10)}-->`)).ok,
  )
})

void test('257 attributes in one element are refused, 256 are read', () => {
  const tag = (count: number): string =>
    gpxOf(`<a ${Array.from({ length: count }, (_, index) => `b${index}=""`).join(' ')}/>`)
  assert.equal(read(tag(256)).counts.tracks, 0)
  assert.equal(faultIn(tag(257)).detail, 'The element has more than 256 attributes (gpx line 1, element a).')
})

void test('the worst case of a mebibyte is read or refused within 2 s of CPU', () => {
  const fill = (chunk: string): string => chunk.repeat(Math.floor(1024 ** 2 / chunk.length))
  const worst = [
    '&',
    '&a',
    '&#',
    '<',
    '<!',
    '<!-',
    '<![CDATA',
    '<?',
    '</a>',
    '<a/>',
    ']]',
    '&lt;',
    '<a b="',
    "='",
    '\r',
    '<p:a xmlns:p="u"/>',
    'a:',
  ]
  for (const chunk of worst) {
    for (const text of [gpxOf(fill(chunk)), gpxOf(`<desc>${fill(chunk)}</desc>`), `<gpx a="${fill(chunk)}`]) {
      const ms = cpuMs(() => void readGpxText(text))
      assert.ok(ms < 2000, `${chunk} took ${ms} ms`)
    }
  }
})

void test('a long number is checked in linear time', () => {
  const digits = '1'.repeat(400_000)
  const ms = quickestMs(() => void readGpxText(trackOf(`<trkpt lat="${digits}x" lon="1"/>`)))
  assert.ok(ms < 100, `${ms} ms`)
})

const small = `\u{feff}<?xml version="1.0" encoding="UTF-8"?>\r
<!-- c --><gpx version="1.1" creator="c" xmlns="http://www.topografix.com/GPX/1/1" xmlns:x="urn:x">
<wpt lat="1" lon="2"><ele>3</ele><name>a &amp; <![CDATA[b]]>&#x1F3D4;\u{1f3d4}</name></wpt>
<trk><trkseg><trkpt lat="-1.5" lon='2'><time>2020-01-01T00:00:00Z</time><extensions><x:y z="1"/></extensions></trkpt></trkseg></trk>
</gpx>`

void test('C33: a file truncated at any byte is refused with line and element, and never crashes', async () => {
  const bytes = new TextEncoder().encode(small)
  for (let length = 0; length < bytes.length; length += 1) {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, length))
    const { detail, line } = faultIn(text)
    assert.match(
      detail,
      /^[^.]+ \(gpx line \d+, (?:outside any element|element \S+)\)\.$/,
      `${length} bytes: ${detail}`,
    )
    assert.ok(line <= 6)
    const chunks = [text.slice(0, length / 2), text.slice(length / 2)]
    assert.deepEqual(await readGpx(chunks), readGpxText(text))
  }
  assert.ok(readGpxText(small).ok)
})

void test('any text gives a result and never throws', () => {
  const marks =
    '< > / <gpx> </gpx> <trk> <trkseg> <trkpt lat="1" lon="1"> </trkpt> <wpt lat= lon= "1" = \' & ; &# &lt; &#65; <!-- --> <![CDATA[ ]]> <? ?> <?xml xmlns:p= p: <ele> </ele> 1 \r \n \u{0} \u{feff} \u{d800} \u{1f3d4}'
  const chunks = [...marks.split(' '), ' ']
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...chunks), { maxLength: 20 }), (parts) => {
      for (const text of [parts.join(''), `<gpx>${parts.join('')}</gpx>`]) {
        const reading = readGpxText(text)
        if (!reading.ok) assert.match(reading.fault.detail, /\(gpx line \d+, .+\)\.$/)
      }
    }),
    { numRuns: 1_000, seed: 33 },
  )
})
