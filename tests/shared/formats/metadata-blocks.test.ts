// What browser, command line and SDK read of a photo before it is sent is what the server reads of it (contract C42, C55).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { standardLimits } from '../../../src/imaging/image-limits.ts'
import { readMetadata } from '../../../src/imaging/inspect.ts'
import { join, writeBox, writeFullBox, writeNumber } from '../../../src/imaging/formats/heif/heif-boxes.ts'
import { uploadFormatOf } from '../../../src/shared/formats/converted-formats.ts'
import { positionFrom } from '../../../src/shared/formats/gps.ts'
import { metadataBlocks } from '../../../src/shared/formats/metadata-blocks.ts'
import { buildTiff, gpsEntries } from '../../helpers/exif-fixtures.ts'
import { coded, makeHeif, tinyHeic } from '../../helpers/heif-fixtures.ts'

const picture = coded(tinyHeic)
const tiffAt = (lat: number, lon: number): Uint8Array => buildTiff({ gps: gpsEntries(lat, lon) })
const itemAt = (lat: number, lon: number): Uint8Array => join(writeNumber(0, 4), tiffAt(lat, lon))
const here = itemAt(47.37, 8.54)
const elsewhere = itemAt(10, 20)

const text = (value: string): Uint8Array => Buffer.from(value, 'latin1')
const two = (...values: readonly number[]): Uint8Array =>
  join(...values.map((value) => writeNumber(value, 2)))

/** Its EXIF lies in the box idat, in two pieces. */
function heicWithIdat(): Uint8Array {
  const boxes = picture.properties.map(({ box }) => box)
  const numbers = boxes.map((_, index) => index + 1)
  const half = 20
  const meta = (at: number): Uint8Array =>
    writeFullBox(
      'meta',
      0,
      0,
      writeFullBox('hdlr', 0, 0, text(`\0\0\0\0pict${'\0'.repeat(13)}`)),
      writeFullBox('pitm', 0, 0, two(1)),
      writeFullBox(
        'iinf',
        0,
        0,
        two(2),
        writeFullBox('infe', 2, 0, two(1, 0), text('hvc1\0')),
        writeFullBox('infe', 2, 0, two(2, 0), text('Exif\0')),
      ),
      writeBox(
        'iprp',
        writeBox('ipco', ...boxes),
        writeFullBox('ipma', 0, 1, writeNumber(1, 4), two(1), writeNumber(boxes.length, 1), two(...numbers)),
      ),
      writeBox('idat', here),
      writeFullBox(
        'iloc',
        1,
        0,
        two(0x4400, 2),
        two(1, 0, 0, 1),
        ...[at, picture.data.length].map((value) => writeNumber(value, 4)),
        two(2, 1, 0, 2),
        ...[0, half, half, here.length - half].map((value) => writeNumber(value, 4)),
      ),
    )
  const type = writeBox('ftyp', text('heic\0\0\0\0mif1heic'))
  return join(type, meta(type.length + meta(0).length + 8), writeBox('mdat', picture.data))
}

const describing = (from: number, to: number) => ({ type: 'cdsc', from, to: [to] })

const webp = await sharp({ create: { width: 30, height: 20, channels: 3, background: 'red' } })
  .webp()
  .toBuffer()
const chunk = (tiff: Uint8Array): Uint8Array => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(tiff.length)
  return join(text('EXIF'), length, tiff)
}

const files: readonly (readonly [string, Uint8Array, string | undefined])[] = [
  ['no metadata', tinyHeic, undefined],
  [
    'the EXIF of the picture',
    makeHeif([picture, { type: 'Exif', data: here }], { references: [describing(2, 1)] }),
    '47.37',
  ],
  ['an EXIF that describes the file', makeHeif([picture, { type: 'Exif', data: here }]), '47.37'],
  [
    'the EXIF of another picture before it',
    makeHeif([picture, { type: 'Exif', data: elsewhere }, picture, { type: 'Exif', data: here }], {
      references: [describing(2, 3), describing(4, 1)],
    }),
    '47.37',
  ],
  ['an EXIF in two pieces in idat', heicWithIdat(), '47.37'],
  ['a WebP with an EXIF behind its end', join(webp, chunk(tiffAt(10, 20))), undefined],
]

for (const [name, file, lat] of files)
  void test(`both readers find the same position: ${name}`, async () => {
    const format = uploadFormatOf(file)
    assert.ok(format)
    const { position } = readMetadata(file, standardLimits)
    assert.deepEqual(positionFrom(await metadataBlocks(file, format)), position)
    assert.equal(position === undefined ? undefined : String(Number(position.lat)), lat)
  })
