// Other people's JSON documents and naughty strings, where the corpus is at hand.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { trailImageDetails as shape } from '../../../src/shared/classic/classic-shapes.ts'
import type { TrailImageDetails } from '../../../src/shared/classic/classic-shapes.ts'
import { readDetails } from '../../../src/shared/classic/details.ts'
import { readJson, writeJson } from '../../../src/shared/json/json.ts'
import { writeXml } from '../../../src/shared/xml/xml.ts'
import { forbiddenInXml } from '../contract-helpers.ts'
import { corpusUrl } from '../../helpers/corpus.ts'

interface JsonDocument {
  readonly name: string
  readonly expect: 'accept' | 'refuse' | 'either'
  readonly base64: string
}

const corpus = corpusUrl()
const documentsFile = new URL('json/test_parsing.json', corpus)
const stringsFile = new URL('strings/blns.json', corpus)

/**
 * Sound JSON that we refuse all the same: their strings hold characters that XML 1.0 could not carry (C8).
 */
const refusedByContract: ReadonlySet<string> = new Set([
  'y_object_escaped_null_in_key',
  'y_string_allowed_escapes',
  'y_string_escaped_control_character',
  'y_string_escaped_noncharacter',
  'y_string_nonCharacterInUTF-8_U+FFFF',
  'y_string_null_escape',
  'y_string_unicode_U+FFFE_nonchar',
])

/**
 * Of the documents that a reader may take or refuse, those that we take: numbers of any size, and a
 * byte-order mark.
 */
const takenOfEither: readonly string[] = [
  'i_number_double_huge_neg_exp',
  'i_number_huge_exp',
  'i_number_neg_int_huge_exp',
  'i_number_pos_double_huge_exp',
  'i_number_real_neg_overflow',
  'i_number_real_pos_overflow',
  'i_number_real_underflow',
  'i_number_too_big_neg_int',
  'i_number_too_big_pos_int',
  'i_number_very_big_negative_int',
  'i_structure_UTF-8_BOM_empty_object',
]

if (existsSync(documentsFile)) {
  const documents = JSON.parse(readFileSync(documentsFile, 'utf8')) as readonly JsonDocument[]
  const namesTaken = (expect: JsonDocument['expect']): string[] =>
    documents
      .filter((document) => document.expect === expect && readJson(Buffer.from(document.base64, 'base64')).ok)
      .map((document) => document.name)

  void test('every valid document is read, except those the contract forbids', () => {
    const all = documents.filter((document) => document.expect === 'accept').map((document) => document.name)
    assert.equal(all.length, 95)
    assert.deepEqual(
      namesTaken('accept'),
      all.filter((name) => !refusedByContract.has(name)),
    )
    for (const { name, base64 } of documents.filter((document) => refusedByContract.has(document.name))) {
      const reading = readJson(Buffer.from(base64, 'base64'))
      assert.match(
        reading.ok ? '' : reading.fault.detail,
        /^The character U\+[\dA-F]{4} is not allowed \(/,
        name,
      )
    }
  })

  void test('every invalid document is refused, with its line and column', () => {
    const refused = documents.filter((document) => document.expect === 'refuse')
    assert.equal(refused.length, 188)
    for (const { name, base64 } of refused) {
      const reading = readJson(Buffer.from(base64, 'base64'))
      assert.match(reading.ok ? '' : reading.fault.detail, /\(line \d+, column \d+\)\.$/, name)
    }
  })

  void test('of the documents that may be read or refused, always the same ones are read', () => {
    assert.deepEqual(namesTaken('either').toSorted(), takenOfEither.toSorted())
  })
} else {
  void test('third-party JSON documents', { skip: `no corpus at ${corpus.pathname}` })
}

const image: TrailImageDetails = {
  caption: '',
  detailUrl: 'rim-trail',
  displayName: 'Ada',
  imageID: 1,
  lat: '0',
  lon: '0',
  mimeType: 'image/png',
  postDate: 0,
  submitterAcctID: 1,
  title: '',
  trailID: 1,
  trailName: 'Rim Trail',
  addUser: 'Ada',
  email: '',
}

if (existsSync(stringsFile)) {
  const strings = JSON.parse(readFileSync(stringsFile, 'utf8')) as readonly string[]

  void test('every naughty string is stored exactly in either format, or refused in both as C8 and C13 say', () => {
    assert.ok(strings.length > 500)
    for (const sent of strings) {
      const stored = sent === ' ' ? '' : sent
      const body = Buffer.from(JSON.stringify({ title: sent, caption: sent }))
      const read = readDetails('json', body, undefined)
      if (forbiddenInXml.test(sent)) assert.equal(read.ok ? 'taken' : read.fault.code, 'malformed-body')
      else if (Array.from(sent).length > 256)
        assert.equal(read.ok ? 'taken' : read.fault.code, 'invalid-field')
      else {
        assert.deepEqual(read.ok ? [read.value.title, read.value.caption] : read.fault, [stored, stored])
        const value = { ...image, title: stored, caption: stored, trailName: sent }
        const json = readDetails('json', Buffer.from(writeJson(shape, value)), undefined)
        const xml = readDetails('xml', Buffer.from(writeXml(shape, value)), undefined)
        assert.equal(json.ok ? json.value.title : json.fault, stored)
        assert.equal(xml.ok ? xml.value.title : xml.fault, stored)
      }
    }
  })

  void test('no naughty string is accidentally read as an id or a coordinate', () => {
    for (const sent of strings) {
      const read = readDetails('json', Buffer.from(JSON.stringify({ lat: sent, lon: '1' })), undefined)
      if (read.ok && read.value.position)
        assert.match(read.value.position.lat, /^-?(0|[1-9]\d?)(\.\d{1,28})?$/)
    }
  })
} else {
  void test('third-party naughty strings', { skip: `no corpus at ${corpus.pathname}` })
}
