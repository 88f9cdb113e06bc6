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
import {
  bodyFormatOf,
  imageMimeTypes,
  imageTypeOf,
  judgeDeclaredType,
  mimeTypeOf,
} from '../../../src/shared/classic/media-types.ts'

void test('the four image types and their MIME types', () => {
  const types = { jpeg: 'image/jpeg', gif: 'image/gif', png: 'image/png', bmp: 'image/bmp' }
  assert.deepEqual({ ...imageMimeTypes }, types)
  for (const type of ['jpeg', 'gif', 'png', 'bmp'] as const) {
    assert.equal(mimeTypeOf(type), types[type])
    assert.equal(imageTypeOf(types[type]), type)
  }
  for (const other of ['image/jpg', 'image/webp', 'jpeg', '']) assert.equal(imageTypeOf(other), undefined)
})

const acceptable = [
  undefined,
  '',
  'image/jpeg',
  'IMAGE/JPEG',
  'image/gif',
  'image/png',
  'image/bmp',
  'image/jpg',
  'image/pjpeg',
  'image/x-png',
  'image/x-ms-bmp',
  'image/x-bmp',
  'application/octet-stream',
]
const notAnImage = [
  'image/svg+xml',
  'image/webp',
  'image/tiff',
  'image/avif',
  'image/heic',
  'image/*',
  '*/*',
  'text/html',
  'text/plain',
  'application/json',
  'application/pdf',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'constructor',
]

void test('what an upload may declare', () => {
  for (const type of acceptable) assert.equal(judgeDeclaredType(type), 'acceptable', type ?? 'none')
  for (const type of notAnImage) assert.equal(judgeDeclaredType(type), 'not-an-image', type)
})

void test('the format of a body by its Content-Type', () => {
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

void test('the five sizes, their rules and the formats', () => {
  assert.deepEqual(imageSizes, ['sm', '150', 'md', '640', 'lg'])
  assert.deepEqual(sizeRules, {
    sm: { fit: 'inside', sidePx: 100 },
    '150': { fit: 'square', sidePx: 150 },
    md: { fit: 'inside', sidePx: 300 },
    '640': { fit: 'inside', sidePx: 640 },
    lg: { fit: 'whole' },
  })
  assert.equal(defaultImageSize, 'lg')
  for (const size of imageSizes) assert.ok(isImageSize(size))
  for (const other of ['', 'SM', 'xl', '300', 'toString', '__proto__']) assert.ok(!isImageSize(other), other)
  assert.deepEqual(Object.keys(renditionMimeTypes).filter(isRenditionFormat), ['jpeg', 'png', 'webp'])
  for (const other of ['', 'jpg', 'gif', 'WEBP', 'toString']) assert.ok(!isRenditionFormat(other), other)
})
