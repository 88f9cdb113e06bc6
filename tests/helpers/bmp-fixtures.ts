// BMP files of every kind found in practice, with the pixels that each must decode to.
import { makeBmp, makeProfile, packRows } from './bmp-builder.ts'
import type { BmpRecipe } from './bmp-builder.ts'

export interface BmpFixture {
  readonly name: string
  readonly recipe: BmpRecipe
  readonly bytes: Uint8Array
  readonly channels: 3 | 4
  /** RGB or RGBA, top row first. */
  readonly data: Uint8Array
}

/** Odd, so that rows of every bit depth except 32 need padding. */
export const fixtureWidth = 7
export const fixtureHeight = 5

type Pixel = readonly number[]

interface Shape {
  readonly headerBytes: number
  readonly height?: number
  readonly compression?: number
  readonly masks?: readonly number[]
  readonly palette?: readonly number[]
  readonly gap?: Uint8Array
  readonly fields?: Readonly<Record<number, number>>
}

/** 0xrrggbb entries, all different. */
export function makePalette(count: number): number[] {
  return Array.from({ length: count }, (_, index) => (index * 0x01_3b_65 + 0x20_90_10) % 0x1000000)
}

export const bmpFixtures: readonly BmpFixture[] = [
  indexed('1 bit', 1, { headerBytes: 40, palette: makePalette(2) }),
  indexed('1 bit, one colour', 1, { headerBytes: 40, palette: makePalette(1) }),
  indexed('2 bits', 2, { headerBytes: 40, palette: makePalette(4) }),
  indexed('4 bits, 12 colours', 4, { headerBytes: 40, palette: makePalette(12) }),
  indexed('8 bits, 252 colours', 8, { headerBytes: 40, palette: makePalette(252) }),
  indexed('8 bits, every field 0 that may be', 8, {
    headerBytes: 40,
    palette: makePalette(256),
    fields: { 34: 0, 46: 0 },
  }),
  indexed('8 bits, gap before the pixels', 8, {
    headerBytes: 40,
    palette: makePalette(20),
    gap: new Uint8Array(101),
  }),
  indexed('8 bits, 300 colours', 8, { headerBytes: 40, palette: makePalette(300) }),
  indexed('8 bits, top row first', 8, { headerBytes: 40, height: -5, palette: makePalette(9) }),
  indexed('8 bits, version 4', 8, { headerBytes: 108, palette: makePalette(9) }),
  indexed('8 bits, version 5', 8, { headerBytes: 124, palette: makePalette(9), fields: { 70: 0x73524742 } }),
  indexed('OS/2 1, 1 bit', 1, { headerBytes: 12, palette: makePalette(2) }),
  indexed('OS/2 1, 8 bits', 8, { headerBytes: 12, palette: makePalette(256) }),
  indexed('OS/2 1, short palette', 8, { headerBytes: 12, palette: makePalette(11) }),
  indexed('OS/2 2', 8, { headerBytes: 64, palette: makePalette(256) }),
  indexed('OS/2 2, 16 bytes', 4, { headerBytes: 16, palette: makePalette(16) }),
  indexed('OS/2 2, file size that of the headers', 8, {
    headerBytes: 64,
    palette: makePalette(256),
    fields: { 2: 78 },
  }),

  masked('16 bits', 16, [0x7c00, 0x3e0, 0x1f], { headerBytes: 40 }),
  masked('16 bits, top row first', 16, [0x7c00, 0x3e0, 0x1f], { headerBytes: 40, height: -5 }),
  masked('16 bits, masks of the default', 16, [0x7c00, 0x3e0, 0x1f], { headerBytes: 40, compression: 3 }),
  masked('16 bits, 5-6-5', 16, [0xf800, 0x7e0, 0x1f], { headerBytes: 40, compression: 3 }),
  masked('16 bits, 2-3-1', 16, [0x30, 0xe, 0x1], { headerBytes: 40, compression: 3 }),
  masked('16 bits, 3-10-3', 16, [0xe000, 0x1ff8, 0x7], { headerBytes: 40, compression: 3 }),
  masked('16 bits, 8-8-0', 16, [0xff00, 0xff, 0], { headerBytes: 40, compression: 3 }),
  masked('16 bits, alpha mask of 32', 16, [0xf800, 0x7e0, 0x1f], {
    headerBytes: 108,
    compression: 3,
    fields: { 66: 0xff000000 },
  }),
  masked('16 bits with alpha, 4-4-4-4', 16, [0xf00, 0xf0, 0xf, 0xf000], { headerBytes: 124, compression: 3 }),
  masked('16 bits with alpha, 5-5-5-1', 16, [0x7c00, 0x3e0, 0x1f, 0x8000], {
    headerBytes: 124,
    compression: 3,
  }),
  masked('16 bits with alpha, 1-9-2-4', 16, [0x1, 0x3fe, 0xc00, 0xf000], {
    headerBytes: 124,
    compression: 3,
  }),

  masked('24 bits', 24, [0xff0000, 0xff00, 0xff], { headerBytes: 40 }),
  masked('24 bits, OS/2 1', 24, [0xff0000, 0xff00, 0xff], { headerBytes: 12 }),
  masked('24 bits, top row first', 24, [0xff0000, 0xff00, 0xff], { headerBytes: 40, height: -5 }),
  masked('24 bits, 300 colours', 24, [0xff0000, 0xff00, 0xff], {
    headerBytes: 40,
    palette: makePalette(300),
  }),
  masked('24 bits, colours claimed', 24, [0xff0000, 0xff00, 0xff], {
    headerBytes: 40,
    fields: { 46: 0x1000000 },
  }),

  masked('32 bits', 32, [0xff0000, 0xff00, 0xff], { headerBytes: 40 }),
  masked('32 bits, masks', 32, [0xff00000, 0xff000, 0xff], { headerBytes: 40, compression: 3 }),
  masked('32 bits, 52-byte header', 32, [0xff, 0xff00, 0xff0000], { headerBytes: 52, compression: 3 }),
  masked('32 bits, 11-11-10', 32, [0xffe00000, 0x1ffc00, 0x3ff], { headerBytes: 40, compression: 3 }),
  masked('32 bits, 7-18-7', 32, [0xfe000000, 0x1ffff80, 0x7f], { headerBytes: 40, compression: 3 }),
  masked('32 bits with alpha', 32, [0xff00, 0xff0000, 0xff000000, 0xff], {
    headerBytes: 124,
    compression: 3,
  }),
  masked('32 bits with alpha, version 4', 32, [0xff0000, 0xff00, 0xff, 0xff000000], {
    headerBytes: 108,
    compression: 3,
  }),
  masked('32 bits with alpha, 56-byte header', 32, [0xff00, 0xff0000, 0xff000000, 0xff], {
    headerBytes: 56,
    compression: 3,
  }),
  masked('32 bits with alpha, 40-byte header', 32, [0xff00, 0xff0000, 0xff000000, 0xff], {
    headerBytes: 40,
    compression: 6,
  }),
  masked('32 bits with alpha, 10-10-10-2', 32, [0x3ff, 0xffc00, 0x3ff00000, 0xc0000000], {
    headerBytes: 124,
    compression: 3,
  }),
  masked('32 bits with alpha, 8-12-8-4', 32, [0xff, 0xfff00, 0xff00000, 0xf0000000], {
    headerBytes: 124,
    compression: 3,
  }),
  masked('32 bits with alpha, 6-17-5-4', 32, [0x3f, 0x7fffc0, 0xf800000, 0xf0000000], {
    headerBytes: 124,
    compression: 3,
  }),

  rle('RLE8', 8, rle8Stream(), ['1234567', '5432100', '8889999', '1234566', '1111111']),
  rle('RLE4', 4, rle4Stream(), ['1234567', '5432100', '8889999', '1234566', '1212121']),
  rle('RLE8, skipped pixels', 8, skippingStream(3, 3), [
    '.......',
    '333....',
    '.......',
    '..33...',
    '33.....',
  ]),
  rle('RLE4, skipped pixels', 4, skippingStream(3, 0x33), [
    '.......',
    '333....',
    '.......',
    '..33...',
    '33.....',
  ]),
  rle('RLE8, nothing but its end', 8, [0, 1], ['.......', '.......', '.......', '.......', '.......']),
  rle(
    'RLE8, ended by a delta',
    8,
    [7, 1, 0, 2, 0, 5, 0, 1],
    ['.......', '.......', '.......', '.......', '1111111'],
  ),

  profiled('24 bits with an ICC profile', { gap: new Uint8Array(0), profileAt: 'end' }),
  profiled('24 bits with an ICC profile before the pixels', { gap: makeProfile(), profileAt: 'gap' }),
]

export function findFixture(name: string): BmpFixture {
  const fixture = bmpFixtures.find((candidate) => candidate.name === name)
  if (fixture === undefined) throw new Error(`no BMP fixture is called ${name}`)
  return fixture
}

function indexed(name: string, bits: number, shape: Shape): BmpFixture {
  const colours = shape.palette ?? []
  const usable = Math.min(colours.length, 2 ** bits)
  const indexAt = (x: number, y: number): number => (x * 5 + y * 3 + (y === 0 ? usable - 1 : 0)) % usable
  return plain(name, bits, {
    shape,
    valueAt: indexAt,
    pixelAt: (x, y) => splitColour(colours[indexAt(x, y)]),
  })
}

/** Rounds with integers, independently of the decoder. Bits outside all masks are set, since they must be ignored. */
function masked(name: string, bits: number, masks: readonly number[], shape: Shape): BmpFixture {
  const places = masks.map((mask) => {
    const unit = mask === 0 ? 1 : 2 ** (31 - Math.clz32(mask & -mask))
    return { unit, highest: (mask >>> 0) / unit }
  })
  const unused = 2 ** bits - 1 - masks.reduce((sum, mask) => sum + mask, 0)
  const rawAt = (x: number, y: number): number[] =>
    places.map(({ highest }, channel) => {
      if (x === 0) return highest
      return (x * 40_503 + y * 60_493 + (channel + 1) * 30_011 * (y + 3)) % (highest + 1)
    })
  return plain(name, bits, {
    shape: shape.compression === undefined ? shape : { ...shape, masks },
    valueAt: (x, y) =>
      rawAt(x, y).reduce((sum, raw, channel) => sum + raw * (places[channel]?.unit ?? 0), unused),
    pixelAt: (x, y) =>
      rawAt(x, y).map((raw, channel) => {
        const highest = places[channel]?.highest ?? 0
        return highest === 0 ? 0 : Math.floor((raw * 510 + highest) / (2 * highest))
      }),
  })
}

function plain(
  name: string,
  bits: number,
  picture: {
    shape: Shape
    valueAt: (x: number, y: number) => number
    pixelAt: (x: number, y: number) => Pixel
  },
): BmpFixture {
  const { height = fixtureHeight, ...shape } = picture.shape
  const pixels = packRows({ width: fixtureWidth, height, bits }, picture.valueAt)
  const recipe = { ...shape, width: fixtureWidth, height, bits, pixels }
  const data: number[] = []
  for (let y = 0; y < fixtureHeight; y += 1) {
    for (let x = 0; x < fixtureWidth; x += 1) data.push(...picture.pixelAt(x, y))
  }
  return finish(name, recipe, data)
}

function finish(name: string, recipe: BmpRecipe, data: readonly number[]): BmpFixture {
  const channels = data.length === fixtureWidth * fixtureHeight * 4 ? 4 : 3
  return { name, recipe, bytes: makeBmp(recipe), channels, data: Uint8Array.from(data) }
}

/** `rows` from the top: a digit is a palette index, a dot a pixel that the stream skips. */
function rle(name: string, bits: 4 | 8, stream: readonly number[], rows: readonly string[]): BmpFixture {
  const palette = makePalette(10)
  const signs = rows.join('').split('')
  const isWhole = !signs.includes('.')
  const data = signs.flatMap((sign) => {
    if (sign === '.') return [0, 0, 0, 0]
    const colour = splitColour(palette[Number(sign)])
    return isWhole ? colour : colour.concat(255)
  })
  const recipe = { headerBytes: 40, bits, compression: bits === 8 ? 1 : 2, palette }
  const sides = { width: fixtureWidth, height: fixtureHeight }
  return finish(name, { ...recipe, ...sides, pixels: Uint8Array.from(stream) }, data)
}

function rle8Stream(): number[] {
  const bottom = [7, 1, 0, 0, 0, 5, 1, 2, 3, 4, 5, 0, 2, 6, 0, 0]
  return [...bottom, 3, 8, 4, 9, 0, 0, 0, 6, 5, 4, 3, 2, 1, 0, 1, 0, 0, 0, 0, 7, 1, 2, 3, 4, 5, 6, 7, 0, 0, 1]
}

function rle4Stream(): number[] {
  const bottom = [7, 0x12, 0, 0, 0, 5, 0x12, 0x34, 0x50, 0, 2, 0x66, 0, 0, 3, 0x88, 4, 0x99, 0, 0]
  return [...bottom, 0, 6, 0x54, 0x32, 0x10, 0, 1, 0, 0, 0, 0, 7, 0x12, 0x34, 0x56, 0x70, 0, 1]
}

/** An early end of line, a delta within a row, a delta across a row, and an early end of the stream. */
function skippingStream(third: number, colour: number): number[] {
  return [2, colour, 0, 0, 0, 2, 2, 0, 2, colour, 0, 0, 0, 2, 0, 1, third, colour, 0, 0, 0, 1]
}

function profiled(
  name: string,
  { gap, profileAt }: { gap: Uint8Array; profileAt: 'gap' | 'end' },
): BmpFixture {
  const base = masked(name, 24, [0xff0000, 0xff00, 0xff], { headerBytes: 124, gap })
  const profile = makeProfile()
  const start = 124 + (profileAt === 'end' ? base.recipe.pixels.length : 0)
  const fields = { 70: 0x4d424544, 126: start, 130: profile.length }
  const tail = profileAt === 'end' ? profile : new Uint8Array(0)
  return finish(name, { ...base.recipe, tail, fields }, [...base.data])
}

function splitColour(colour: number | undefined): number[] {
  if (colour === undefined) throw new Error('the fixture points past its own palette')
  return [colour >>> 16, (colour >>> 8) & 255, colour & 255]
}
