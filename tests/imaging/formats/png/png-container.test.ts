// Parsing and cleaning PNG: checksums, and which chunks stay.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { Refusal } from '../../../../src/errors.ts'
import { cleanIccProfile } from '../../../../src/imaging/formats/icc/icc-profile.ts'
import { readHeader, strip } from '../../../../src/imaging/containers.ts'
import {
  assertRefused,
  chunkTypes,
  decodeSamples,
  greyRows,
  ihdrChunk,
  insertAt,
  makeGreyPng,
  makePicture,
  makePng,
  pngChunk,
  pngSignature,
  replaceAt,
  words,
} from '../../../helpers/containers-fixtures.ts'
import type { PngShape } from '../../../helpers/containers-fixtures.ts'
import { walk } from '../../../helpers/imaging.ts'

const rows = pngChunk('IDAT', greyRows(4, 4))
const endChunk = pngChunk('IEND')

function stripped(png: Uint8Array, orientation = 1): Buffer {
  return Buffer.from(strip(png, walk(png, 'png'), orientation))
}

void test('every kind of PNG: the channels match the decoder, and the pixels are unchanged', async () => {
  const pictures = [makePicture(33, 17, 1), makePicture(33, 17), makePicture(33, 17, 4)]
  for (const picture of pictures) {
    for (const options of [{}, { progressive: true }, { palette: true, colours: 4 }]) {
      for (const space of ['srgb', 'rgb16'] as const) {
        const png = await picture.clone().toColourspace(space).png(options).toBuffer()
        const { width, height, channels, depth, hasAlpha } = await sharp(png).metadata()
        const container = walk(png, 'png')
        assert.deepEqual(
          [
            container.width,
            container.height,
            container.channels,
            container.bytesPerSample,
            container.hasAlpha,
          ],
          [width, height, channels, depth === 'ushort' ? 2 : 1, hasAlpha],
        )
        assert.deepEqual(await decodeSamples(stripped(png, 6)), await decodeSamples(png))
      }
    }
  }
  const transparentGrey = makeGreyPng([pngChunk('tRNS', Buffer.of(0, 100))])
  const { channels, hasAlpha } = walk(transparentGrey, 'png')
  assert.deepEqual([channels, hasAlpha], [2, true])
  assert.deepEqual(await decodeSamples(stripped(transparentGrey)), await decodeSamples(transparentGrey))
})

void test('chunks that affect the appearance stay, all others are removed', () => {
  const look = [
    pngChunk('gAMA', words([45_455])),
    pngChunk('cHRM', words([31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6000])),
    pngChunk('cICP', Buffer.of(9, 16, 0, 1)),
    pngChunk('sBIT', Buffer.of(8)),
    pngChunk('tRNS', Buffer.of(0, 1)),
    pngChunk('bKGD', Buffer.of(0, 1)),
    pngChunk('pHYs', words([2835, 2835], [1])),
  ]
  const secrets = [
    'tEXt',
    'zTXt',
    'iTXt',
    'eXIf',
    'tIME',
    'sPLT',
    'hIST',
    'caBX',
    'prVt',
    'aaAa',
    'fcTL',
    'fdAT',
  ].map((type) => pngChunk(type, 'secret\0secret'))
  const clean = makeGreyPng(look)
  assert.deepEqual(stripped(clean), clean)
  const full = makeGreyPng(
    look.flatMap((chunk) => secrets.concat(chunk)),
    secrets,
  )
  assert.deepEqual(stripped(full), clean)
})

void test('gamma and chromaticities are removed if sRGB or a profile defines the colours, in any order', async () => {
  const measured = [pngChunk('gAMA', words([45_455])), pngChunk('cHRM', Buffer.alloc(32, 'secret'))]
  const srgb = pngChunk('sRGB', Buffer.of(0))
  assert.deepEqual(stripped(makeGreyPng([...measured, srgb])), makeGreyPng([srgb]))
  assert.deepEqual(stripped(makeGreyPng([srgb, ...measured])), makeGreyPng([srgb]))
  const p3 = await makePicture(8, 8).withIccProfile('p3').png().toBuffer()
  const more = insertAt(p3, 33, ...measured)
  assert.deepEqual(stripped(more), stripped(p3))
})

void test('chromaticities that no colour has are removed, since they may be text', () => {
  const gamma = pngChunk('gAMA', words([45_455]))
  for (const data of [Buffer.alloc(32, 'secret'), words([0, 0, 0, 0, 0, 0, 0, 100_001])]) {
    const png = makeGreyPng([gamma, pngChunk('cHRM', data)])
    assert.deepEqual(stripped(png), makeGreyPng([gamma]))
    assert.deepEqual(stripped(makeGreyPng([pngChunk('cHRM', data)])), makeGreyPng())
  }
})

void test('no appearance chunk can carry text: ones that are too long, repeated, late or unused are removed', () => {
  // 5 and 7 bytes are too many for some types, and wrong for all.
  const overlong = [300, 7, 5].flatMap((length) =>
    ['sRGB', 'gAMA', 'cHRM', 'cICP', 'sBIT', 'tRNS', 'bKGD', 'pHYs'].map((type) =>
      pngChunk(type, Buffer.alloc(length, 'secret')),
    ),
  )
  const gamma = pngChunk('gAMA', words([45_455]))
  const result = stripped(
    makeGreyPng([...overlong, gamma, gamma, pngChunk('PLTE', 'secret')], [gamma, ...overlong]),
  )
  assert.deepEqual(result, makeGreyPng([gamma]))
  for (const colourType of [2, 6]) {
    const suggested = makePng(ihdrChunk({ colourType }), pngChunk('PLTE', Buffer.alloc(6)), rows)
    assert.deepEqual(stripped(suggested), makePng(ihdrChunk({ colourType }), rows))
  }
  const ownAlpha = makePng(
    ihdrChunk({ colourType: 4, width: 1, height: 1 }),
    pngChunk('tRNS', 'secret'),
    pngChunk('IDAT', deflateSync(Buffer.of(0, 1, 2))),
  )
  assert.deepEqual(chunkTypes(stripped(ownAlpha)), ['IHDR', 'IDAT', 'IEND'])
  assert.equal(walk(ownAlpha, 'png').channels, 2)
})

void test('the profile is kept without its name', async () => {
  const p3 = await makePicture(8, 8).withIccProfile('p3').png().toBuffer()
  const { icc } = await sharp(p3).metadata()
  assert.ok(icc !== undefined)
  const at = p3.indexOf('iCCP') - 4
  const rest = p3.subarray(at + 12 + p3.readUInt32BE(at))
  const profile = cleanIccProfile(icc)
  const profileChunk = (name: string, profile: Uint8Array | string = icc): Buffer =>
    pngChunk('iCCP', Buffer.concat([Buffer.from(`${name}\0\0`), deflateSync(profile)]))
  const withChunks = (...chunks: readonly Buffer[]): Buffer =>
    Buffer.concat([p3.subarray(0, at), ...chunks, rest])
  const invalid = ['x'.repeat(80), ''].map((name) => profileChunk(name, 'no profile'))
  const named = profileChunk('/home/jane/secret.icc')
  const result = stripped(withChunks(...invalid, named, named))
  for (const name of ['x', 'x'.repeat(79)]) assert.deepEqual(stripped(withChunks(profileChunk(name))), result)
  assert.ok(!result.includes('secret') && !result.includes('xxx'))
  assert.deepEqual(
    chunkTypes(result).filter((type) => type === 'iCCP'),
    ['iCCP'],
  )
  assert.deepEqual((await sharp(result).metadata()).icc, Buffer.from(profile ?? []))
})

void test('a missing or truncated IEND is repaired, and one with text is emptied', () => {
  const png = makeGreyPng()
  for (let missing = 1; missing <= endChunk.length; missing += 1) {
    const cut = png.subarray(0, png.length - missing)
    assert.equal(walk(cut, 'png').lacksEnd, true)
    assert.deepEqual(stripped(cut), png)
  }
  assertRefused(replaceAt(png.subarray(0, -1), png.length - 3, 0), 'png', /truncated within a chunk/)
  const chatty = Buffer.concat([png.subarray(0, -12), pngChunk('IEND', 'secret')])
  assert.deepEqual(stripped(chatty), png)
})

const shapes: readonly PngShape[] = [
  { bitDepth: 3 },
  { bitDepth: 16, colourType: 3 },
  { bitDepth: 4, colourType: 2 },
  { bitDepth: 0 },
  { colourType: 1 },
  { colourType: 5 },
  { colourType: 7 },
  { interlacing: 2 },
]
const palette = pngChunk('PLTE', Buffer.alloc(6))
const broken: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
  'no header': [makePng(rows), /no header/],
  'a header too long': [makePng(pngChunk('IHDR', Buffer.alloc(14)), rows), /no header/],
  'width 0': [makePng(ihdrChunk({ width: 0 }), rows), /PNG has a width or height of 0/],
  'height 0': [makePng(ihdrChunk({ height: 0 }), rows), /PNG has a width or height of 0/],
  'a second header': [makeGreyPng([ihdrChunk()]), /unknown critical chunk/],
  'no image data': [makePng(ihdrChunk()), /no image data/],
  'image data torn apart': [makeGreyPng([], [pngChunk('tIME'), rows]), /not contiguous/],
  'no palette': [makePng(ihdrChunk({ colourType: 3 }), rows), /no palette/],
  'two palettes': [
    makePng(ihdrChunk({ colourType: 3 }), palette, palette, rows),
    /palette in the wrong place/,
  ],
  'a late palette': [makePng(ihdrChunk({ colourType: 2 }), rows, palette), /palette in the wrong place/],
  'an unknown critical chunk': [makeGreyPng([pngChunk('CgBI', 'x')]), /unknown critical chunk/],
  'no chunk': [makeGreyPng([pngChunk('a1\0c')]), /invalid chunk/],
  'a length past the end': [makeGreyPng([words([0x7fff_ffff])]), /truncated within a chunk/],
  'a wrong checksum of the header': [replaceAt(makeGreyPng(), 32, 0), /incorrect checksum/],
  'a wrong checksum of image data': [replaceAt(makeGreyPng(), 45, 0), /incorrect checksum/],
  'a wrong checksum of metadata': [
    replaceAt(makeGreyPng([pngChunk('tEXt', 'a\0b')]), 41, 0),
    /incorrect checksum/,
  ],
}

for (const [name, [png, detail]] of Object.entries(broken)) {
  void test(`refused: ${name}`, () => {
    assertRefused(png, 'png', detail)
  })
}

void test('colour types, depths and methods that do not exist are refused', () => {
  for (const shape of shapes) assertRefused(makePng(ihdrChunk(shape), rows), 'png', /has an invalid/)
  for (const methods of [
    [1, 0],
    [0, 1],
  ]) {
    const header = pngChunk('IHDR', words([4, 4], [8, 0, ...methods, 0]))
    assertRefused(makePng(header, rows), 'png', /has an invalid/)
  }
})

void test('the header alone gives the size, whatever follows', () => {
  const bomb = Buffer.concat([
    pngSignature,
    ihdrChunk({ width: 60_000, height: 60_000, bitDepth: 16, colourType: 6 }),
  ])
  assert.deepEqual(readHeader(bomb, 'png'), { width: 60_000, height: 60_000, channels: 4, bytesPerSample: 2 })
  assert.throws(() => readHeader(replaceAt(bomb, bomb.length - 1, 0), 'png'), Refusal)
})

void test('image data in many chunks is one part of the stripped file', () => {
  const data = greyRows(4, 4)
  const pieces = [...data].map((byte) => pngChunk('IDAT', Buffer.of(byte)))
  const png = makePng(ihdrChunk(), ...pieces)
  assert.equal(walk(png, 'png').rest.length, 1)
  assert.deepEqual(stripped(insertAt(png, 33, pngChunk('tEXt', 'a\0b'))), png)
})
