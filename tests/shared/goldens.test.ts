// The classic responses, byte for byte, compared with handwritten files in golden/.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { trailImageDetails as shape } from '../../src/shared/classic/classic-shapes.ts'
import type { TrailImageDetails } from '../../src/shared/classic/classic-shapes.ts'
import { writeJson, writeJsonBoolean, writeJsonList, writeJsonLong } from '../../src/shared/json/json.ts'
import { writeXml, writeXmlBoolean, writeXmlList, writeXmlLong } from '../../src/shared/xml/xml.ts'

const image: TrailImageDetails = {
  caption: 'Looking north over the gorge',
  detailUrl: 'rim-trail',
  displayName: 'Ada',
  imageID: 5_207_716_358_243_097,
  lat: '45.5231000',
  lon: '-122.6765',
  mimeType: 'image/jpeg',
  postDate: Date.UTC(2026, 6, 31, 18, 5, 9, 999),
  submitterAcctID: 3_141_592_653_589_793,
  title: 'Gorge',
  trailID: 4711,
  trailName: 'Rim Trail',
  addUser: 'Ada',
  email: '',
}

const withEmail: TrailImageDetails = { ...image, email: 'ada@example.org' }

/** Nothing known, nothing said: lat unknown in one of its two ways, lon in the other. */
const blank: TrailImageDetails = {
  ...image,
  caption: '',
  imageID: 1,
  lat: '0',
  lon: '',
  mimeType: 'image/bmp',
  postDate: 0,
  submitterAcctID: Number.MAX_SAFE_INTEGER,
  title: '',
}

const oddCharacters: TrailImageDetails = {
  caption: `a/b //c <i>1 & 2</i> ]]> "q" 's' \\`,
  detailUrl: 'a/b',
  displayName: "O'Neil & Søn",
  imageID: 2,
  lat: '-0.5',
  lon: '180',
  mimeType: 'image/png',
  postDate: Date.UTC(2024, 1, 29, 23, 59, 59),
  submitterAcctID: 3,
  title: 'tab\tlf\ncr\rcrlf\r\n\u{1f3d4}\u{fe0f} \u{2028} é Ж',
  trailID: 4,
  trailName: 'A </B>',
  addUser: "O'Neil & Søn",
  email: '',
}

const written: Readonly<Record<string, string>> = {
  'image.json': writeJson(shape, withEmail),
  'image-without-email.xml': writeXml(shape, image),
  'image-with-email.xml': writeXml(shape, withEmail),
  'blank.json': writeJson(shape, blank),
  'blank.xml': writeXml(shape, blank),
  'odd-characters.json': writeJson(shape, oddCharacters),
  'odd-characters.xml': writeXml(shape, oddCharacters),
  'list-of-two.json': writeJsonList(shape, [image, blank]),
  'list-of-two.xml': writeXmlList(shape, [withEmail, blank]),
  'empty-list.json': writeJsonList(shape, []),
  'empty-list.xml': writeXmlList(shape, []),
  'new-image.json': writeJsonLong(image.imageID),
  'new-image.xml': writeXmlLong(image.imageID),
  'done.json': writeJsonBoolean(true),
  'done.xml': writeXmlBoolean(true),
}

const folder = new URL('golden/', import.meta.url)

for (const [file, text] of Object.entries(written)) {
  void test(`golden ${file}`, () => {
    const golden = readFileSync(new URL(file, folder))
    // As text first, for a difference one can read; as bytes, because they are the promise.
    assert.equal(text, golden.toString('utf8'))
    assert.deepEqual(Buffer.from(text, 'utf8'), golden)
  })
}

void test('every file in golden/ for the classic image surface is compared', () => {
  const own = /^(image|blank|odd-characters|list-of-two|empty-list|new-image|done)/
  const files = readdirSync(folder).filter((file) => own.test(file))
  assert.deepEqual(files.toSorted(), Object.keys(written).toSorted())
})

void test('XML stays well-formed even if a stored name contains what XML forbids', () => {
  const text = writeXml(shape, { ...image, trailName: 'a\u{0}b\u{ffff}c\u{d800}' })
  assert.match(text, /<trailName>a\u{fffd}b\u{fffd}c\u{fffd}<\/trailName>/u)
})
