// Served colour profiles: the same colours, without fields for device names and numbers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { cleanIccProfile } from '../../../../src/imaging/formats/icc/icc-profile.ts'
import { fixed, makeIcc, readIcc, shownBy, type IccTag } from '../../../helpers/icc-fixtures.ts'

const typed = (type: string, ...parts: readonly Uint8Array[]): Buffer =>
  Buffer.concat([Buffer.from(`${type}\xde\xad\xbe\xef`, 'latin1'), ...parts])
const uint16 = (...values: readonly number[]): Buffer =>
  Buffer.from(values.flatMap((value) => [value >> 8, value & 255]))
const uint32 = (...values: readonly number[]): Buffer =>
  uint16(...values.flatMap((value) => [value >>> 16, value & 0xffff]))
const xyz = (...values: readonly number[]): Buffer => typed('XYZ ', fixed(...values))
const secret = Buffer.from('SECRET')

const gamma = typed('curv', uint32(1), uint16(0x0240))
const sampled = typed('curv', uint32(5), uint16(0, 9_000, 25_000, 43_000, 65_535))
const parametric = typed('para', uint16(3, 0xdead), fixed(2.4, 0.947867, 0.052133, 0.077399, 0.04045))
const primaries = [
  { name: 'rXYZ', data: xyz(0.43607, 0.22249, 0.01392) },
  { name: 'gXYZ', data: xyz(0.38515, 0.71687, 0.09708) },
  { name: 'bXYZ', data: xyz(0.14307, 0.06061, 0.7141) },
]
const white = { name: 'wtpt', data: xyz(0.9642, 1, 0.82491) }
const matrixTags: readonly IccTag[] = [
  white,
  ...primaries,
  { name: 'rTRC', data: parametric },
  { name: 'gTRC', data: sampled },
  { name: 'bTRC', data: gamma },
]
/** Appends to each tag data that its type does not have. */
const chatty = (tags: readonly IccTag[]): IccTag[] =>
  tags.map(({ name, data }) => ({ name, data: Buffer.concat([data, secret]) }))
const privateTags: readonly IccTag[] = [
  { name: 'desc', data: typed('desc', uint32(7), Buffer.from('SECRET\0'), Buffer.alloc(78)) },
  { name: 'cprt', data: typed('text', secret) },
  ...['mmod', 'vcgt', 'meta', 'view', 'DevD', 'CIED', 'dmnd', 'dmdd', 'ndin', 'bkpt', 'gamt'].map((name) => ({
    name,
    data: typed('text', secret),
  })),
]

/** Two points per side: the identity in 16-bit Lab or XYZ. */
function grid16(inputs: number, outputs: number): Buffer {
  const points = Array.from({ length: 2 ** inputs * outputs }, (_, index) => (index * 7_919) % 65_536)
  return uint16(...points)
}
const lut16 = (inputs: number, outputs: number): Buffer =>
  typed(
    'mft2',
    Buffer.of(inputs, outputs, 2, 0xee),
    fixed(1, 0, 0, 0, 1, 0, 0, 0, 1),
    uint16(2, 2),
    ...Array<Uint8Array>(inputs).fill(uint16(0, 65_535)),
    grid16(inputs, outputs),
    ...Array<Uint8Array>(outputs).fill(uint16(0, 65_535)),
  )
const lut8 = (inputs: number, outputs: number): Buffer => {
  const ramp = Buffer.from(Array.from({ length: 256 }, (_, value) => value))
  const grid = Buffer.from(Array.from({ length: 2 ** inputs * outputs }, (_, index) => (index * 71) % 256))
  const head = Buffer.of(inputs, outputs, 2, 0xee)
  const ramps = (count: number): Buffer => Buffer.concat(Array<Buffer>(count).fill(ramp))
  return typed('mft1', head, fixed(1, 0, 0, 0, 1, 0, 0, 0, 1), ramps(inputs), grid, ramps(outputs))
}

/** A table of parts with gaps filled with the secret; with A curves if `hasGrid`. */
function parts(type: 'mAB ' | 'mBA ', hasGrid: boolean): Buffer {
  const pad = (bytes: Uint8Array): Buffer =>
    Buffer.concat([bytes, Buffer.from('SECR').subarray(0, (4 - (bytes.length % 4)) % 4)])
  const curves = Buffer.concat([pad(gamma), pad(sampled), pad(parametric)])
  const matrix = fixed(0.4, 0.3, 0.1, 0.2, 0.7, 0.1, 0, 0.1, 0.7, 0.01, 0.02, 0.03)
  const grid = Buffer.concat([
    Buffer.of(2, 2, 2),
    Buffer.from('SECRETSECRETS'),
    Buffer.of(1, 0xde, 0xad, 0xbe),
    Buffer.from(Array.from({ length: 24 }, (_, index) => index * 10)),
  ])
  const stretches = hasGrid ? [curves, matrix, curves, grid, curves] : [curves, matrix, curves]
  const offsets: number[] = []
  let end = 32
  const bodies = stretches.toReversed().flatMap((stretch) => {
    const gap = Buffer.from('SECRETSECRET')
    offsets.unshift(end + gap.length)
    end += gap.length + stretch.length
    return [gap, stretch]
  })
  while (offsets.length < 5) offsets.push(0)
  return typed(type, Buffer.of(3, 3, 0xde, 0xad), uint32(...offsets), ...bodies)
}

const profiles: Readonly<Record<string, Buffer>> = {
  'primaries and curves': makeIcc(chatty([...privateTags, ...matrixTags]), {}, 'SECRET'),
  'version 2': makeIcc(chatty([...privateTags, ...matrixTags]), { version: 2 }, 'SECRET'),
  'a chromatic adaptation': makeIcc(
    chatty([
      ...matrixTags,
      { name: 'chad', data: typed('sf32', fixed(1.05, 0.02, -0.05, 0.03, 0.99, -0.02, -0.01, 0.02, 0.75)) },
    ]),
    {},
    'SECRET',
  ),
  grey: makeIcc(chatty([white, ...privateTags, { name: 'kTRC', data: gamma }]), { space: 'GRAY' }, 'SECRET'),
  'tables of 16 bits': makeIcc(
    chatty([white, ...privateTags, { name: 'A2B0', data: lut16(4, 3) }, { name: 'B2A0', data: lut16(3, 4) }]),
    { version: 2, class: 'prtr', space: 'CMYK', connection: 'Lab ' },
    'SECRET',
  ),
  'tables of 8 bits': makeIcc(
    chatty([white, ...privateTags, { name: 'A2B0', data: lut8(3, 3) }, { name: 'A2B1', data: lut8(3, 3) }]),
    { version: 2, class: 'scnr', connection: 'Lab ' },
    'SECRET',
  ),
  'tables of parts': makeIcc(
    chatty([
      white,
      ...privateTags,
      { name: 'A2B0', data: parts('mAB ', true) },
      { name: 'B2A0', data: parts('mBA ', true) },
    ]),
    { class: 'spac', connection: 'Lab ' },
    'SECRET',
  ),
  'tables of parts without a grid': makeIcc(
    chatty([white, ...privateTags, { name: 'A2B0', data: parts('mAB ', false) }]),
    { class: 'spac' },
    'SECRET',
  ),
}

for (const [name, profile] of Object.entries(profiles)) {
  void test(`C25: a profile with ${name} shows the same colours and hides nothing`, async () => {
    const before = Buffer.from(profile)
    const cleaned = cleanIccProfile(profile)
    assert.ok(cleaned)
    assert.deepEqual(profile, before)
    const text = Buffer.from(cleaned).toString('latin1')
    assert.equal(/SECR|ECRE|CRET|RETS|\xde\xad|\xbe\xef/.exec(text), null)
    assert.ok((await shownBy(cleaned)).equals(await shownBy(profile)))
    assert.deepEqual(cleanIccProfile(cleaned), cleaned)
  })
}

for (const name of ['srgb', 'p3', 'cmyk'] as const) {
  void test(`C25: the ${name} profile of libvips shows the same colours`, async () => {
    const space = name === 'cmyk' ? 'cmyk' : 'srgb'
    const blank = sharp({ create: { width: 8, height: 8, channels: 3, background: '#345' } })
    const jpeg = await blank.toColourspace(space).withIccProfile(name).jpeg().toBuffer()
    const { icc } = await sharp(jpeg).metadata()
    assert.ok(icc)
    const cleaned = cleanIccProfile(icc)
    assert.ok(cleaned)
    assert.ok((await shownBy(cleaned)).equals(await shownBy(icc)))
    for (const { name: tag, data } of readIcc(cleaned)) {
      if (tag === 'desc' || tag === 'cprt')
        assert.match(Buffer.from(data).toString('latin1').split('\0').join(''), /Colour profile/)
      else assert.match(tag, /^(?:[rgb](?:XYZ|TRC)|wtpt|chad|cicp|A2B[012]|B2A[012])$/)
    }
  })
}

void test('tags that share their data still share it', () => {
  const profile = makeIcc([
    white,
    ...primaries,
    { name: 'rTRC', data: sampled },
    { name: 'gTRC', data: gamma },
    { name: 'bTRC', data: gamma },
  ])
  const table = 132 + 12 * 4
  profile.copyWithin(table + 16, table + 4, table + 12)
  profile.copyWithin(table + 28, table + 4, table + 12)
  const cleaned = Buffer.from(cleanIccProfile(profile) ?? [])
  const offsets = [3, 2, 1].map((back) =>
    cleaned.readUInt32BE(132 + 12 * (cleaned.readUInt32BE(128) - back) + 4),
  )
  assert.equal(new Set(offsets).size, 1)
})

void test('a profile that cannot describe an image is dropped, and no bytes make parsing fail', () => {
  const whole = makeIcc(matrixTags)
  const cut = (length: number): Buffer => {
    const bytes = Buffer.from(whole.subarray(0, length))
    bytes.writeUInt32BE(length, 0)
    return bytes
  }
  const changed = (at: number, text: string): Buffer => {
    const bytes = Buffer.from(whole)
    bytes.write(text, at, 'latin1')
    return bytes
  }
  const others: Readonly<Record<string, Uint8Array>> = {
    nothing: Buffer.alloc(0),
    'a header alone': cut(128).subarray(0, 128),
    'a table of tags that is cut': cut(140),
    'data that is cut': cut(whole.length - 60),
    'no signature': changed(36, 'xxxx'),
    'a link': changed(12, 'link'),
    'a space without a picture': changed(16, 'Lab '),
    'no connection space': changed(20, 'RGB '),
    'version 5': changed(8, '\x05'),
    'shorter than it says': whole.subarray(0, -1),
    'a tag twice': makeIcc([...matrixTags, white]),
    'more tags than any': makeIcc(
      Array.from({ length: 101 }, (_, index) => ({ name: `t${100 + index}`, data: secret })),
    ),
    'no primaries': makeIcc([white]),
    'a broken table': makeIcc([...matrixTags, { name: 'A2B0', data: lut16(3, 3).subarray(0, 60) }]),
    'a table of other channels': makeIcc([...matrixTags, { name: 'A2B0', data: lut16(4, 3) }]),
    'tables that overlap': makeIcc([white, { name: 'A2B0', data: lut16(3, 3) }], { space: 'CMYK' }),
  }
  for (const [name, bytes] of Object.entries(others)) assert.equal(cleanIccProfile(bytes), undefined, name)
  for (const profile of Object.values(profiles)) {
    for (let at = 0; at < profile.length; at += 11) {
      const broken = Buffer.from(profile)
      broken[at] = (broken[at] ?? 0) ^ 0xff
      const cleaned = cleanIccProfile(broken)
      if (cleaned !== undefined) assert.deepEqual(cleanIccProfile(cleaned), cleaned)
      assert.ok((cleaned?.length ?? 0) <= profile.length + 512)
    }
  }
})
