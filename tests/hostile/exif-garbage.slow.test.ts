// Broken metadata never fails an upload, and never gives an invalid position (trust 29, C16).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { examine } from '../../src/imaging/examine.ts'
import { standardLimits } from '../../src/imaging/image-limits.ts'
import type { Position } from '../../src/shared/formats/gps.ts'
import { jpegSegment, makeGreyPng, pngChunk } from '../helpers/containers-fixtures.ts'
import {
  ascii,
  buildPrivateExif,
  buildTiff,
  buildXmp,
  insertSegments,
  rationals,
  tags,
  tiffTypes,
} from '../helpers/exif-fixtures.ts'
import { jpegPicture } from '../helpers/pictures.ts'

const jpeg = await jpegPicture({ width: 16, height: 8 })

async function positionOf(bytes: Uint8Array): Promise<Position | undefined> {
  const outcome = await examine(bytes, standardLimits)
  assert.ok(outcome.ok)
  return outcome.examined.position
}

function assertPlace(position: Position | undefined): void {
  if (position === undefined) return
  assert.match(`${position.lat} ${position.lon}`, /^-?\d{1,2}(\.\d{1,7})? -?\d{1,3}(\.\d{1,7})?$/)
  assert.ok(Math.abs(Number(position.lat)) <= 90 && Math.abs(Number(position.lon)) <= 180)
}

const good = buildPrivateExif({
  position: { lat: 45.5231, lon: -122.6765 },
  orientation: 6,
  comment: 'x'.repeat(40),
})
const packet = Buffer.from(buildXmp('45,31.386N', '122,40.59W'))

const damaged = (block: Buffer): fc.Arbitrary<Buffer> =>
  fc
    .record({
      changes: fc.array(
        fc.tuple(fc.nat(block.length - 1), fc.constantFrom(0, 1, 2, 0x7f, 0x80, 0xfe, 0xff)),
        { maxLength: 8 },
      ),
      length: fc.oneof(fc.constant(block.length), fc.nat(block.length)),
    })
    .map(({ changes, length }) => {
      const changed = Buffer.from(block)
      for (const [at, value] of changes) changed[at] = value
      return changed.subarray(0, length)
    })

const exifBlock = fc.oneof(
  damaged(good),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.concat([Buffer.from('II*\0'), bytes])),
)

void test('trust 29: EXIF and XMP damaged anywhere, in a JPEG and in a PNG, never make the upload fail', async () => {
  await fc.assert(
    fc.asyncProperty(exifBlock, damaged(packet), async (exif, xmp) => {
      const inJpeg = insertSegments(jpeg, [
        jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), exif])),
        jpegSegment(0xe1, Buffer.concat([Buffer.from('http://ns.adobe.com/xap/1.0/\0'), xmp])),
      ])
      const iTXt = pngChunk('iTXt', Buffer.concat([Buffer.from('XML:com.adobe.xmp\0\0\0\0\0'), xmp]))
      assertPlace(await positionOf(inJpeg))
      assertPlace(await positionOf(makeGreyPng([pngChunk('eXIf', exif), iTXt])))
    }),
    { numRuns: 60 },
  )
})

type Rational = readonly [number, number]
const senseless: readonly (readonly [
  why: string,
  latitude: readonly Rational[],
  longitude: readonly Rational[],
  references: string,
])[] = [
  [
    '0/0',
    [
      [0, 0],
      [0, 0],
      [0, 0],
    ],
    [
      [0, 0],
      [0, 0],
      [0, 0],
    ],
    'NE',
  ],
  [
    '1/0',
    [
      [1, 0],
      [0, 1],
      [0, 1],
    ],
    [
      [1, 1],
      [0, 1],
      [0, 1],
    ],
    'NE',
  ],
  [
    'both zero',
    [
      [0, 1],
      [0, 1],
      [0, 1],
    ],
    [
      [0, 1],
      [0, 1],
      [0, 1],
    ],
    'NE',
  ],
  [
    '200 degrees',
    [
      [200, 1],
      [0, 1],
      [0, 1],
    ],
    [
      [10, 1],
      [0, 1],
      [0, 1],
    ],
    'NE',
  ],
  [
    '90 degrees and a second',
    [
      [90, 1],
      [0, 1],
      [1, 1],
    ],
    [
      [10, 1],
      [0, 1],
      [0, 1],
    ],
    'NE',
  ],
  [
    '181 degrees',
    [
      [10, 1],
      [0, 1],
      [0, 1],
    ],
    [
      [181, 1],
      [0, 1],
      [0, 1],
    ],
    'NE',
  ],
  [
    '4294967295 degrees',
    [
      [0xffff_ffff, 1],
      [0, 1],
      [0, 1],
    ],
    [
      [10, 1],
      [0, 1],
      [0, 1],
    ],
    'NE',
  ],
  [
    '61 minutes',
    [
      [10, 1],
      [61, 1],
      [0, 1],
    ],
    [
      [10, 1],
      [0, 1],
      [0, 1],
    ],
    'NE',
  ],
  [
    'a hemisphere that is none',
    [
      [10, 1],
      [0, 1],
      [0, 1],
    ],
    [
      [10, 1],
      [0, 1],
      [0, 1],
    ],
    'QE',
  ],
  [
    'no hemisphere',
    [
      [10, 1],
      [0, 1],
      [0, 1],
    ],
    [
      [10, 1],
      [0, 1],
      [0, 1],
    ],
    '\0\0',
  ],
  [
    'hemispheres changed about',
    [
      [10, 1],
      [0, 1],
      [0, 1],
    ],
    [
      [10, 1],
      [0, 1],
      [0, 1],
    ],
    'EN',
  ],
]

void test('trust 29, C16: an invalid location is unknown, and the photo is accepted', async () => {
  for (const [why, latitude, longitude, references] of senseless) {
    const gps = [
      ascii(tags.latitudeReference, references.charAt(0)),
      rationals(tags.latitude, ...latitude),
      ascii(tags.longitudeReference, references.charAt(1)),
      rationals(tags.longitude, ...longitude),
    ]
    const exif = jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), buildTiff({ gps })]))
    assert.equal(await positionOf(insertSegments(jpeg, [exif])), undefined, why)
  }
})

void test('trust 29, C16: NaN and infinity as floating-point numbers are unknown', async () => {
  for (const value of [Number.NaN, Infinity, -Infinity, 1e308, -1]) {
    const axis = (tag: number) => ({ tag, type: tiffTypes.double, values: [value, 0, 0] })
    const gps = [
      ascii(tags.latitudeReference, 'N'),
      axis(tags.latitude),
      ascii(tags.longitudeReference, 'E'),
      axis(tags.longitude),
    ]
    const exif = jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), buildTiff({ gps })]))
    assert.equal(await positionOf(insertSegments(jpeg, [exif])), undefined, String(value))
  }
})
