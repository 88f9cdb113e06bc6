// Parsing and cleaning GIF: blocks, the LZW codes of every frame, and the decoder's canvas.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { Refusal } from '../../../../src/errors.ts'
import { readHeader, strip } from '../../../../src/imaging/containers.ts'
import {
  assertRefused,
  createRandom,
  decodeSamples,
  gifApplication,
  gifExtension,
  gifFrame,
  insertAt,
  judge,
  makeGif,
  makePicture,
  packBits,
  packCodes,
  replaceAt,
  subBlocks,
  xmpTrailer,
} from '../../../helpers/containers-fixtures.ts'
import type { GifFrame } from '../../../helpers/containers-fixtures.ts'
import { makeProfile } from '../../../helpers/bmp-builder.ts'
import { makeIcc, readIcc } from '../../../helpers/icc-fixtures.ts'
import { walk } from '../../../helpers/imaging.ts'

const loop = gifApplication('NETSCAPE2.0', subBlocks(Buffer.of(1, 3, 0)))
const oldLoop = gifApplication('ANIMEXTS1.0', subBlocks(Buffer.of(1, 0, 0)))
const profile = gifApplication('ICCRGBG1012', subBlocks(makeProfile()))
const chattyProfile = gifApplication(
  'ICCRGBG1012',
  subBlocks(makeIcc([...readIcc(makeProfile()), { name: 'mmod', data: Buffer.from('secret') }])),
)
const comment = gifExtension(0xfe, Buffer.from('secret'), Buffer.from('more of it'))
const fakeProfile = gifExtension(0xfe, Buffer.from('ICCRGBG1012'), Buffer.from('secret'))
const plainText = gifExtension(0x01, Buffer.alloc(12), Buffer.from('secret'))
const unknown = gifExtension(0x77, Buffer.from('secret'))
const buffering = gifApplication('NETSCAPE2.0', subBlocks(Buffer.of(2, 0, 0, 1, 0)))
const packet = '<x:xmpmeta>secret</x:xmpmeta>'
const xmp = gifApplication('XMP DataXMP', Buffer.concat([Buffer.from(packet), xmpTrailer]))
const xmpInBlocks = gifApplication('XMP DataXMP', subBlocks(Buffer.from(packet.repeat(20))))

function stripped(gif: Uint8Array): Buffer {
  const before = Buffer.from(gif)
  const clean = Buffer.from(strip(gif, walk(gif, 'gif'), 1))
  assert.deepEqual(Buffer.from(gif), before, 'the upload itself is not touched')
  return clean
}

function metadataOf(gif: Uint8Array): string[] {
  return walk(gif, 'gif').metadata.map(
    ({ kind, bytes }) => `${kind}:${Buffer.from(bytes).toString('latin1')}`,
  )
}

void test('comments, text, XMP and unknown extensions are removed; the loop count and a profile stay', async () => {
  const frames = [gifFrame({ delay: 5 }), gifFrame({ transparent: true })]
  const clean = makeGif([loop, profile, ...frames])
  assert.deepEqual(stripped(clean), clean)
  const secrets = [
    comment,
    fakeProfile,
    plainText,
    unknown,
    xmp,
    xmpInBlocks,
    buffering,
    gifExtension(0xff, Buffer.of(1)),
  ]
  const longLoop = Buffer.concat([loop.subarray(0, -1), subBlocks(Buffer.from('secret'))])
  const full = makeGif([
    ...secrets,
    longLoop,
    ...secrets,
    chattyProfile,
    oldLoop,
    profile,
    ...frames,
    ...secrets,
  ])
  assert.deepEqual(stripped(full), clean)
  assert.deepEqual(await decodeSamples(stripped(full)), await decodeSamples(full))
  const { loop: times } = await sharp(clean, { pages: -1 }).metadata()
  assert.equal(times, 4)
  assert.deepEqual(stripped(makeGif([oldLoop, ...frames])), makeGif([oldLoop, ...frames]))
})

void test('XMP is found before its trailer and in sub-blocks, up to a limit', () => {
  assert.deepEqual(metadataOf(makeGif([xmp, gifFrame()])), [`xmp:${packet}`])
  assert.deepEqual(metadataOf(makeGif([gifFrame(), xmpInBlocks])), [`xmp:${packet.repeat(20)}`])
  const huge = gifApplication('XMP DataXMP', subBlocks(Buffer.alloc(2_000_000, 'x')))
  assert.equal(metadataOf(makeGif([huge, gifFrame()]))[0]?.length, 4 + 262_144)
  const long = gifApplication('XMP DataXMP', Buffer.concat([Buffer.alloc(2_000_000, 'x'), xmpTrailer]))
  assert.equal(metadataOf(makeGif([long, gifFrame()]))[0]?.length, 4 + 1_048_576)
})

void test('the canvas, frames and alpha match those of the decoder', async () => {
  const oneFrame = (frame: GifFrame, width: number, height: number): Buffer =>
    makeGif([gifFrame(frame)], width, height)
  const files = {
    plain: makeGif([gifFrame()]),
    'a first frame that grows the canvas': makeGif([gifFrame({ left: 3, top: 1 }), gifFrame()]),
    'a later frame that does not': makeGif([gifFrame(), gifFrame({ left: 3, top: 9 })]),
    'a VGA screen': oneFrame({ left: 1 }, 640, 480),
    'a screen around a dot': oneFrame({ width: 1, height: 1 }, 800, 600),
    'a VGA screen the other way': oneFrame({}, 480, 640),
    'more screens': makeGif([gifFrame({ top: 2 }), gifFrame({ left: 20 })], 1600, 1200),
    'a canvas of 2048': oneFrame({}, 2048, 3),
    'a canvas above that': oneFrame({}, 3, 2049),
    'a frame of 0 by 0': makeGif([gifFrame({ width: 0, height: 0 }), gifFrame()]),
    'colours of its own': insertAt(
      replaceAt(makeGif([gifFrame()]), 19 + 9, 0x80),
      19 + 10,
      Buffer.from('colour'),
    ),
    'transparent later on': makeGif([gifFrame(), gifFrame({ transparent: true })]),
    'transparent without a frame': makeGif([gifFrame(), gifFrame({ transparent: true }).subarray(0, 8)]),
    'a version of 1987': replaceAt(makeGif([gifFrame()]), 4, 0x37),
  }
  for (const [name, gif] of Object.entries(files)) {
    const container = walk(gif, 'gif')
    const found = await sharp(gif, { pages: -1 }).metadata()
    assert.deepEqual(
      [container.width, container.height, container.channels, container.frames, container.hasAlpha],
      [found.width, found.pageHeight ?? found.height, found.channels, found.pages, found.hasAlpha],
      name,
    )
    assert.deepEqual(await decodeSamples(stripped(gif)), await decodeSamples(gif), name)
  }
  assert.deepEqual(readHeader(files['a VGA screen'], 'gif'), {
    width: 640,
    height: 480,
    channels: 3,
    bytesPerSample: 1,
  })
})

void test('LZW codes of real encoders are followed to the last pixel', async () => {
  const pictures = [
    makePicture(200, 150).gif(),
    makePicture(200, 150).gif({ colours: 2, dither: 0 }),
    makePicture(64, 64, 4).gif({ colours: 16, progressive: true }),
    sharp({ create: { width: 3000, height: 1000, channels: 3, background: 'red' } }).gif(),
  ]
  for (const picture of pictures) {
    const gif = await picture.toBuffer()
    assert.equal(judge(gif, 'gif'), 'whole')
    // The frame's height in its descriptor: one more row than the data has.
    const at = gif.lastIndexOf(Buffer.of(0x2c, 0, 0, 0, 0)) + 7
    const taller = replaceAt(gif, at, (gif.readUInt16LE(at) + 1) & 255, (gif.readUInt16LE(at) + 1) >> 8)
    assertRefused(taller, 'gif', /too few pixels/)
  }
})

void test('a full code table stays full until a clear code', async () => {
  const random = createRandom(3)
  const codes: [code: number, bits: number][] = [[256, 9]]
  let free = 258
  for (let pixel = 0; pixel < 6000; pixel += 1) {
    // The table grows with every code except the first after a clear code.
    if (pixel > 1) free = Math.min(4096, free + 1)
    codes.push([Math.floor(random() * 256), Math.min(12, 32 - Math.clz32(free))])
  }
  codes.push([257, 12])
  const data = packBits(codes)
  const frame = { width: 100, height: 60, data, literalBits: 8 }
  const gif = makeGif([gifFrame(frame)], 100, 60)
  assert.equal(judge(gif, 'gif'), 'whole')
  await decodeSamples(gif)
  assertRefused(makeGif([gifFrame({ ...frame, height: 61 })], 100, 61), 'gif', /too few pixels/)
})

void test('image data is checked up to the last pixel, not beyond', () => {
  const codes = (...list: readonly number[]): GifFrame => ({ width: 2, height: 1, data: packCodes(list, 3) })
  const frames: Readonly<Record<string, readonly [GifFrame, 'whole' | RegExp]>> = {
    whole: [codes(4, 0, 1, 5), 'whole'],
    'no end code': [codes(4, 0, 1), 'whole'],
    'no clear code at the start': [codes(0, 1, 5), 'whole'],
    'a string, and no clear code at the start': [{ ...codes(1, 6, 5), width: 3 }, 'whole'],
    'a code above the table, and no clear code at the start': [codes(0, 7), /invalid code/],
    'clear codes in a row': [codes(4, 4, 0, 4, 4, 1), 'whole'],
    'pixels too many': [codes(4, 0, 1, 1, 1, 5), 'whole'],
    'an impossible code behind the last pixel': [codes(4, 0, 1, 7, 7), 'whole'],
    'a string that is just being made': [{ ...codes(4, 0, 6, 5), width: 3 }, 'whole'],
    'a pixel too few': [codes(4, 0, 5), /too few pixels/],
    'no pixel': [codes(5), /too few pixels/],
    'no data': [{ width: 2, data: Buffer.alloc(0) }, /too few pixels/],
    'a code above the table': [codes(4, 0, 7), /invalid code/],
    'a string right after a clear code': [codes(4, 6), /invalid code/],
    'a code size of 1': [{ literalBits: 1 }, /code size/],
    'a code size of 12': [{ literalBits: 12 }, /code size/],
  }
  for (const [name, [frame, verdict]] of Object.entries(frames)) {
    const gif = makeGif([gifFrame(frame)])
    if (verdict === 'whole') assert.equal(judge(gif, 'gif'), 'whole', name)
    else assertRefused(gif, 'gif', verdict)
  }
})

void test('every frame is checked, not only the first', () => {
  assertRefused(makeGif([gifFrame(), gifFrame({ pixels: 15 })]), 'gif', /too few pixels/)
})

void test('only the trailer may be missing', () => {
  const gif = makeGif([loop, gifFrame(), gifFrame({ delay: 3 })])
  assert.equal(walk(gif.subarray(0, -1), 'gif').lacksEnd, true)
  assert.deepEqual(stripped(gif.subarray(0, -1)), gif)
  assertRefused(gif.subarray(0, -2), 'gif', /truncated/)
  const frameAt = gif.lastIndexOf(Buffer.of(0x2c, 0))
  assertRefused(gif.subarray(0, frameAt), 'gif', /truncated before a frame/)
})

void test('spare terminators between blocks are dropped; zeros at the end count as truncation', () => {
  const gif = makeGif([gifFrame(), gifFrame()])
  const spare = makeGif([Buffer.alloc(3), gifFrame(), Buffer.alloc(1), gifFrame(), Buffer.alloc(2)])
  assert.deepEqual(stripped(spare), gif)
  assertRefused(Buffer.concat([gif.subarray(0, -1), Buffer.alloc(100)]), 'gif', /unknown block/)
})

const broken: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
  'no picture': [makeGif([comment]), /no image/],
  'no canvas': [makeGif([gifFrame()], 0, 4), /GIF has a width or height of 0/],
  'a version that is none': [replaceAt(makeGif([gifFrame()]), 4, 0x38), /no header/],
  'a cut colour table': [replaceAt(makeGif([]), 10, 0x87), /truncated within its colour table/],
  'something that is no block': [makeGif([Buffer.from('<script>'), gifFrame()]), /unknown block/],
  'a cut comment': [
    Buffer.concat([makeGif([gifFrame()]).subarray(0, -1), comment.subarray(0, 9)]),
    /truncated/,
  ],
  'a graphic control too short': [makeGif([gifExtension(0xf9, Buffer.of(1, 2, 3)), gifFrame()]), /too short/],
  'a frame cut in its descriptor': [
    Buffer.concat([makeGif([]).subarray(0, -1), Buffer.from(',abc')]),
    /truncated/,
  ],
}

for (const [name, [gif, detail]] of Object.entries(broken)) {
  void test(`refused: ${name}`, () => {
    assertRefused(gif, 'gif', detail)
  })
}

void test('too many frames, or frames too large together, are refused while they are counted', () => {
  const tooLarge = (error: unknown): boolean =>
    error instanceof Refusal && error.code === 'image-dimensions-too-large'
  const dot = gifFrame({ width: 1, height: 1 })
  const thousand = Array<Buffer>(1000).fill(dot)
  assert.equal(walk(makeGif(thousand, 1, 1), 'gif').frames, 1000)
  assert.throws(() => walk(makeGif([...thousand, dot], 1, 1), 'gif'), tooLarge)
  // Nothing after the surplus frame is read; it would not be a block.
  assert.throws(() => walk(makeGif([...thousand, dot, Buffer.from('?')], 1, 1), 'gif'), tooLarge)
  const wide = (frames: number): Buffer => makeGif(Array<Buffer>(frames).fill(dot), 2000, 2000)
  assert.equal(walk(wide(33), 'gif').frames, 33)
  assert.throws(() => walk(wide(34), 'gif'), tooLarge)
  const transparent = [...Array<Buffer>(24).fill(dot), gifFrame({ width: 1, height: 1, transparent: true })]
  assert.equal(walk(makeGif(transparent, 2000, 2000), 'gif').frames, 25)
  assert.throws(() => walk(makeGif([...transparent, dot], 2000, 2000), 'gif'), tooLarge)
  const outside = gifFrame({ width: 20_000, height: 20_000, pixels: 1 })
  assert.throws(() => walk(makeGif([outside]), 'gif'), tooLarge)
})
