// Reads the body of a route from JSON and XML alike (contract C6, C8, C11, C12, C13, C32, C34).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { atOnce } from '../../../src/shared/yielding.ts'
import { decodingRoute, readingRoute } from '../../../src/shared/classic/route-body.ts'
import type { BodyFormat } from '../../../src/shared/classic/media-types.ts'
import { assertFault, bytesOf, faultOf, forbiddenInXml, utf16, valueOf } from '../contract-helpers.ts'

function read(format: BodyFormat, body: string | Uint8Array, charset?: string) {
  const text = atOnce(decodingRoute(format, typeof body === 'string' ? bytesOf(body) : body, charset))
  return text.ok ? atOnce(readingRoute(format, text.value)) : text
}
const inJson = (body: string) => valueOf(read('json', body))
const inXml = (body: string) => valueOf(read('xml', body))

const nothing = {
  name: undefined,
  description: undefined,
  length: undefined,
  gpx: undefined,
  routeID: undefined,
}
const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'

void test('C32: one route, on its own or in an array, in both formats', () => {
  const whole = { name: 'N', description: 'D', length: '12.50', gpx: '<gpx/>', routeID: 5 }
  const object = '{"description":"D","gpx":"<gpx/>","length":12.50,"name":"N","routeID":5,"dateCreated":"x"}'
  for (const body of [object, `[${object}]`, ` [ ${object} ]\n`, `\u{feff}[${object}]`]) {
    assert.deepEqual(inJson(body), whole)
  }
  const children =
    '<routeID>5</routeID><name>N</name><gpx>&lt;gpx/&gt;</gpx><length>12.50</length><description>D</description><dateCreated/>'
  for (const body of [
    `<Route>${children}</Route>`,
    `<ArrayOfRoute><Route>${children}</Route></ArrayOfRoute>`,
    `<a:ArrayOfRoute xmlns:a="urn:a"> <Route xmlns="urn:b">${children}</Route><other/> </a:ArrayOfRoute>`,
  ]) {
    assert.deepEqual(inXml(body), whole)
    assert.deepEqual(valueOf(read('xml', utf16(`\u{feff}${body}`, 'little'))), whole)
  }
})

void test('C32: absent, null and xsi:nil leave the field unset', () => {
  for (const body of [
    '{}',
    '[{}]',
    '{"name":null,"description":null,"length":null,"gpx":null,"routeID":null}',
  ]) {
    assert.deepEqual(inJson(body), nothing)
  }
  const nils = ['name', 'description', 'length', 'gpx', 'routeID'].map((name) => `<${name} xsi:nil="true"/>`)
  for (const body of ['<Route/>', `<Route ${xsi}>${nils.join('')}</Route>`])
    assert.deepEqual(inXml(body), nothing)
})

void test('C32: no route or several are refused with line and column', () => {
  const exactly = (count: string) =>
    `The body has to hold exactly one route; it holds ${count} (line 1, column 1).`
  assertFault(read('json', '[]'), 'malformed-body', exactly('none'))
  assertFault(read('json', '[{},{}]'), 'malformed-body', exactly('2'))
  assertFault(read('json', '[1,null,"x"]'), 'malformed-body', exactly('3'))
  for (const [body, count] of [
    ['<ArrayOfRoute/>', 'none'],
    ['<ArrayOfRoute><route/></ArrayOfRoute>', 'none'],
    ['<ArrayOfRoute><Route/><Route/></ArrayOfRoute>', '2'],
  ] as const) {
    assertFault(
      read('xml', body),
      'malformed-body',
      new RegExp(`holds ${count} \\(line 1, column \\d+\\)\\.$`),
    )
  }
  for (const body of ['<Routes/>', '<route/>', '<TrailImageDetails/>', '<ArrayOfArrayOfRoute/>']) {
    assertFault(
      read('xml', body),
      'malformed-body',
      /^The root element must be Route or ArrayOfRoute \(line 1/,
    )
  }
  for (const body of ['null', 'true', '0', '""', '[null]', '[[]]', '[[{}]]', '["x"]']) {
    assertFault(
      read('json', body),
      'malformed-body',
      /^The route must be a single JSON object \(line 1, column 1\)\.$/,
    )
  }
})

void test('C11: length keeps the digits in the body, whatever else has the same name', () => {
  const bodies: readonly (readonly [body: string, length: string | undefined])[] = [
    ['{"length":12.50}', '12.50'],
    ['{"length":1.0E1}', '10'],
    ['{"length":100000.000000000}', '100000.000000000'],
    ['{"length":0.00}', undefined],
    ['{"length":-0}', undefined],
    ['{"other":{"length":7.70},"length":3.30}', '3.30'],
    ['{"length":1.10,"length":2.20}', '2.20'],
    ['{"length":"4.40"}', '4.40'],
  ]
  for (const [body, length] of bodies) {
    assert.equal(inJson(body).length, length, body)
    assert.equal(inJson(`[${body}]`).length, length, body)
  }
  assert.equal(inXml('<Route><x><length>9</length></x><length>12.50</length></Route>').length, '12.50')
})

void test('C32: the routeID is a number, absent or invalid', () => {
  const cases: readonly (readonly [json: string, xml: string | undefined, routeID: number | undefined])[] = [
    ['5', '5', 5],
    ['"5"', ' 5 ', 5],
    ['0', '0', undefined],
    ['""', '', undefined],
    ['" "', '\n', undefined],
    ['-5', '-5', -5],
    ['9007199254740991', '9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740993', '9007199254740993', Number.NaN],
    ['1.5', '1.5', Number.NaN],
    ['"x"', 'x', Number.NaN],
    ['true', '<a/>', Number.NaN],
    ['[]', undefined, Number.NaN],
    ['{"a":1}', undefined, Number.NaN],
  ]
  for (const [json, xml, routeID] of cases) {
    assert.deepEqual(inJson(`{"routeID":${json}}`).routeID, routeID, json)
    if (xml !== undefined)
      assert.deepEqual(inXml(`<Route><routeID>${xml}</routeID></Route>`).routeID, routeID, xml)
  }
})

void test('C32: fields that are not written are ignored, however often they occur and whatever they contain', () => {
  const junk = '"dateCreated":[{}],"__proto__":{"name":"x"},"constructor":1,"Name":"x","visibility":null'
  assert.deepEqual(inJson(`{${junk},"name":"N"}`), { ...nothing, name: 'N' })
  const xml = '<dateCreated>x</dateCreated><Name>x</Name><dateCreated><y/></dateCreated><z a="b"/>'
  assert.deepEqual(inXml(`<Route a="b">${xml}<name>N</name>${xml}</Route>`), { ...nothing, name: 'N' })
  for (const name of ['name', 'description', 'gpx', 'length', 'routeID']) {
    const twice = `<${name}>1</${name}>`
    const sentence = new RegExp(`^Duplicate element ${name} \\(line 1, column \\d+\\)\\.$`)
    assertFault(read('xml', `<Route>${twice}${twice}</Route>`), 'malformed-body', sentence)
  }
})

void test('C12 C13: a single space is empty; characters are code points', () => {
  assert.deepEqual(inJson('{"name":" ","description":""}'), { ...nothing, name: '', description: '' })
  assert.deepEqual(inXml('<Route><name> </name><gpx/><description/></Route>'), {
    ...nothing,
    name: '',
    description: '',
    gpx: '',
  })
  assert.equal(inJson('{"gpx":" "}').gpx, ' ')
  for (const [field, max] of [
    ['name', 1_000],
    ['description', 100_000],
  ] as const) {
    const text = '🏔'.repeat(max)
    assert.equal(inJson(JSON.stringify({ [field]: text }))[field], text)
    const fault = `${field} may have at most ${max} characters; this one has ${max + 1}.`
    assertFault(read('json', JSON.stringify({ [field]: `${text}x` })), 'invalid-field', fault)
    assertFault(read('xml', `<Route><${field}>${text}x</${field}></Route>`), 'invalid-field', fault)
  }
})

void test('C6: another charset is refused, and malformed bodies are reported with line and column', () => {
  for (const [format, charset] of [
    ['json', 'utf-16'],
    ['json', 'iso-8859-1'],
    ['xml', 'iso-8859-1'],
  ] as const) {
    assert.equal(faultOf(read(format, '{}', charset)).code, 'unsupported-media-type')
  }
  assert.deepEqual(valueOf(read('json', '{}', 'utf-8')), nothing)
  for (const [format, body] of [
    ['json', '{"name":\n"a"'],
    ['json', Uint8Array.of(0x7b, 0xff, 0x7d)],
    ['xml', '<Route>\n<name>'],
    ['xml', '<!DOCTYPE Route><Route/>'],
  ] as const) {
    assertFault(read(format, body), 'malformed-body', /\(line \d+, column \d+\)\.$/)
  }
  const values = `[{"x":[${'1,'.repeat(20_000)}1]}]`
  assert.equal(faultOf(read('json', values)).code, 'malformed-body')
  assert.equal(faultOf(read('xml', `<Route>${'<x/>'.repeat(20_000)}</Route>`)).code, 'malformed-body')
})

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#13;')

void test('C8 C33: any text that XML allows is read identically from both formats', () => {
  const texts = fc.string({ unit: 'binary', maxLength: 200 }).filter((text) => !forbiddenInXml.test(text))
  fc.assert(
    fc.property(texts, texts, (gpx, description) => {
      const expected = { ...nothing, gpx, description: description === ' ' ? '' : description }
      assert.deepEqual(inJson(JSON.stringify([{ gpx, description }])), expected)
      const xml = `<Route><gpx>${escaped(gpx)}</gpx><description>${escaped(description)}</description></Route>`
      assert.deepEqual(inXml(xml), expected)
    }),
  )
})

void test('C37: no input makes it throw', () => {
  const json = fc.json().map((text) => ['json', text] as const)
  const chunks = fc.constantFrom(
    '<',
    '>',
    '/',
    'Route',
    'ArrayOfRoute',
    '<name>',
    '</name>',
    '&',
    ';',
    '"',
    '=',
    ' ',
    'x',
    '<!',
    '--',
    ']]>',
    '{',
    '[',
    '"length":',
    '1e',
    '-',
    ',',
  )
  const soup = fc.array(chunks, { maxLength: 12 }).map((parts) => parts.join(''))
  const bytes = fc.uint8Array({ maxLength: 60 })
  fc.assert(fc.property(json, ([format, text]) => void read(format, text)))
  fc.assert(
    fc.property(fc.oneof(soup.map(bytesOf), bytes), (body) => {
      for (const format of ['json', 'xml'] as const) void read(format, body)
    }),
  )
})
