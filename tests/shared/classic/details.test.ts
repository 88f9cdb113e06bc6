// The body of a PUT of image details: what it changes, keeps, mentions and is refused for (C20, C21).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findContradiction, readDetails } from '../../../src/shared/classic/details.ts'
import type { DetailsChange, Position } from '../../../src/shared/classic/details.ts'
import type { Reading } from '../../../src/shared/classic/reading.ts'
import { assertFault, bytesOf, utf16, valueOf } from '../contract-helpers.ts'

const nothing: DetailsChange = {
  title: undefined,
  caption: undefined,
  position: undefined,
  imageID: undefined,
  trailID: undefined,
}

const json = (text: string): Reading<DetailsChange> => readDetails('json', bytesOf(text), undefined)
const xml = (children: string): Reading<DetailsChange> =>
  readDetails(
    'xml',
    bytesOf(
      `<TrailImageDetails xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${children}</TrailImageDetails>`,
    ),
    undefined,
  )

/** One axis as it may be sent, in both formats; undefined where a format has no such form. */
interface Axis {
  readonly json: (name: string) => string | undefined
  readonly xml: (name: string) => string | undefined
}

const jsonAs = (text: string) => (name: string) => `"${name}":${text}`
const xmlAs = (text: string) => (name: string) => `<${name}>${text}</${name}>`
const textAs = (text: string): Axis => ({ json: jsonAs(JSON.stringify(text)), xml: xmlAs(text) })
const none = () => undefined

const blanks: Readonly<Record<string, Axis>> = {
  absent: { json: () => '', xml: () => '' },
  null: { json: jsonAs('null'), xml: none },
  'xsi:nil': { json: none, xml: (name) => `<${name} xsi:nil="true"/>` },
  'xsi:nil with text': { json: none, xml: (name) => `<${name} xsi:nil="1">5</${name}>` },
  'an empty tag': { json: none, xml: (name) => `<${name}/>` },
  empty: textAs(''),
  'a space': textAs(' '),
  'a line end': textAs('\n'),
}

const zeros: Readonly<Record<string, Axis>> = {
  'the number 0': { json: jsonAs('0'), xml: none },
  'the number -0.0': { json: jsonAs('-0.0'), xml: none },
  'the number 0e0': { json: jsonAs('0e0'), xml: none },
  ...Object.fromEntries(
    ['0', '0.0', '-0', '+0', '.0', '0.', '000', '0E0', '0.0E-5'].map((text) => [text, textAs(text)]),
  ),
}

const five: Readonly<Record<string, Axis>> = {
  'the number 5': { json: jsonAs('5'), xml: none },
  5: textAs('5'),
}

/** Reads one pair of axes in every format that has both forms, and hands each reading over. */
function eachReading(lat: Axis, lon: Axis, check: (reading: Reading<DetailsChange>) => void): void {
  const [jsonLat, jsonLon, xmlLat, xmlLon] = [
    lat.json('lat'),
    lon.json('lon'),
    lat.xml('lat'),
    lon.xml('lon'),
  ]
  if (jsonLat !== undefined && jsonLon !== undefined) {
    check(json(`{${[jsonLat, jsonLon].filter((member) => member !== '').join(',')}}`))
  }
  if (xmlLat !== undefined && xmlLon !== undefined) check(xml(xmlLat + xmlLon))
}

const keeping = { ...blanks, ...zeros }

for (const [name, lat] of Object.entries(keeping)) {
  void test(`lat ${name}: keeps the position with any blank or zero lon`, () => {
    let readings = 0
    for (const lon of Object.values(keeping)) {
      eachReading(lat, lon, (reading) => {
        readings += 1
        assert.deepEqual(valueOf(reading), nothing)
      })
    }
    assert.ok(readings > 10)
  })
}

for (const [name, blank] of Object.entries(blanks)) {
  void test(`one axis ${name}: refused with a given other one`, () => {
    for (const set of Object.values(five)) {
      const lat = 'lat is blank but lon is not: send both, or neither to keep the position.'
      eachReading(blank, set, (reading) => assertFault(reading, 'invalid-field', lat))
      const lon = 'lon is blank but lat is not: send both, or neither to keep the position.'
      eachReading(set, blank, (reading) => assertFault(reading, 'invalid-field', lon))
    }
  })
}

for (const [name, zero] of Object.entries(zeros)) {
  void test(`one axis ${name}: a position with a given other one`, () => {
    for (const set of Object.values(five)) {
      eachReading(zero, set, (reading) => {
        const position = valueOf(reading).position
        assert.ok(position && Number(position.lat) === 0 && !position.lat.startsWith('-'))
        assert.equal(position.lon, '5')
      })
      eachReading(set, zero, (reading) => assert.equal(valueOf(reading).position?.lat, '5'))
    }
  })
}

const positions: readonly (readonly [lat: string, lon: string, position: Position])[] = [
  ['45.523100', '-122.6765000', { lat: '45.523100', lon: '-122.6765000' }],
  ['90', '-180', { lat: '90', lon: '-180' }],
  ['-90.0', '180.00', { lat: '-90.0', lon: '180.00' }],
  ['0.00', '1', { lat: '0.00', lon: '1' }],
  ['12.34567890123456789012345678', '1', { lat: '12.34567890123456789012345678', lon: '1' }],
]

void test('a position keeps the digits that were sent, in both formats', () => {
  for (const [lat, lon, position] of positions) {
    eachReading(textAs(lat), textAs(lon), (reading) => assert.deepEqual(valueOf(reading).position, position))
  }
  assert.deepEqual(valueOf(json('{"lat":45.5230,"lon":-1e-7}')).position, {
    lat: '45.523',
    lon: '-0.0000001',
  })
})

void test('a coordinate out of range or not a number is refused, whatever the other one is', () => {
  for (const wrong of ['90.1', '-91', 'north', 'NaN', '1e1', '1,5']) {
    for (const other of [...Object.values(blanks), ...Object.values(five)]) {
      eachReading(textAs(wrong), other, (reading) => assertFault(reading, 'invalid-field', /^lat must /))
    }
  }
  eachReading(textAs('5'), textAs('180.5'), (reading) => {
    assertFault(reading, 'invalid-field', 'lon must be between -180 and 180.')
  })
  for (const wrong of ['true', '[5]', '{}']) {
    assertFault(json(`{"lat":${wrong},"lon":5}`), 'invalid-field', 'lat must be a number.')
  }
  assertFault(xml('<lat><deg>5</deg></lat><lon>5</lon>'), 'invalid-field', 'lat must be a number.')
})

void test('absent and null leave title and caption unchanged; a space or an empty value clears them', () => {
  assert.deepEqual(valueOf(json('{}')), nothing)
  assert.deepEqual(valueOf(json('{"title":null,"caption":null}')), nothing)
  assert.deepEqual(valueOf(xml('')), nothing)
  assert.deepEqual(valueOf(xml('<title xsi:nil="true"/>')), nothing)
  const emptied = { ...nothing, title: '', caption: '' }
  assert.deepEqual(valueOf(json('{"title":" ","caption":""}')), emptied)
  assert.deepEqual(valueOf(xml('<title xml:space="preserve"> </title><caption/>')), emptied)
})

void test('text is kept unchanged', () => {
  assert.equal(valueOf(json('{"title":"  a\\/b \\n"}')).title, '  a/b \n')
  assert.equal(valueOf(xml('<title>  a/b &#13;\n</title>')).title, '  a/b \r\n')
  assert.equal(valueOf(xml('<title>a<![CDATA[<b>]]><!-- c -->d</title>')).title, 'a<b>d')
})

void test('text that is too long or not a string is refused by name', () => {
  const long = 'a'.repeat(257)
  const detail = 'caption may have at most 256 characters; this one has 257.'
  assertFault(json(`{"caption":"${long}"}`), 'invalid-field', detail)
  assertFault(xml(`<caption>${long}</caption>`), 'invalid-field', detail)
  for (const wrong of ['5', 'true', '{}', '["a"]']) {
    assertFault(json(`{"title":${wrong}}`), 'invalid-field', 'title must be a string.')
  }
  assertFault(xml('<title><b>a</b></title>'), 'invalid-field', 'title must be a string.')
})

void test('every other field is ignored, whatever its value and however often it occurs', () => {
  const others =
    '"displayName":5,"email":[1],"postDate":"soon","submitterAcctID":{},"mimeType":false,"x":{"y":[]}'
  assert.deepEqual(
    valueOf(json(`{${others},"__proto__":{"title":"a"},"constructor":1,"Title":"a"}`)),
    nothing,
  )
  const elements =
    '<postDate>soon</postDate><postDate/><displayName><b/></displayName><x><title>a</title></x>'
  assert.deepEqual(valueOf(xml(elements)), nothing)
})

void test('an element that is read may occur only once', () => {
  for (const name of ['title', 'caption', 'lat', 'lon', 'imageID', 'trailID']) {
    const twice = `<${name}>5</${name}>\n<n:${name} xmlns:n="urn:n" xsi:nil="true"/>`
    assertFault(xml(twice), 'malformed-body', new RegExp(`^Duplicate element ${name} \\(line 2, `))
  }
})

void test('elements are read by local name and in any order', () => {
  const body = bytesOf(
    '<n:TrailImageDetails xmlns:n="urn:any"><n:title>a</n:title><o:caption xmlns:o="urn:o">b</o:caption></n:TrailImageDetails>',
  )
  assert.deepEqual(valueOf(readDetails('xml', body, undefined)), { ...nothing, title: 'a', caption: 'b' })
})

void test('a body that is not image details is refused', () => {
  for (const body of ['null', '[]', '[{"title":"a"}]', '"title"', '5', 'true']) {
    assertFault(json(body), 'malformed-body', 'The body must be a single JSON object (line 1, column 1).')
  }
  const roots = [
    '<Route/>',
    '<trailimagedetails/>',
    '<ArrayOfTrailImageDetails><TrailImageDetails/></ArrayOfTrailImageDetails>',
  ]
  for (const body of roots) {
    const reading = readDetails('xml', bytesOf(body), undefined)
    assertFault(reading, 'malformed-body', /^The root element must be TrailImageDetails \(line 1, /)
  }
  assertFault(json(''), 'malformed-body', /line 1, column 1/)
})

void test('JSON is read only in UTF-8, XML in UTF-16 as well', () => {
  assert.ok(readDetails('json', bytesOf('{}'), 'UTF-8').ok)
  assertFault(readDetails('json', bytesOf('{}'), 'utf-16'), 'unsupported-media-type', /^JSON must be UTF-8/)
  assertFault(
    readDetails('json', bytesOf('{}'), 'iso-8859-1'),
    'unsupported-media-type',
    /^JSON must be UTF-8/,
  )
  const body = utf16('<TrailImageDetails><title>\u{1f3d4}</title></TrailImageDetails>', 'little')
  assert.equal(valueOf(readDetails('xml', body, 'utf-16')).title, '\u{1f3d4}')
})

const path = { imageID: 42, trailID: 4711 }

void test('0, blank and null count as no id; ids equal to those of the path do not contradict it', () => {
  const silent = ['0', '"0"', '""', '" "', 'null', '-0', '"00"', '42', '"42"', '" 42 "', '"042"', '42.0']
  for (const imageID of silent) {
    assert.equal(
      findContradiction(valueOf(json(`{"imageID":${imageID},"trailID":4711}`)), path),
      undefined,
      imageID,
    )
  }
  for (const imageID of ['', ' ', '0', '42', '\n42\n']) {
    const change = valueOf(xml(`<imageID>${imageID}</imageID><trailID xsi:nil="true">5</trailID>`))
    assert.equal(findContradiction(change, path), undefined, imageID)
  }
  assert.equal(valueOf(json('{"imageID":0,"trailID":"4711"}')).imageID, undefined)
  assert.equal(valueOf(json('{"imageID":0,"trailID":"4711"}')).trailID, 4711)
})

void test('any other value for an id contradicts the path, but is still read', () => {
  const wrong = [
    '43',
    '"43"',
    '-42',
    '42.5',
    '"abc"',
    'true',
    'false',
    '[42]',
    '{}',
    '9007199254740993',
    '1e400',
    '"42 42"',
  ]
  for (const value of wrong) {
    const image = valueOf(json(`{"imageID":${value}}`))
    assert.deepEqual(findContradiction(image, path), {
      code: 'invalid-field',
      detail: 'imageID must match the imageID in the path, 42, or be omitted.',
    })
    const trail = valueOf(json(`{"trailID":${value}}`))
    assert.equal(
      findContradiction(trail, path)?.detail,
      'trailID must match the trailID in the path, 4711, or be omitted.',
    )
  }
  const large = valueOf(json('{"imageID":9007199254740993}'))
  assert.ok(findContradiction(large, { imageID: Number.MAX_SAFE_INTEGER, trailID: 1 }))
  assert.ok(findContradiction(valueOf(xml('<imageID><b>42</b></imageID>')), path))
})
