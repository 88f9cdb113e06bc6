// Valid bodies with mutations: each is read or refused without an exception, in both formats.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { countCharacters } from '../../src/shared/text/characters.ts'
import { trailImageDetails as shape } from '../../src/shared/classic/classic-shapes.ts'
import { findContradiction, readDetails } from '../../src/shared/classic/details.ts'
import { writeJson } from '../../src/shared/json/json.ts'
import { writeXml } from '../../src/shared/xml/xml.ts'
import { bytesOf, utf16 } from '../shared/contract-helpers.ts'

const runs = { numRuns: 2_000 }

const image = {
  caption: 'Über <den> & "Rim" \u{1f3d4} \r\n',
  detailUrl: 'rim/trail',
  displayName: 'Ada',
  imageID: 12,
  lat: '45.5231',
  lon: '-122.6765',
  mimeType: 'image/jpeg',
  postDate: 0,
  submitterAcctID: 3,
  title: ']]>',
  trailID: 4711,
  trailName: 'Rim',
  addUser: 'Ada',
  email: 'a@b.example',
}
const documents = [
  ['json', bytesOf(writeJson(shape, image)), undefined],
  ['xml', bytesOf(writeXml(shape, image)), undefined],
  ['xml', utf16(writeXml(shape, image), 'big'), 'utf-16be'],
  ['xml', utf16(`\u{feff}${writeXml(shape, image)}`, 'little'), undefined],
] as const

interface Change {
  readonly at: number
  readonly remove: number
  readonly insert: Uint8Array
}

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(2_000),
  remove: fc.oneof(fc.constant(0), fc.nat(4), fc.nat(400)),
  insert: fc.oneof(
    fc.uint8Array({ maxLength: 6 }),
    fc
      .constantFrom(
        ...'< > & " \' \\ { } [ ] : , / ! ? - = ; \0 \u{feff} &#x0; <!-- --> ]]> <a> </a> \\ud800 e9 true'.split(
          ' ',
        ),
      )
      .map(bytesOf),
  ),
})

function damage(bytes: Uint8Array, changes: readonly Change[]): Uint8Array {
  return changes.reduce((current, { at, remove, insert }) => {
    const from = at % (current.length + 1)
    return Uint8Array.from([...current.subarray(0, from), ...insert, ...current.subarray(from + remove)])
  }, bytes)
}

const codes = new Set(['malformed-body', 'invalid-field', 'unsupported-media-type'])

void test('trust 33, 35: a valid body damaged anywhere is read or refused, in JSON and in XML of any encoding', () => {
  let taken = 0
  fc.assert(
    fc.property(
      fc.constantFrom(...documents),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      (document, changes) => {
        const [format, bytes, charset] = document
        const reading = readDetails(format, damage(bytes, changes), charset)
        if (!reading.ok) {
          assert.ok(codes.has(reading.fault.code))
          assert.match(reading.fault.detail, /^[^\0]{1,300}\.$/u)
          return
        }
        taken += 1
        const { title, caption, position } = reading.value
        for (const text of [title ?? '', caption ?? ''])
          assert.ok(text.isWellFormed() && countCharacters(text) <= 256)
        for (const [axis, limit] of [
          [position?.lat, 90],
          [position?.lon, 180],
        ] as const)
          assert.ok(axis === undefined || (/^-?\d+(\.\d+)?$/.test(axis) && Math.abs(Number(axis)) <= limit))
        findContradiction(reading.value, { imageID: 12, trailID: 4711 })
      },
    ),
    runs,
  )
  assert.ok(taken > 50, `${taken} were taken`)
})

const json = fc.json({ maxDepth: 5, noUnicodeString: false })

void test('trust 34: any members, written in JSON and as XML elements, have the same effect', () => {
  const texts = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.constantFrom('', ' ', '0', '1', '-0.0', '45.5', '91', '1e3', 'NaN', 'ä', '\u{1f3d4}'),
  )
  const names = fc.constantFrom(
    'title',
    'caption',
    'lat',
    'lon',
    'imageID',
    'trailID',
    'email',
    'status',
    '__proto__',
    'constructor',
  )
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(names, texts), { selector: ([name]) => name, maxLength: 8 }),
      (members) => {
        const escape = (text: string): string =>
          text.replaceAll(/[&<>\r]/g, (one) => `&#${one.charCodeAt(0)};`)
        const object = `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`
        const elements = members.map(([name, value]) => `<${name}>${escape(value)}</${name}>`).join('')
        const fromJson = readDetails('json', bytesOf(object), undefined)
        const fromXml = readDetails(
          'xml',
          bytesOf(`<TrailImageDetails>${elements}</TrailImageDetails>`),
          undefined,
        )
        if (fromJson.ok && fromXml.ok) assert.deepEqual(fromJson.value, fromXml.value)
        else assert.deepEqual([fromJson.ok || fromJson.fault.code], [fromXml.ok || fromXml.fault.code])
      },
    ),
    runs,
  )
})

void test('trust 35: any JSON as a body is read or refused', () => {
  fc.assert(
    fc.property(json, (text) => {
      const reading = readDetails('json', bytesOf(text), undefined)
      assert.ok(reading.ok || codes.has(reading.fault.code))
    }),
    { numRuns: 3_000 },
  )
  assert.equal(Object.keys(Object.prototype).length, 0)
})
