// Twenty small generated images of every accepted kind, containing words that must never be served.
import assert from 'node:assert/strict'
import { deflateSync } from 'node:zlib'
import { findFixture } from '../helpers/bmp-fixtures.ts'
import {
  gifApplication,
  gifExtension,
  gifFrame,
  greyRows,
  ihdrChunk,
  insertAt,
  makeGif,
  makePicture,
  makePng,
  pngChunk,
  subBlocks,
  words,
  xmpTrailer,
} from '../helpers/containers-fixtures.ts'
import {
  buildPrivateExif,
  buildXmp,
  commentSegment,
  exifSegment,
  insertSegments,
  xmpSegment,
} from '../helpers/exif-fixtures.ts'
import { isImageFormat, type ImageFormat } from '../../src/shared/formats/image-formats.ts'

/** Part of every word hidden in a seed's metadata. */
export const canary = 'CANARY'

export interface Seed {
  readonly name: string
  readonly type: ImageFormat
  readonly bytes: Buffer
}

const exif = buildPrivateExif({
  position: { lat: 45.5231, lon: -122.6765 },
  orientation: 6,
  ownerName: `${canary}-owner`,
  serialNumber: `${canary}-serial`,
  comment: `${canary}-comment`,
})
const xmp = buildXmp('45,31.386N', '122,40.59W').replace(
  '<?xpacket end',
  `<!-- ${canary}-xmp --><?xpacket end`,
)
const hidden = `${canary}-text`

function jpegWithMetadata(jpeg: Buffer): Buffer {
  return insertSegments(jpeg, [exifSegment(exif), xmpSegment(xmp), commentSegment(hidden)])
}

const afterHeader = 8 + 25

function pngWithMetadata(png: Buffer): Buffer {
  const iTXt = Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0\0\0\0'), Buffer.from(xmp)])
  const zTXt = Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(hidden)])
  const chunks = [
    pngChunk('eXIf', exif),
    pngChunk('tEXt', `Author\0${hidden}`),
    pngChunk('zTXt', zTXt),
    pngChunk('iTXt', iTXt),
  ]
  return insertAt(png, afterHeader, ...chunks)
}

function animatedPng(): Buffer {
  const fctl = (sequence: number, box: readonly [number, number, number, number]): Buffer =>
    pngChunk('fcTL', words([sequence, ...box], [0, 1, 0, 10, 0, 0]))
  const fdat = (sequence: number, data: Uint8Array): Buffer =>
    pngChunk('fdAT', Buffer.concat([words([sequence]), data]))
  return makePng(
    ihdrChunk({ width: 8, height: 8 }),
    pngChunk('acTL', words([3, 0])),
    fctl(0, [8, 8, 0, 0]),
    pngChunk('IDAT', greyRows(8, 8)),
    fctl(1, [4, 4, 2, 2]),
    fdat(2, greyRows(4, 4, 40).subarray(0, 6)),
    fdat(3, greyRows(4, 4, 40).subarray(6)),
    fctl(4, [8, 8, 0, 0]),
    fdat(5, greyRows(8, 8, 200)),
  )
}

function animatedGif(): Buffer {
  const loop = gifApplication('NETSCAPE2.0', subBlocks(Buffer.of(1, 0, 0)))
  const comment = gifExtension(0xfe, Buffer.from(hidden))
  const packet = gifApplication('XMP DataXMP', Buffer.concat([Buffer.from(xmp), xmpTrailer]))
  const frames = [
    gifFrame({ width: 12, height: 10, delay: 5 }),
    gifFrame({ left: 3, top: 2, width: 6, height: 5, transparent: true, delay: 5 }),
    gifFrame({ width: 12, height: 10, transparent: true, delay: 5 }),
  ]
  return makeGif([loop, comment, packet, ...frames], 12, 10)
}

const bmp = (name: string): Buffer => Buffer.from(findFixture(name).bytes)

/** Generated for each call, since a test may modify them. */
export async function makeSeeds(): Promise<Seed[]> {
  const rgb = makePicture(48, 32)
  const rgba = makePicture(24, 16, 4)
  const grey = makePicture(40, 24, 1)
  const jpeg = async (options: Parameters<typeof rgb.jpeg>[0]) =>
    jpegWithMetadata(await rgb.clone().jpeg(options).toBuffer())
  const png = async (picture: typeof rgb, options: Parameters<typeof rgb.png>[0] = {}) =>
    pngWithMetadata(await picture.clone().png(options).toBuffer())
  const grey1 = makePng(
    ihdrChunk({ width: 20, height: 9, bitDepth: 1 }),
    pngChunk('IDAT', deflateSync(Buffer.alloc(9 * 4, 0b0011_0101).map((value, at) => (at % 4 ? value : 0)))),
  )
  // By format, so that the compiler requires seeds for a new format.
  const seeds: Readonly<Record<ImageFormat, readonly (readonly [string, Buffer])[]>> = {
    jpeg: [
      ['baseline, 4:2:0', await jpeg({ quality: 60 })],
      ['baseline, 4:4:4', await jpeg({ quality: 60, chromaSubsampling: '4:4:4' })],
      ['progressive', await jpeg({ quality: 60, progressive: true })],
      ['grey', jpegWithMetadata(await grey.clone().jpeg().toBuffer())],
      [
        'CMYK',
        jpegWithMetadata(await makePicture(16, 16).toColourspace('cmyk').jpeg({ quality: 40 }).toBuffer()),
      ],
      ['with a profile', jpegWithMetadata(await rgb.clone().withIccProfile('p3').jpeg().toBuffer())],
    ],
    png: [
      ['RGB', await png(rgb)],
      ['RGBA, interlaced', await png(rgba, { progressive: true })],
      ['palette', await png(rgba, { palette: true, colours: 16 })],
      ['16 bits', await png(makePicture(16, 12).toColourspace('rgb16'))],
      ['grey, 1 bit', pngWithMetadata(grey1)],
      ['animated', pngWithMetadata(animatedPng())],
    ],
    gif: [
      ['still', await rgb.clone().gif({ colours: 16 }).toBuffer()],
      ['animated', animatedGif()],
      ['interlaced', await rgb.clone().gif({ colours: 8, progressive: true }).toBuffer()],
    ],
    bmp: [
      ['24 bits', bmp('24 bits')],
      ['8 bits, RLE', bmp('RLE8')],
      ['4 bits, RLE', bmp('RLE4, skipped pixels')],
      ['32 bits with alpha', bmp('32 bits with alpha')],
      ['OS/2 1, 8 bits', bmp('OS/2 1, short palette')],
    ],
  }
  return Object.entries(seeds).flatMap(([type, ofType]) =>
    ofType.map(([name, bytes]) => {
      assert.ok(isImageFormat(type))
      return { type, name: `${type}: ${name}`, bytes }
    }),
  )
}
