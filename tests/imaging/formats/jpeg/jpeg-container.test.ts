// Parsing and cleaning JPEG: coded picture, metadata, and files that lack more than their end. Over 300 lines because
// every refusal is a case of the same few files.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { readHeader, strip } from '../../../../src/imaging/containers.ts'
import { cleanIccProfile } from '../../../../src/imaging/formats/icc/icc-profile.ts'
import { buildXmp, exifSegment, insertSegments, xmpSegment } from '../../../helpers/exif-fixtures.ts'
import {
  assertRefused,
  decodeSamples,
  findMarker,
  insertAt,
  jpegSegment,
  judge,
  makePicture,
  replaceAt,
  tinyJpeg,
  tinyScan,
} from '../../../helpers/containers-fixtures.ts'
import { iccSegments } from '../../../helpers/icc-fixtures.ts'
import { walk } from '../../../helpers/imaging.ts'

const startOfImage = Buffer.of(0xff, 0xd8)
const endOfImage = Buffer.of(0xff, 0xd9)
const jfifPayload = Buffer.from('JFIF\0\x01\x02\x01\0\x48\0\x48\0\0', 'latin1')
const tiff = Buffer.from('MM\0*\0\0\0\x08\0\0\0\0\0\0', 'latin1')
const picture = makePicture(40, 30)
// libvips writes no JFIF segment, so the file has only the start marker and coded picture.
const plain = await picture.clone().jpeg().toBuffer()
const progressive = await picture.clone().jpeg({ progressive: true }).toBuffer()
const frameAt = findMarker(plain, 0xc0)
const scanAt = findMarker(plain, 0xda)

/** The markers outside scans, up to the start of each scan. */
function markersOf(jpeg: Uint8Array): number[] {
  const buffer = Buffer.from(jpeg)
  const markers: number[] = []
  let at = 2
  while (at < buffer.length) {
    const marker = buffer[at + 1] ?? 0
    assert.equal(buffer[at], 0xff)
    markers.push(marker)
    if (marker === 0xd9) break
    at += 2 + buffer.readUInt16BE(at + 2)
    if (marker !== 0xda) continue
    while (buffer[at] !== 0xff || (buffer[at + 1] ?? 0) <= 0xd7) at += 1
  }
  assert.equal(at, buffer.length - 2)
  return markers
}

function stripped(jpeg: Uint8Array, orientation = 1): Buffer {
  return Buffer.from(strip(jpeg, walk(jpeg, 'jpeg'), orientation))
}

void test('a file with nothing but the coded picture stays unchanged, byte for byte', () => {
  for (const jpeg of [plain, progressive]) assert.deepEqual(stripped(jpeg), jpeg)
})

void test('private segments are removed wherever they are; the profile stays', async () => {
  const late = [
    jpegSegment(0xe0, Buffer.concat([jfifPayload, Buffer.from('secret')])),
    jpegSegment(0xe2, 'ICC_PROFILE\0secret'),
    jpegSegment(0xee, 'Adobe\0secret'),
  ]
  const profiled = await picture.clone().withIccProfile('p3').jpeg({ progressive: true }).toBuffer()
  const secrets = [
    exifSegment(Buffer.concat([tiff, Buffer.from('secret')])),
    xmpSegment('secret'),
    jpegSegment(0xe0, 'JFXX\0secret'),
    jpegSegment(0xe1, 'secret'),
    jpegSegment(0xe2, 'MPF\0secret'),
    jpegSegment(0xed, 'Photoshop 3.0\0secret'),
    jpegSegment(0xee, 'secret'),
    jpegSegment(0xee, 'Adobesecre'),
    jpegSegment(0xef, 'secret'),
    jpegSegment(0xfe, 'secret'),
    jpegSegment(0xfe, 'se'),
    jpegSegment(0xdc, 'secret'),
    Buffer.from('secret stray bytes, a restart marker \xff\xd0 and TEM \xff\x01', 'latin1'),
  ]
  const secondScan = profiled.indexOf(Buffer.of(0xff, 0xc4), findMarker(profiled, 0xda))
  const betweenScans = insertAt(profiled, secondScan, ...secrets, ...late)
  const everywhere = insertAt(insertSegments(betweenScans, secrets), 2, jpegSegment(0xe0, jfifPayload))
  const result = stripped(Buffer.concat([everywhere, Buffer.from('secret')]))
  assert.ok(!result.includes('secr'))
  assert.deepEqual(markersOf(result), [0xe0, ...markersOf(profiled)])
  assert.deepEqual(await decodeSamples(result), await decodeSamples(profiled))
  const { icc } = await sharp(profiled).metadata()
  assert.ok(icc)
  assert.deepEqual((await sharp(result).metadata()).icc, Buffer.from(cleanIccProfile(icc) ?? []))
})

void test('JFIF loses its thumbnail, and Adobe everything after its transform', async () => {
  const thumbnail = Buffer.alloc(3 * 7 * 5, 'secret')
  const withThumbnail = Buffer.concat([jfifPayload.subarray(0, 12), Buffer.of(7, 5), thumbnail])
  const jfif = insertSegments(plain, [jpegSegment(0xe0, withThumbnail), jpegSegment(0xe0, jfifPayload)])
  assert.deepEqual(stripped(jfif), insertSegments(plain, [jpegSegment(0xe0, jfifPayload)]))

  const cmyk = await picture.clone().toColourspace('cmyk').jpeg().toBuffer()
  const adobe = findMarker(cmyk, 0xee)
  const longer = Buffer.concat([cmyk.subarray(adobe + 4, adobe + 16), Buffer.from('secret')])
  const chatty = insertAt(replaceAt(cmyk, adobe + 4, 0x61), adobe + 16, jpegSegment(0xee, longer))
  const result = stripped(chatty)
  assert.ok(!result.includes('secret'))
  assert.ok(result.includes(cmyk.subarray(adobe, adobe + 16)))
  assert.deepEqual(await decodeSamples(result), await decodeSamples(cmyk))
  assert.equal(readHeader(cmyk, 'jpeg').channels, 4)
})

void test('the new EXIF follows JFIF and replaces the old one', async () => {
  const old = await picture.clone().withMetadata({ orientation: 3 }).jpeg().toBuffer()
  const jpeg = insertAt(old, 2, jpegSegment(0xe0, jfifPayload))
  const result = stripped(jpeg, 6)
  assert.deepEqual(markersOf(result).slice(0, 2), [0xe0, 0xe1])
  assert.equal(markersOf(result).filter((marker) => marker === 0xe1).length, 1)
  assert.equal((await sharp(result).metadata()).orientation, 6)
})

void test('EXIF and XMP are found in file order, repeated, late and with a doubled prefix', () => {
  const packet = buildXmp('1,2.5N', '3,4.5E')
  const littleEndian = Buffer.from('II*\0\x08\0\0\0\0\0\0\0\0\0', 'latin1')
  const jpeg = Buffer.concat([
    insertSegments(plain.subarray(0, -2), [
      xmpSegment(packet),
      exifSegment(tiff),
      exifSegment(Buffer.concat([Buffer.from('Exif\0\0'), littleEndian])),
      ...['no TIFF', 'IM', 'MI', 'xx', 'xM'].map((start) => exifSegment(Buffer.from(start))),
      jpegSegment(0xe1, 'Exif\0'),
      jpegSegment(0xe1, 'http://ns.adobe.com/xap/1.0/\0'),
    ]),
    jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\xff', 'latin1'), tiff])),
    endOfImage,
  ])
  const blocks = walk(jpeg, 'jpeg').metadata.map(({ kind, bytes }) => [
    kind,
    Buffer.from(bytes).toString('latin1'),
  ])
  const big = ['exif', tiff.toString('latin1')]
  const text = Buffer.from(packet).toString('latin1')
  assert.deepEqual(blocks, [['xmp', text], big, ['exif', littleEndian.toString('latin1')], big])
})

void test('metadata is limited to 64 blocks and 1 MiB', () => {
  const many = insertSegments(plain, Array<Buffer>(100).fill(xmpSegment('x')))
  assert.equal(walk(many, 'jpeg').metadata.length, 64)
  const much = insertSegments(plain, Array<Buffer>(30).fill(xmpSegment('x'.repeat(65_000))))
  const { metadata } = walk(much, 'jpeg')
  assert.equal(
    metadata.reduce((sum, { bytes }) => sum + bytes.length, 0),
    1_048_576,
  )
})

void test('tables for arithmetic coding and the number of lines, which no decoder reads, are removed', () => {
  const unread = [jpegSegment(0xcc, Buffer.of(0, 0x10)), jpegSegment(0xdc, Buffer.of(0, 30))]
  assert.deepEqual(stripped(insertSegments(plain, unread)), plain)
})

void test('a colour profile is kept if all of its parts are there, in any order, and dropped otherwise', async () => {
  const cmyk = sharp({ create: { width: 8, height: 8, channels: 3, background: '#345' } }).toColourspace(
    'cmyk',
  )
  const { icc } = await sharp(await cmyk.withIccProfile('cmyk').jpeg().toBuffer()).metadata()
  assert.ok(icc)
  const cleaned = Buffer.from(cleanIccProfile(icc) ?? [])
  const parts = iccSegments(icc)
  assert.ok(parts.length > 10 && cleaned.length > 65_519)
  const expected = insertSegments(plain, iccSegments(cleaned))
  assert.deepEqual(stripped(insertSegments(plain, parts)), expected)
  assert.deepEqual(stripped(insertSegments(plain, parts.toReversed())), expected)
  const [first = Buffer.alloc(0)] = parts
  const broken: readonly Buffer[][] = [
    parts.slice(1),
    [...parts, first],
    [replaceAt(first, 16, 0), ...parts.slice(1)],
    [replaceAt(first, 17, parts.length + 1), ...parts.slice(1)],
    [jpegSegment(0xe2, 'ICC_PROFILE\0')],
    iccSegments(Buffer.from('no profile')),
  ]
  for (const segments of broken) assert.deepEqual(stripped(insertSegments(plain, segments)), plain)
})

void test('codings that no browser supports are refused with the reason; other markers in their range are not frame headers', () => {
  const reasons: readonly (readonly [processes: readonly number[], reason: RegExp])[] = [
    [[0xc3], /lossless coding/],
    [[0xc5, 0xc6, 0xc7], /hierarchical coding/],
    [[0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf], /arithmetic coding/],
    [[0xc4, 0xc8, 0xcc], /invalid|unknown marker|no frame header/],
  ]
  for (const [processes, reason] of reasons)
    for (const marker of processes) assertRefused(replaceAt(plain, frameAt + 1, marker), 'jpeg', reason)
  for (const marker of [0xc0, 0xc1])
    assert.equal(judge(replaceAt(plain, frameAt + 1, marker), 'jpeg'), 'whole')
  assertRefused(replaceAt(plain, frameAt + 4, 12), 'jpeg', /12 bits per colour component/)
})

void test('what decoders skip is not damage: fill bytes, stray bytes, one id for all colours', async () => {
  const samples = await decodeSamples(plain)
  const filled = insertAt(
    insertAt(plain, plain.length - 2, Buffer.alloc(5, 0xff)),
    scanAt,
    Buffer.alloc(3, 0xff),
  )
  const strayed = insertAt(plain, frameAt, Buffer.from([0, 1, 0xff, 0, 2]))
  assert.deepEqual(stripped(filled), plain)
  assert.deepEqual(stripped(strayed), plain)
  const ids = [frameAt + 10, frameAt + 13, frameAt + 16, scanAt + 5, scanAt + 7, scanAt + 9]
  const alike = ids.reduce<Uint8Array>((jpeg, at) => replaceAt(jpeg, at, 1), plain)
  assert.deepEqual(await decodeSamples(stripped(alike)), samples)
  const stuffed = plain.indexOf(Buffer.of(0xff, 0), scanAt)
  assert.notEqual(stuffed, -1)
  assert.deepEqual(stripped(insertAt(plain, stuffed, Buffer.of(0xff, 0xff))), plain)
})

void test('a missing or half end marker is repaired; fill bytes before it are removed', () => {
  for (const cut of [plain.subarray(0, -2), plain.subarray(0, -1)]) {
    for (const jpeg of [cut, Buffer.concat([cut, Buffer.of(0xff)])]) {
      assert.equal(walk(jpeg, 'jpeg').lacksEnd, true)
      assert.deepEqual(stripped(jpeg), plain)
    }
  }
})

void test('without an end marker every scan must be complete, to the last bit', () => {
  const scans: number[] = []
  for (let at = progressive.indexOf(Buffer.of(0xff, 0xda)); at !== -1;) {
    scans.push(at)
    at = progressive.indexOf(Buffer.of(0xff, 0xda), at + 1)
  }
  assert.ok(scans.length > 5)
  for (const at of scans.slice(1)) {
    // The tables before a scan are cut off with it.
    const tablesAt = progressive.lastIndexOf(Buffer.of(0xff, 0xc4), at)
    const cut = progressive.subarray(0, tablesAt > (scans[scans.indexOf(at) - 1] ?? 0) ? tablesAt : at)
    assertRefused(cut, 'jpeg', /truncated between its scans/)
  }
  // A baseline file with one scan per colour, without the last; its bands are not read.
  const scansOf = (...ids: readonly number[]): Buffer =>
    tinyJpeg(
      0xc0,
      [1, 2, 3],
      ids.map((id) => tinyScan({ ids: [id] })),
    )
  assertRefused(scansOf(1, 2), 'jpeg', /truncated between its scans/)
  assertRefused(Buffer.concat([scansOf(1, 2), endOfImage]), 'jpeg', /truncated between its scans/)
  assert.equal(judge(scansOf(1, 2, 3), 'jpeg'), 'whole')
})

type Band = readonly [first: number, last: number, bits: number]
const progressiveOf = (...bands: readonly Band[]): Buffer =>
  tinyJpeg(
    0xc2,
    [1],
    bands.map((band) => tinyScan({ ids: [1], band })),
  )

void test('without an end marker the bands of a progressive file must be contiguous, with no bit missing', () => {
  assert.equal(
    judge(
      progressiveOf([0, 0, 0x01], [1, 5, 0], [6, 63, 0x02], [6, 63, 0x21], [6, 63, 0x10], [0, 0, 0x10]),
      'jpeg',
    ),
    'whole',
  )
  const cuts = [
    progressiveOf([0, 0, 0], [1, 5, 0], [7, 63, 0]),
    progressiveOf([0, 0, 0], [1, 5, 0], [6, 62, 0]),
    progressiveOf([0, 0, 0], [1, 63, 2], [1, 63, 0x21]),
    progressiveOf([0, 0, 1], [1, 63, 0]),
  ]
  for (const cut of cuts) {
    assertRefused(cut, 'jpeg', /truncated between its scans/)
    assert.equal(judge(Buffer.concat([cut, endOfImage]), 'jpeg'), 'whole')
  }
  assertRefused(Buffer.concat([progressiveOf([1, 63, 0]), endOfImage]), 'jpeg', /truncated between its scans/)
})

void test('a scan that repeats existing data is refused, since it would be hidden or hide another', () => {
  const again: readonly (readonly Band[])[] = [
    [
      [0, 0, 0],
      [0, 0, 0],
    ],
    [
      [0, 0, 1],
      [0, 0, 0x10],
      [0, 0, 0x10],
    ],
    [
      [0, 0, 0],
      [1, 63, 0],
      [5, 9, 0],
    ],
    [
      [0, 0, 2],
      [0, 0, 0x10],
    ],
    [[0, 0, 0x10]],
  ]
  for (const bands of again) assertRefused(progressiveOf(...bands), 'jpeg', /does not follow from/)
  const impossible: readonly Band[] = [
    [0, 5, 0],
    [5, 4, 0],
    [1, 64, 0],
    [0, 0, 14],
    [0, 0, 0x20],
  ]
  for (const band of impossible) assertRefused(progressiveOf(band), 'jpeg', /invalid parameters/)
  const twice = tinyJpeg(0xc0, [1, 2], [tinyScan({ ids: [1] }), tinyScan({ ids: [1, 2] })])
  assertRefused(twice, 'jpeg', /does not follow from/)
})

void test('after a complete picture no scan is read, and none is served', async () => {
  const scan = plain.subarray(scanAt, -2)
  const more = Buffer.concat([
    plain.subarray(0, -2),
    scan,
    jpegSegment(0xda, 'secret'),
    Buffer.from('secret'),
    endOfImage,
  ])
  assert.deepEqual(stripped(more), plain)
  assert.deepEqual(await decodeSamples(more), await decodeSamples(plain))
})

/** Bands of one coefficient each, bit by bit. */
function manyBands(count: number): Band[] {
  const bands: Band[] = [[0, 0, 0]]
  for (let bit = 13; bit >= 0; bit -= 1)
    for (let at = 1; at <= 8; at += 1) bands.push([at, at, bit === 13 ? 13 : ((bit + 1) << 4) + bit])
  return bands.slice(0, count)
}

const scanHeader = plain.subarray(scanAt, scanAt + 14)
const broken: Readonly<Record<string, readonly [Buffer, RegExp]>> = {
  'no start marker': [Buffer.concat([Buffer.of(0, 0), plain]), /no start marker/],
  'a start marker in a scan': [insertAt(plain, plain.length - 9, startOfImage), /truncated/],
  'a second start marker': [insertAt(plain, frameAt, startOfImage), /second start marker/],
  'no frame header': [insertAt(plain.subarray(0, 2), 2, plain.subarray(scanAt)), /no frame header/],
  'no scan': [Buffer.concat([plain.subarray(0, scanAt), endOfImage]), /no image data/],
  'start and end alone': [Buffer.concat([startOfImage, endOfImage]), /no image data/],
  'two frame headers': [
    insertAt(plain, frameAt, plain.subarray(frameAt, frameAt + 19)),
    /second frame header/,
  ],
  'width 0': [replaceAt(plain, frameAt + 7, 0, 0), /JPEG has a width or height of 0/],
  'height 0': [replaceAt(plain, frameAt + 5, 0, 0), /JPEG has a width or height of 0/],
  'no colour': [replaceAt(plain, frameAt + 9, 0), /number of colour components/],
  'five colours': [replaceAt(plain, frameAt + 9, 5), /number of colour components/],
  'a frame header too short': [
    replaceAt(plain, frameAt + 3, 16),
    /frame header of the JPEG has an invalid length/,
  ],
  'a length of 1': [replaceAt(plain, frameAt + 2, 0, 1), /invalid length/],
  'a segment past the end': [
    insertSegments(plain, [Buffer.of(0xff, 0xe1, 0xff, 0xff)]),
    /truncated within a segment/,
  ],
  'an unknown marker': [insertAt(plain, frameAt, jpegSegment(0xf0)), /unknown marker/],
  'a reserved marker': [insertAt(plain, frameAt, jpegSegment(0x02)), /unknown marker/],
  'a hierarchical frame': [insertAt(plain, frameAt, jpegSegment(0xde)), /unknown marker/],
  'a scan of an unknown colour': [replaceAt(plain, scanAt + 5, 77), /unknown colour/],
  'a scan of one colour twice': [replaceAt(plain, scanAt + 7, 1), /unknown colour/],
  'a scan of no colour': [replaceAt(plain, scanAt + 4, 0), /scan header of the JPEG has an invalid length/],
  'a scan header cut short': [insertAt(plain, scanAt, jpegSegment(0xda)), /invalid length/],
  'a hundred and one scans': [progressiveOf(...manyBands(101)), /more than 100 scans/],
}

for (const [name, [jpeg, detail]] of Object.entries(broken)) {
  void test(`refused: ${name}`, () => {
    assertRefused(jpeg, 'jpeg', detail)
  })
}

void test('a hundred scans are accepted', () => {
  assert.equal(judge(Buffer.concat([progressiveOf(...manyBands(100)), endOfImage]), 'jpeg'), 'whole')
})

void test('the header alone gives the size, whatever follows', () => {
  const huge = replaceAt(plain, frameAt + 5, 0xff, 0xff, 0xff, 0xff)
  const cut = huge.subarray(0, frameAt + 19)
  assert.deepEqual(readHeader(cut, 'jpeg'), { width: 65_535, height: 65_535, channels: 3, bytesPerSample: 1 })
  assert.throws(() => readHeader(replaceAt(plain, frameAt + 7, 0, 0), 'jpeg'), /damaged/)
  for (const marker of [endOfImage, scanHeader]) {
    assert.throws(() => readHeader(insertAt(plain, frameAt, marker), 'jpeg'), /damaged/)
  }
})
