// Media types and image sizes: the tables, row by row.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  defaultImageSize,
  imageSizes,
  isImageSize,
  isRenditionFormat,
  renditionMimeTypes,
  sizeRules,
} from '../../../src/shared/image-sizes.ts'
import { bodyFormatOf, formatByStart } from '../../../src/shared/classic/media-types.ts'

void test('the body format is detected by Content-Type', () => {
  const json = ['application/json', 'Application/JSON', 'text/json', 'application/vnd.example+json']
  const xml = ['application/xml', 'text/xml', 'TEXT/XML', 'application/vnd.example+xml']
  const neither = [
    undefined,
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'image/svg+xml',
    'text/html',
    'application/jsonp',
    'application/x-ndjson',
    'model/gltf+json',
    'constructor',
  ]
  for (const type of json) assert.equal(bodyFormatOf(type), 'json', type)
  for (const type of xml) assert.equal(bodyFormatOf(type), 'xml', type)
  for (const type of neither) assert.equal(bodyFormatOf(type), undefined, type ?? 'none')
})

void test('C6: the body format is detected by the first character', () => {
  const formats = [
    ['{', 'json'],
    ['[1]', 'json'],
    ['<a/>', 'xml'],
    ['\u{feff}<a/>', 'xml'],
    ['\u{feff}\u{feff}<a/>', undefined],
    ['', undefined],
    ['\u{feff}', undefined],
    [' {', undefined],
    ['\n<a/>', undefined],
    ['é{', undefined],
    ['constructor', undefined],
  ] as const
  for (const [text, format] of formats) assert.equal(formatByStart(Buffer.from(text)), format, text)
  for (const text of ['<', '\u{feff}<', '\u{feff}[']) {
    const format = text.endsWith('<') ? 'xml' : 'json'
    const littleEndian = Buffer.from(text, 'utf16le')
    assert.equal(formatByStart(littleEndian), format, text)
    assert.equal(formatByStart(littleEndian.swap16()), format, text)
  }
})

void test('the five sizes of the contract, their rules and the formats', () => {
  const contract = {
    sm: { fit: 'inside', sidePx: 100 },
    '150': { fit: 'square', sidePx: 150 },
    md: { fit: 'inside', sidePx: 300 },
    '640': { fit: 'inside', sidePx: 640 },
    lg: { fit: 'whole' },
  }
  assert.deepEqual(Object.keys(sizeRules).toSorted(), imageSizes.toSorted())
  assert.deepEqual({ ...sizeRules, ...contract }, sizeRules)
  assert.equal(defaultImageSize, 'lg')
  for (const size of imageSizes) assert.ok(isImageSize(size))
  for (const other of ['', 'SM', 'xl', '300', 'toString', '__proto__']) assert.ok(!isImageSize(other), other)
  assert.deepEqual(Object.keys(renditionMimeTypes).filter(isRenditionFormat), ['jpeg', 'png', 'webp'])
  for (const other of ['', 'jpg', 'gif', 'WEBP', 'toString']) assert.ok(!isRenditionFormat(other), other)
})
