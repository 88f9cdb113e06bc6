// Metadata of a PNG: EXIF and XMP in eXIf and all kinds of text chunks, within limits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { makeGreyPng, pngChunk } from '../../../helpers/containers-fixtures.ts'
import { walk } from '../../../helpers/imaging.ts'

const tiff = Buffer.from('MM\0*\0\0\0\x08\0\0\0\0\0\0', 'latin1')
const xmpSignature = 'http://ns.adobe.com/xap/1.0/\0'

function metadataOf(...chunks: readonly Buffer[]): string[] {
  return walk(makeGreyPng(chunks), 'png').metadata.map(
    ({ kind, bytes }) => `${kind}:${Buffer.from(bytes).toString('latin1')}`,
  )
}

/** A profile as ImageMagick writes it: its name, its length, hexadecimal lines. */
function rawProfile(name: string, bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString('hex')
      .match(/.{1,72}/g) ?? []
  return `\n${name}\n${String(bytes.length).padStart(8)}\n${lines.join('\n')}\n`
}

void test('EXIF is found in eXIf chunks, before and after the image data', () => {
  const prefixed = Buffer.concat([Buffer.from('Exif\0\0'), tiff])
  const png = makeGreyPng([pngChunk('eXIf', tiff), pngChunk('eXIf', 'no TIFF')], [pngChunk('eXIf', prefixed)])
  const exif = { kind: 'exif', bytes: tiff }
  assert.deepEqual(
    walk(png, 'png').metadata.map(({ kind, bytes }) => ({ kind, bytes: Buffer.from(bytes) })),
    [exif, exif],
  )
})

void test('EXIF and XMP are found in every kind of text chunk', () => {
  const exif = `exif:${tiff.toString('latin1')}`
  const app1 = Buffer.concat([Buffer.from('Exif\0\0'), tiff])
  const xmpApp1 = Buffer.from(`${xmpSignature}<x/>`)
  const profile = rawProfile('exif', tiff)
  const compressed = (keyword: string, text: string): Buffer =>
    pngChunk('zTXt', Buffer.concat([Buffer.from(`${keyword}\0\0`), deflateSync(Buffer.from(text))]))
  assert.deepEqual(
    metadataOf(
      pngChunk('tEXt', `Raw profile type exif\0${profile}`),
      pngChunk('tEXt', `Raw profile type exif\0${profile.slice(1)}`),
      compressed('Raw profile type exif', profile),
      compressed('Raw profile type APP1', rawProfile('generic profile', app1)),
      compressed('Raw profile type APP1', rawProfile('generic profile', xmpApp1)),
      compressed('Raw profile type xmp', rawProfile('xmp', Buffer.from('<y/>'))),
      pngChunk('iTXt', `Raw profile type exif\0\0\0\0\0${profile}`),
      pngChunk('iTXt', 'XML:com.adobe.xmp\0\0\0en\0titre\0<z/>'),
      pngChunk(
        'iTXt',
        Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\x01\0\0\0'), deflateSync(Buffer.from('<c/>'))]),
      ),
      pngChunk('tEXt', 'XML:com.adobe.xmp\0<t/>'),
      compressed('XML:com.adobe.xmp', '<u/>'),
    ),
    [exif, exif, exif, exif, 'xmp:<x/>', 'xmp:<y/>', exif, 'xmp:<z/>', 'xmp:<c/>', 'xmp:<t/>', 'xmp:<u/>'],
  )
})

void test('broken or endless text is skipped at little cost', () => {
  const bomb = Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0'), deflateSync(Buffer.alloc(20_000_000))])
  const nearBomb = Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0'), deflateSync(Buffer.alloc(262_144))])
  assert.deepEqual(
    metadataOf(
      pngChunk('tEXt', 'XML:com.adobe.xmp'),
      pngChunk('tEXt', '\0'),
      pngChunk('tEXt', `Comment\0${rawProfile('exif', tiff)}`),
      pngChunk('tEXt', 'x'.repeat(1_000_000)),
      pngChunk('zTXt', 'XML:com.adobe.xmp\0\0no zlib'),
      pngChunk('zTXt', `XML:com.adobe.xmp\0\x01<x/>`),
      pngChunk('iTXt', 'XML:com.adobe.xmp\0\0\0en'),
      pngChunk('tEXt', 'Raw profile type exif\0\nexif\n'),
      pngChunk('tEXt', 'Raw profile type exif\0\nexif\n 4\nno hex\n'),
      pngChunk('zTXt', bomb),
    ),
    [],
  )
  const { metadata } = walk(makeGreyPng(Array<Buffer>(2000).fill(pngChunk('zTXt', nearBomb))), 'png')
  assert.equal(metadata.length, 4)
  // Each bomb uses its full allowance, so the fifth is not even parsed.
  const good = pngChunk(
    'zTXt',
    Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0'), deflateSync(Buffer.from('<x/>'))]),
  )
  assert.equal(metadataOf(...Array<Buffer>(3).fill(pngChunk('zTXt', bomb)), good).length, 1)
  assert.equal(metadataOf(...Array<Buffer>(4).fill(pngChunk('zTXt', bomb)), good).length, 0)
})

void test('an EXIF block of any size is read up to 1 MiB', () => {
  const { metadata } = walk(
    makeGreyPng([pngChunk('eXIf', Buffer.concat([tiff, Buffer.alloc(2_000_000)]))]),
    'png',
  )
  assert.equal(metadata[0]?.bytes.length, 1_048_576)
})
