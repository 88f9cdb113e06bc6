// Why a photo has no position: each kind told from the others, and none of them for a photo that has one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { positionFrom } from '../../../src/shared/formats/gps.ts'
import type { MetadataBlock } from '../../../src/shared/formats/metadata-block.ts'
import { missingPosition, type MissingPosition } from '../../../src/shared/formats/missing-position.ts'
import { ascii, buildTiff, buildXmp, rationals, tags, wrapXmp } from '../../helpers/exif-fixtures.ts'
import { buildGps, exif, xmp, type GpsCase, type Parts } from '../../helpers/gps-cases.ts'

const blank: Parts = [
  [0, 0],
  [0, 0],
  [0, 0],
]
const zero: Parts = [
  [0, 1],
  [0, 1],
  [0, 1],
]
const gps = (values: GpsCase): MetadataBlock => exif(buildGps(values))
const withoutGps = exif(buildTiff({ main: [ascii(0x010f, 'Waymark')] }))
const emptyGps = exif(buildTiff({ gps: [ascii(0x001d, '2026:05:14')] }))
const oneAxis = exif(
  buildTiff({ gps: [ascii(tags.latitudeReference, 'N'), rationals(tags.latitude, [50, 1])] }),
)
const goodPacket = xmp(buildXmp('50,17.976167N', '14,49.2176667E'))
const zeroedPacket = xmp(buildXmp('\0\0\0\0\0', '\0\0\0\0\0'))
const halfPacket = xmp(wrapXmp('<rdf:Description exif:GPSLatitude="50,17.97N"/>'))
const otherPacket = xmp(wrapXmp('<rdf:Description exif:ISOSpeedRatings="100"/>'))

const cases: readonly (readonly [string, readonly MetadataBlock[], MissingPosition | undefined])[] = [
  ['no metadata at all', [], 'no-block'],
  ['EXIF without a GPS block', [withoutGps], 'no-block'],
  ['XMP that speaks of something else', [withoutGps, otherPacket], 'no-block'],
  ['bytes that are no EXIF', [exif(Buffer.from('II but no more'))], 'no-block'],
  ['a GPS block with nothing but a date', [emptyGps], 'empty-block'],
  ['a GPS block with one axis', [oneAxis], 'empty-block'],
  ['zeros with letters', [gps({ lat: zero, lon: zero })], 'zeros'],
  ['zeros without letters', [gps({ lat: zero, lon: zero, latRef: undefined, lonRef: undefined })], 'zeros'],
  ['no letter for latitude', [gps({ latRef: undefined })], 'no-letters'],
  ['no letter for longitude', [gps({ lonRef: undefined })], 'no-letters'],
  ['a letter that is blank', [gps({ latRef: '' })], 'no-letters'],
  // What Android's MediaProvider leaves: every byte of the values and of the letters is zero.
  ['values and letters blanked', [gps({ lat: blank, lon: blank, latRef: '', lonRef: '' })], 'not-a-number'],
  ['one axis blanked', [gps({ lon: blank })], 'not-a-number'],
  ['values blanked, beside XMP that is not believed', [gps({ lat: blank }), goodPacket], 'not-a-number'],
  ['EXIF without GPS, XMP blanked', [withoutGps, zeroedPacket], 'xmp-only'],
  ['XMP with one axis', [halfPacket], 'xmp-only'],
  ['an empty GPS block beside XMP with one axis', [emptyGps, halfPacket], 'xmp-only'],
  ['91 degrees', [gps({ lat: [[91, 1]] })], 'invalid'],
  ['the letter of the other axis', [gps({ latRef: 'E' })], 'invalid'],
  ['a position', [gps({})], undefined],
  ['one axis of zero, which is a place', [gps({ lat: zero })], undefined],
  ['a position in XMP', [withoutGps, goodPacket], undefined],
  ['a position in the second EXIF block', [emptyGps, gps({})], undefined],
]

void test('each kind of missing position is distinguished from the others', async (t) => {
  for (const [name, blocks, expected] of cases) {
    await t.test(name, () => {
      assert.equal(missingPosition(blocks), expected)
      assert.equal(positionFrom(blocks) === undefined, expected !== undefined)
    })
  }
})
