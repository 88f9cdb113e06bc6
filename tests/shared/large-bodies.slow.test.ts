// Large classic bodies: read and written in short steps, with the same results as at once, however they are cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { trailImageDetails as shape } from '../../src/shared/classic/classic-shapes.ts'
import { jsonChunks, readJson, readingJson, writeJson } from '../../src/shared/json/json.ts'
import { atOnce } from '../../src/shared/yielding.ts'
import { decodeText, decodingText } from '../../src/shared/text/text-encoding.ts'
import { readXml, readingXml } from '../../src/shared/xml/xml-reader.ts'
import { writeXml, xmlChunks } from '../../src/shared/xml/xml.ts'
import { assertFault, bytesOf, joined, utf16, valueOf } from './contract-helpers.ts'

const point = '<rtept lat="45.523100" lon="-122.676500"><ele>12.5</ele><name>Rim &amp; falls</name></rtept>\n'
const gpx = `<gpx>${point.repeat(Math.floor((8 * 1024 ** 2) / point.length))}</gpx>`
const image = {
  caption: '',
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

/**
 * Goes through the steps three times: what they give, and the longest step in milliseconds of this thread's CPU time.
 * Of each step, its shortest run counts: a step that does too much is long in every run, one in which garbage was
 * collected only in one.
 */
function stepping<T, R>(make: () => Generator<T, R>): { value: R; maxMs: number } {
  const shortestMs: number[] = []
  for (let run = 1; ; run += 1) {
    const steps = make()
    for (let at = 0; ; at += 1) {
      const start = process.threadCpuUsage()
      const step = steps.next()
      const { user, system } = process.threadCpuUsage(start)
      shortestMs[at] = Math.min(shortestMs[at] ?? Infinity, (user + system) / 1000)
      if (step.done !== true) continue
      if (run === 3) return { value: step.value, maxMs: Math.max(...shortestMs) }
      break
    }
  }
}

/** Ten times what a step takes. */
const maxStepMs = 150

void test('issue 5: a JSON body with a gpx of 8 MiB is read in short steps', () => {
  const body = bytesOf(JSON.stringify([{ gpx, length: 1.5 }]))
  const { value, maxMs } = stepping(() => readingJson(body))
  assert.deepEqual(valueOf(value), [{ gpx, length: 1.5 }])
  assert.ok(maxMs < maxStepMs, `a step took ${maxMs} ms`)
})

const sections: readonly (readonly [string, string])[] = [
  ['escaped', gpx.replaceAll('&', '&amp;').replaceAll('<', '&lt;')],
  ['in a CDATA section', `<![CDATA[${gpx}]]>`],
]

for (const [how, content] of sections) {
  void test(`issue 5: an XML body with a gpx of 8 MiB ${how} is read in short steps`, () => {
    const body = bytesOf(`<Route><gpx>${content}</gpx></Route>`)
    const { value, maxMs } = stepping(() => readingXml(body, undefined))
    assert.equal(valueOf(value).children[0]?.text, gpx)
    assert.ok(maxMs < maxStepMs, `a step took ${maxMs} ms`)
  })
}

void test('issue 5: a resource with a text of 8 MiB is written in short steps', () => {
  const long = { ...image, detailUrl: gpx }
  for (const chunks of [jsonChunks, xmlChunks]) {
    const { maxMs } = stepping(() => chunks(shape, long))
    assert.ok(maxMs < maxStepMs, `a step took ${maxMs} ms`)
  }
  assert.equal([...jsonChunks(shape, image)].length, 1)
  assert.equal([...xmlChunks(shape, image)].length, 1)
})

void test('chunks form the whole text: nothing breaks where a slice ends', () => {
  const ends = ['\u{1f3d4}', '\r', '\r\n', ']]>', '\u{0}', '\u{ffff}', '\u{d83c}', '"\\/', '&<>', 'é']
  for (const end of ends) {
    for (let before = 65_530; before <= 65_537; before += 1) {
      const detailUrl = `${'/'.repeat(before)}${end.repeat(9)}`
      const value = { ...image, detailUrl }
      const json = [...jsonChunks(shape, value)].join('')
      assert.equal(json, writeJson(shape, value))
      assert.ok(json.includes(JSON.stringify(detailUrl).replaceAll('/', '\\/')), JSON.stringify(end))
      const xml = [...xmlChunks(shape, value)].join('')
      assert.equal(xml, writeXml(shape, value))
      const short = writeXml(shape, { ...image, detailUrl: `/${end.repeat(9)}` })
      assert.equal(xml.replace('/'.repeat(before), '/'), short, JSON.stringify(end))
    }
  }
})

void test('XML is read the same, and refused at the same position, however it is split', () => {
  const marks =
    '< > / a p: = " \' &lt; &#13; &#65; & ; ]] ]]> <!-- --> <![CDATA[ ]]> <? ?> xmlns:p <a> </a> <a> </a> <a/> \u{1} \u{1f3d4} é \r \r\n \n x'
  const chunks = fc.constantFrom(...marks.split(' '), ' ', 'text of some length', ']')
  const documents = fc.oneof(
    fc.array(chunks, { maxLength: 16 }).map((parts) => parts.join('')),
    fc.array(chunks, { maxLength: 16 }).map((parts) => `<a>${parts.join('')}</a>`),
    fc.array(chunks, { maxLength: 16 }).map((parts) => `<a>x<![CDATA[${parts.join('')}]]>]&lt;</a>`),
  )
  const run = (text: string, sliceCharacters: number): void => {
    const bytes = bytesOf(text)
    const sliced = atOnce(readingXml(bytes, undefined, { sliceCharacters }))
    assert.deepEqual(sliced, readXml(bytes, undefined))
  }
  fc.assert(fc.property(documents, fc.integer({ min: 1, max: 20 }), run), { numRuns: 6_000 })
})

void test('JSON strings of any length are read as by JSON.parse', () => {
  const chunks = fc.constantFrom(
    'a'.repeat(1000),
    '\\n',
    '\\ud83c\\udfd4',
    '\u{1f3d4}',
    '\\"',
    '\\/',
    '\\u0041',
    'é'.repeat(3000),
  )
  const strings = fc.array(chunks, { maxLength: 8 }).map((parts) => `"${parts.join('')}"`)
  const run = (one: string, other: string): void => {
    const text = `{${other}:[${one},{"length":12.50,"__proto__":${other}}], "a" : ${one}}`
    assert.deepEqual(valueOf(readJson(bytesOf(text))), JSON.parse(text))
  }
  fc.assert(fc.property(strings, strings, run), { numRuns: 300 })
})

void test('bytes are decoded the same however they are split, up to the first invalid one', () => {
  const parts = fc.array(fc.constantFrom('a', 'é', '€', '\u{1f3d4}', '\n', '\u{fffd}'), { maxLength: 20 })
  const broken = fc.constantFrom<number[][]>(
    [],
    [0xff],
    [0x80, 0x80, 0x80, 0x80, 0x80],
    [0xe2, 0x82],
    [0xd8, 0x00, 0x00, 0xd8],
  )
  const run = (start: string[], bytes: number[], end: string[], max: number): void => {
    for (const encoding of ['utf-8', 'utf-16le', 'utf-16be'] as const) {
      const encode = (text: string): Uint8Array =>
        encoding === 'utf-8' ? bytesOf(text) : utf16(text, encoding === 'utf-16le' ? 'little' : 'big')
      const body = joined(encode(start.join('')), bytes, encode(end.join('')))
      assert.deepEqual(atOnce(decodingText(body, encoding, max * 4)), decodeText(body, encoding))
    }
  }
  fc.assert(fc.property(parts, broken, parts, fc.integer({ min: 1, max: 5 }), run), { numRuns: 2_000 })
})

void test('trust 33: a body with too many values or elements is refused', () => {
  const values = bytesOf(`[${'[],'.repeat(9)}"a"]`)
  assert.ok(atOnce(readingJson(values, { maxValues: 11 })).ok)
  assertFault(
    atOnce(readingJson(values, { maxValues: 10 })),
    'malformed-body',
    'The body has more than 10 values (line 1, column 29).',
  )
  const elements = bytesOf('<a b="1"><c/><c/></a>')
  assert.ok(atOnce(readingXml(elements, undefined, { maxElements: 4 })).ok)
  assertFault(
    atOnce(readingXml(elements, undefined, { maxElements: 3 })),
    'malformed-body',
    /^The body has more than 3 elements and attributes \(line 1, column 1[67]\)\.$/,
  )
})

void test('a number keeps its digits if requested', () => {
  const body = bytesOf('[{"length":9,"length":12.50,"other":1.50,"in":{"length":1e3,"a":{"length":"x"}}}]')
  assert.deepEqual(valueOf(atOnce(readingJson(body, { maxValues: 20, digitsOf: 'length' }))), [
    { length: '12.50', other: 1.5, in: { length: '1e3', a: { length: 'x' } } },
  ])
})

void test('trust 33: a comment in an XML body may be at most 512 KiB', () => {
  const comment = (length: number) => bytesOf(`<a>\n<!--${'- '.repeat(length / 2)}--></a>`)
  assert.ok(readXml(comment(500 * 1024), undefined).ok)
  assertFault(
    readXml(comment(600 * 1024), undefined),
    'malformed-body',
    /^A tag, a comment or a processing instruction is longer than 512 KiB \(line 2, /,
  )
})
