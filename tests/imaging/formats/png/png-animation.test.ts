// Animated PNG: checks by the parser and of later frames, and that cleaning preserves the animation.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync, inflateSync } from 'node:zlib'
import { Refusal } from '../../../../src/errors.ts'
import { trimPixelData, strip } from '../../../../src/imaging/containers.ts'
import {
  assertRefused,
  greyRows,
  ihdrChunk,
  makePicture,
  makePng,
  pngChunk,
  words,
} from '../../../helpers/containers-fixtures.ts'
import { walk } from '../../../helpers/imaging.ts'

interface Box {
  readonly width?: number
  readonly height?: number
  readonly left?: number
  readonly top?: number
}

const rows = pngChunk('IDAT', greyRows(4, 4))

function actl(frames: number): Buffer {
  return pngChunk('acTL', words([frames, 0]))
}

function fctl(sequence: number, { width = 4, height = 4, left = 0, top = 0 }: Box = {}): Buffer {
  return pngChunk('fcTL', words([sequence, width, height, left, top], [0, 1, 0, 10, 0, 0]))
}

function fdat(sequence: number, data: Uint8Array): Buffer {
  return pngChunk('fdAT', Buffer.concat([words([sequence]), data]))
}

/** Its size lg. */
async function served(png: Uint8Array): Promise<Buffer> {
  return Buffer.from(strip(png, await trimPixelData(png, walk(png, 'png')), 1))
}

const still = makePng(ihdrChunk(), rows)

const small = { width: 2, height: 3, left: 2, top: 1 }
const animation = makePng(
  ihdrChunk(),
  actl(3),
  fctl(0),
  rows,
  fctl(1, small),
  fdat(2, greyRows(2, 3).subarray(0, 5)),
  fdat(3, greyRows(2, 3).subarray(5)),
  fctl(4),
  fdat(5, greyRows(4, 4)),
)

void test('the frames of an animation are counted, and it is served complete, byte for byte', async () => {
  const container = walk(animation, 'png')
  assert.equal(container.frames, 3)
  assert.deepEqual(Buffer.from(strip(animation, container, 1)), animation)
  assert.deepEqual(await served(animation), animation)
  assert.deepEqual(
    await served(Buffer.concat([animation, Buffer.from('a tail that is no chunk')])),
    animation,
  )
  const cut = animation.subarray(0, -9)
  assert.equal(walk(cut, 'png').lacksEnd, true)
  assert.deepEqual(await served(cut), animation)
})

void test('the still image need not be a frame', async () => {
  const png = makePng(ihdrChunk(), actl(1), rows, fctl(0), fdat(1, greyRows(4, 4)))
  const container = walk(png, 'png')
  assert.equal(container.frames, 1)
  assert.deepEqual(await served(png), png)
  const cut = makePng(ihdrChunk(), actl(1), rows, fctl(0), fdat(1, greyRows(4, 4).subarray(0, -1)))
  assert.deepEqual(await served(cut), still)
})

void test('animation chunks without acTL before the image do not make an animation', async () => {
  for (const png of [
    makePng(ihdrChunk(), fctl(0), rows, fctl(7), fdat(3, Buffer.of(1))),
    makePng(ihdrChunk(), rows, actl(1), fctl(0)),
  ]) {
    const container = walk(png, 'png')
    assert.equal(container.frames, 1)
    assert.deepEqual(await served(png), still)
  }
})

void test('a file cut off at an animation frame is refused, not repaired like a missing end', () => {
  const frameStarts = [
    animation.indexOf('fcTL', 90),
    animation.indexOf('fdAT'),
    animation.lastIndexOf('fcTL'),
  ]
  for (const at of [...frameStarts, animation.lastIndexOf('fdAT')]) {
    assertRefused(animation.subarray(0, at - 4), 'png', /missing animation frames/)
  }
})

const malformed: Readonly<Record<string, readonly Buffer[]>> = {
  'no frame': [actl(0), rows, fctl(0), fdat(1, greyRows(4, 4))],
  'fewer frames than declared': [actl(2), fctl(0), rows],
  'more frames than declared': [actl(1), fctl(0), rows, fctl(1), fdat(2, greyRows(4, 4))],
  'acTL twice': [actl(1), actl(1), fctl(0), rows],
  'acTL too long': [pngChunk('acTL', words([1, 0, 0])), fctl(0), rows],
  'fcTL too short': [actl(1), pngChunk('fcTL', words([0, 4, 4, 0, 0])), rows],
  'fdAT without a number': [actl(1), fctl(0), rows, pngChunk('fdAT', 'abc')],
  'a number left out': [actl(2), fctl(0), rows, fctl(2), fdat(3, greyRows(4, 4))],
  'a frame without data': [actl(3), fctl(0), rows, fctl(1), fctl(2), fdat(3, greyRows(4, 4))],
  'data without a frame': [actl(1), rows, fdat(0, greyRows(4, 4)), fctl(1), fdat(2, greyRows(4, 4))],
  'data before the image': [actl(2), fctl(0), fdat(1, greyRows(4, 4)), rows],
  'a frame outside the picture': [actl(2), fctl(0), rows, fctl(1, { left: 1 }), fdat(2, greyRows(4, 4))],
  'a frame below the picture': [actl(2), fctl(0), rows, fctl(1, { top: 1 }), fdat(2, greyRows(4, 4))],
  'a frame of height 0': [actl(2), fctl(0), rows, fctl(1, { height: 0 }), fdat(2, greyRows(4, 4))],
  'a first frame that is not the whole picture': [actl(1), fctl(0, { width: 3 }), rows],
  'a disposal that does not exist': [
    actl(1),
    pngChunk('fcTL', words([0, 4, 4, 0, 0], [0, 1, 0, 10, 3, 0])),
    rows,
  ],
  'a blending that does not exist': [
    actl(1),
    pngChunk('fcTL', words([0, 4, 4, 0, 0], [0, 1, 0, 10, 0, 2])),
    rows,
  ],
}

for (const [name, chunks] of Object.entries(malformed)) {
  void test(`of an animation with ${name} the still image remains`, async () => {
    const png = makePng(ihdrChunk(), ...chunks)
    assert.deepEqual(await served(png), still)
    const { frames } = await trimPixelData(png, walk(png, 'png'))
    assert.equal(frames, 1)
  })
}

void test('if a later frame of an animation is truncated or corrupt, only the still picture is kept', async () => {
  const whole = greyRows(4, 4)
  const wrongChecksum = Buffer.from(whole)
  wrongChecksum[whole.length - 1] = 1 + (whole.at(-1) ?? 0)
  const frames: Readonly<Record<string, Uint8Array>> = {
    'cut by a byte': whole.subarray(0, -1),
    'a wrong checksum': wrongChecksum,
    'a row too few': greyRows(4, 3),
    'no zlib': Buffer.from('no zlib at all'),
  }
  for (const [name, data] of Object.entries(frames)) {
    const last = [fctl(3), fdat(4, whole)]
    const png = makePng(ihdrChunk(), actl(3), fctl(0), rows, fctl(1), fdat(2, data), ...last)
    assert.deepEqual(await served(png), still, name)
  }
})

void test('a frame is served with only its own rows', async () => {
  const whole = greyRows(4, 4)
  const frames: Readonly<Record<string, readonly Uint8Array[]>> = {
    'bytes behind its stream': [Buffer.concat([whole, Buffer.from('secret')])],
    'bytes behind its stream in more chunks': [
      whole.subarray(0, 5),
      whole.subarray(5),
      Buffer.from('secret'),
    ],
    'a row too many': [greyRows(4, 5)],
    'a bomb': [deflateSync(Buffer.concat([Buffer.alloc(20, 100), Buffer.alloc(100_000_000)]))],
  }
  for (const [name, parts] of Object.entries(frames)) {
    const numbered = parts.map((data, index) => fdat(2 + index, data))
    const after = 2 + parts.length
    const last = [fctl(after), fdat(after + 1, whole)]
    const png = makePng(ihdrChunk(), actl(3), fctl(0), rows, fctl(1), ...numbered, ...last)
    const clean = await served(png)
    assert.equal(walk(clean, 'png').frames, 3, name)
    assert.deepEqual(await served(clean), clean, name)
    assert.ok(!clean.includes('secret'), name)
    const chunkAt = clean.indexOf('fdAT')
    const data = clean.subarray(chunkAt + 8, chunkAt + 4 + clean.readUInt32BE(chunkAt - 4))
    assert.equal(inflateSync(data).length, 20, name)
    // Numbered without gaps, with the last frame unchanged.
    assert.ok(clean.subarray(clean.lastIndexOf('fdAT')).includes(whole), name)
  }
})

void test('the frame size is right for every colour type and depth', async () => {
  const samples = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
  const depths = { 0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16] }
  const box = { width: 5, height: 3 }
  for (const colourType of [0, 2, 3, 4, 6] as const) {
    for (const bitDepth of depths[colourType]) {
      const rowBytes = 1 + Math.ceil((5 * samples[colourType] * bitDepth) / 8)
      const data = deflateSync(Buffer.alloc(3 * rowBytes))
      const header = ihdrChunk({ ...box, bitDepth, colourType })
      const still = [...(colourType === 3 ? [pngChunk('PLTE', Buffer.alloc(3))] : []), pngChunk('IDAT', data)]
      const png = makePng(header, actl(2), fctl(0, box), ...still, fctl(1, box), fdat(2, data))
      assert.equal((await trimPixelData(png, walk(png, 'png'))).frames, 2)
    }
  }
})

void test('the size of an interlaced frame counts its seven passes', async () => {
  const sides = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 18]
  for (const width of sides) {
    for (const height of sides) {
      const png = await makePicture(width, height).png({ progressive: true }).toBuffer()
      const at = png.indexOf('IDAT')
      const data = png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4))
      const header = ihdrChunk({ width, height, colourType: 2, interlacing: 1 })
      const box = { width, height }
      const first = pngChunk('IDAT', data)
      const animated = makePng(header, actl(2), fctl(0, box), first, fctl(1, box), fdat(2, data))
      assert.equal((await trimPixelData(animated, walk(animated, 'png'))).frames, 2)
    }
  }
})

void test('too many frames are refused at acTL, and so are too many bytes', () => {
  const tooLarge = (error: unknown): boolean =>
    error instanceof Refusal && error.code === 'image-dimensions-too-large'
  assert.throws(() => walk(makePng(ihdrChunk(), actl(1001)), 'png'), tooLarge)
  const header = ihdrChunk({ width: 10_000, height: 10_000, colourType: 2 })
  assert.throws(() => walk(makePng(header, actl(2)), 'png'), tooLarge)
  // Transparency, which may follow acTL, adds a fourth channel.
  const large = ihdrChunk({ width: 10_000, height: 5001, colourType: 2 })
  const transparent = pngChunk('tRNS', Buffer.alloc(6))
  const chunks = [
    actl(2),
    transparent,
    fctl(0, { width: 10_000, height: 5001 }),
    rows,
    fctl(1),
    fdat(2, rows),
  ]
  assert.throws(() => walk(makePng(large, ...chunks), 'png'), tooLarge)
})
