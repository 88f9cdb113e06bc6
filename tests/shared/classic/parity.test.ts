// JSON and XML mean the same: each reads back what it wrote, and a GET/PUT round trip changes nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { trailImageDetails as shape } from '../../../src/shared/classic/classic-shapes.ts'
import type { TrailImageDetails } from '../../../src/shared/classic/classic-shapes.ts'
import { readDetails } from '../../../src/shared/classic/details.ts'
import { readJson, writeJson } from '../../../src/shared/json/json.ts'
import { readXml } from '../../../src/shared/xml/xml-reader.ts'
import { writeXml } from '../../../src/shared/xml/xml.ts'
import { bytesOf, forbiddenInXml, utf16, valueOf } from '../contract-helpers.ts'

const runs = { numRuns: 2_000 }

/** Every character that XML 1.0 can carry, the awkward ones often. */
const character = fc.oneof(
  fc.constantFrom(...Array.from('\r\n\t &<>"\'/\\]\u{85}\u{2028}\u{feff}\u{fffd}\u{1f3d4}')),
  fc.constantFrom('\r\n', ']]>', '<!--', '&#13;', '\\/', '\\u0000'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((one) => !forbiddenInXml.test(one)),
)
const text = fc.array(character, { maxLength: 60 }).map((parts) => parts.join(''))
/** As it is stored: the lone space is not, it stands for empty. */
const storedText = text.map((value) => (value === ' ' ? '' : value))

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...Array.from('0123456789')), maxLength })
const coordinate = (limit: number) =>
  fc
    .tuple(fc.constantFrom('', '-'), fc.nat(limit - 1), digits(25))
    .map(([sign, whole, fraction]) => `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`)
    .filter((value) => /[1-9]/.test(value))

const someId = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })

const image: fc.Arbitrary<TrailImageDetails> = fc.record({
  caption: storedText,
  detailUrl: text,
  displayName: text,
  imageID: someId,
  lat: coordinate(90),
  lon: coordinate(180),
  mimeType: fc.constantFrom('image/jpeg', 'image/gif', 'image/png', 'image/bmp'),
  postDate: fc.nat(4_000_000_000).map((seconds) => seconds * 1000),
  submitterAcctID: someId,
  title: storedText,
  trailID: someId,
  trailName: text,
  addUser: text,
  email: text,
})

void test('every field written in JSON and in XML reads back to the same value', () => {
  fc.assert(
    fc.property(image, (value) => {
      const json = valueOf(readJson(bytesOf(writeJson(shape, value))))
      const xml = valueOf(readXml(bytesOf(writeXml(shape, value)), undefined))
      const jsonValues = new Map(Object.entries(json as Record<string, unknown>))
      for (const { name, kind } of shape.jsonFields) {
        assert.equal(valueOf(kind.read(jsonValues.get(name), name)), value[name as keyof TrailImageDetails])
      }
      assert.equal(jsonValues.size, 12)
      assert.equal(xml.children.length, 14)
      for (const [index, { name, kind }] of shape.xmlFields.entries()) {
        const element = xml.children[index]
        assert.equal(element?.name, name)
        assert.equal(valueOf(kind.read(element.text, name)), value[name as keyof TrailImageDetails])
      }
    }),
    runs,
  )
})

void test('the response of a GET, sent back as a PUT, changes nothing, in either format and in UTF-16', () => {
  fc.assert(
    fc.property(image, (value) => {
      const same = {
        title: value.title,
        caption: value.caption,
        position: { lat: value.lat, lon: value.lon },
        imageID: value.imageID,
        trailID: value.trailID,
      }
      const xml = writeXml(shape, value)
      assert.deepEqual(valueOf(readDetails('json', bytesOf(writeJson(shape, value)), undefined)), same)
      assert.deepEqual(valueOf(readDetails('xml', bytesOf(xml), undefined)), same)
      assert.deepEqual(valueOf(readDetails('xml', utf16(xml, 'big'), 'utf-16be')), same)
    }),
    runs,
  )
})

const anyText = fc.oneof(text, fc.string({ unit: 'binary', maxLength: 20 }), fc.string({ maxLength: 300 }))
const escapedXml = (value: string) => value.replace(/[&<>\r]/g, (one) => `&#${one.charCodeAt(0)};`)

void test('a field refused in JSON is refused in XML too, and accepted values are read the same in both', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom('title', 'lat', 'lon', 'imageID'), (value, name) => {
      const json = readDetails('json', bytesOf(`{"${name}":${JSON.stringify(value)}}`), undefined)
      const element = `<${name}>${escapedXml(value)}</${name}>`
      const xml = readDetails('xml', bytesOf(`<TrailImageDetails>${element}</TrailImageDetails>`), undefined)
      if (json.ok && xml.ok) assert.deepEqual(json.value, xml.value)
      else assert.equal(json.ok ? 'taken' : json.fault.code, xml.ok ? 'taken' : xml.fault.code)
    }),
    runs,
  )
})

void test('JSON never contains an unescaped slash', () => {
  fc.assert(
    fc.property(image, (value) => {
      assert.doesNotMatch(writeJson(shape, value), /(?<!\\)\//)
    }),
  )
})
