// Pixel data of a served PNG: unneeded data is removed, and every pixel is unchanged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { constants, createDeflate, deflateRawSync, deflateSync, inflateSync } from 'node:zlib'
import sharp from 'sharp'
import { Refusal } from '../../../../src/errors.ts'
import { strip, trimPixelData } from '../../../../src/imaging/containers.ts'
import {
  chunkTypes,
  createRandom,
  decodeSamples,
  greyRows,
  ihdrChunk,
  makeGreyPng,
  makePicture,
  makePng,
  pngChunk,
  words,
} from '../../../helpers/containers-fixtures.ts'
import { walk } from '../../../helpers/imaging.ts'

const secret = Buffer.from('secret'.repeat(50))

async function served(png: Uint8Array): Promise<Buffer> {
  const before = Buffer.from(png)
  const clean = Buffer.from(strip(png, await trimPixelData(png, walk(png, 'png')), 1))
  assert.deepEqual(Buffer.from(png), before, 'the upload itself is not touched')
  return clean
}

/** All image data, joined. */
function dataOf(png: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') {
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
    }
  }
  return Buffer.concat(parts)
}

async function assertSameWithout(png: Buffer, clean: Buffer): Promise<void> {
  assert.deepEqual(await decodeSamples(clean), await decodeSamples(png))
  assert.deepEqual(await served(clean), clean, 'a clean file comes out as it was')
}

const idat = (...parts: readonly Uint8Array[]): Buffer[] => parts.map((part) => pngChunk('IDAT', part))

void test('bytes after the compressed stream are removed, in its chunk and in chunks of their own', async () => {
  const rows = greyRows(4, 4)
  const clean = makeGreyPng()
  const half = makePng(ihdrChunk(), ...idat(rows.subarray(0, 9), rows.subarray(9)))
  const cases: readonly (readonly [png: Buffer, expected: Buffer])[] = [
    [makePng(ihdrChunk(), ...idat(Buffer.concat([rows, secret]))), clean],
    [makePng(ihdrChunk(), ...idat(rows, secret, secret)), clean],
    [
      makePng(ihdrChunk(), ...idat(rows.subarray(0, 9), Buffer.concat([rows.subarray(9), secret]), secret)),
      half,
    ],
    [half, half],
  ]
  for (const [png, expected] of cases) {
    assert.deepEqual(await served(png), expected)
    await assertSameWithout(png, expected)
  }
})

void test('rows beyond the picture are removed, and the picture’s own rows keep their filters', async () => {
  for (const options of [{}, { progressive: true }, { adaptiveFiltering: true }]) {
    for (const channels of [1, 3, 4] as const) {
      const whole = await makePicture(33, 17, channels).png(options).toBuffer()
      const rows = inflateSync(dataOf(whole))
      const header = whole.subarray(8, 33)
      const more = makePng(header, ...idat(deflateSync(Buffer.concat([rows, secret]))))
      const clean = await served(more)
      assert.deepEqual(inflateSync(dataOf(clean)), rows)
      await assertSameWithout(whole, clean)
    }
  }
})

/** Deflated millions of zeros, composed from one million: compressing two gigabytes would take seconds. */
function deflatedZeros(millions: number): Buffer {
  const million = deflateRawSync(Buffer.alloc(1_000_000), { finishFlush: constants.Z_FULL_FLUSH })
  const end = deflateRawSync(Buffer.alloc(0))
  const checksum = words([((millions * 1_000_000) % 65_521) * 65_536 + 1])
  return Buffer.concat([Buffer.of(0x78, 0x9c), ...Array<Buffer>(millions).fill(million), end, checksum])
}

void test('a decompression bomb after the picture is cut off and never fully inflated', async () => {
  assert.deepEqual(inflateSync(deflatedZeros(3)), Buffer.alloc(3_000_000), 'what is put together is whole')
  const bomb = deflatedZeros(2_000)
  const before = process.cpuUsage()
  const clean = await served(makePng(ihdrChunk(), ...idat(bomb)))
  const { user } = process.cpuUsage(before)
  assert.equal(inflateSync(dataOf(clean)).length, 20)
  assert.ok(user < 500_000, `${user} µs`)
})

/** The filters as defined in the specification. */
function filterRow(filter: number, row: Uint8Array, above: Uint8Array): Uint8Array {
  return row.map((byte, at) => {
    const [left, up, corner] = [row[at - 1] ?? 0, above[at] ?? 0, (at > 0 ? above[at - 1] : 0) ?? 0]
    if (filter === 1) return byte - left
    if (filter === 2) return byte - up
    if (filter === 3) return byte - Math.floor((left + up) / 2)
    if (filter !== 4) return byte
    const [a, b, c] = [left, up, corner].map((one) => Math.abs(left + up - corner - one))
    if (a === undefined || b === undefined || c === undefined) return byte
    return byte - (a <= b && a <= c ? left : b <= c ? up : corner)
  })
}

for (const bitDepth of [1, 2, 4]) {
  void test(`padding bits in rows of ${bitDepth} bits per pixel are cleared, with every filter`, async () => {
    const random = createRandom(bitDepth)
    const [width, height] = [37, 40]
    const bytes = Math.ceil((width * bitDepth) / 8)
    const spare = bytes * 8 - width * bitDepth
    const filters = Array.from({ length: height }, (_, y) => y % 5)
    const code = (isClean: boolean, rows: readonly Uint8Array[]): Buffer => {
      let above = new Uint8Array(bytes)
      return Buffer.concat(
        rows.flatMap((row, y) => {
          const clean = row.slice()
          if (isClean) clean[bytes - 1] = (clean[bytes - 1] ?? 0) & (255 << spare)
          const filter = filters[y] ?? 0
          const coded = filterRow(filter, clean, above)
          above = clean
          return [Uint8Array.of(filter), coded]
        }),
      )
    }
    const rows = Array.from({ length: height }, () =>
      Uint8Array.from({ length: bytes }, () => random() * 256),
    )
    for (const colourType of [0, 3]) {
      const header = ihdrChunk({ width, height, bitDepth, colourType })
      const colours = colourType === 3 ? [pngChunk('PLTE', Buffer.alloc(3 * 2 ** bitDepth, 'colours'))] : []
      const png = makePng(header, ...colours, ...idat(deflateSync(code(false, rows))))
      const clean = await served(png)
      assert.deepEqual(inflateSync(dataOf(clean)), code(true, rows))
      await assertSameWithout(png, clean)
    }
  })
}

void test('each pass of an interlaced picture has its own rows', async () => {
  for (const [width, height] of [
    [1, 1],
    [5, 3],
    [9, 17],
  ] as const) {
    const runs = [
      [0, 0, 8, 8],
      [4, 0, 8, 8],
      [0, 4, 4, 8],
      [2, 0, 4, 4],
      [0, 2, 2, 4],
      [1, 0, 2, 2],
      [0, 1, 1, 2],
    ] as const
    const shape = { width, height, bitDepth: 2, colourType: 3, interlacing: 1 }
    const code = (last: number): Buffer =>
      deflateSync(
        Buffer.concat(
          runs.flatMap(([left, top, stepX, stepY]) => {
            const columns = Math.ceil((width - left) / stepX)
            const rows = Math.ceil((height - top) / stepY)
            if (columns < 1 || rows < 1) return []
            const packed = Math.ceil(columns / 4)
            // Each pixel has colour 1; the padding bits are those of `last`.
            const row = Buffer.alloc(packed + 1, 0x55)
            row[0] = 0
            const spare = packed * 8 - columns * 2
            row[packed] = (0x55 & (255 << spare)) | (last & (2 ** spare - 1))
            return Array<Buffer>(rows).fill(row)
          }),
        ),
      )
    const colours = pngChunk('PLTE', Buffer.from('aaabbbcccddd'))
    const png = makePng(ihdrChunk(shape), colours, ...idat(code(0xff)))
    const clean = await served(png)
    assert.deepEqual(inflateSync(dataOf(clean)), inflateSync(code(0)))
    assert.ok(clean.includes(pngChunk('PLTE', Buffer.from('\0\0\0bbb'))))
    await assertSameWithout(png, clean)
  }
})

void test('colours that no pixel uses are set to black or cut off, with their transparency', async () => {
  const row = Buffer.from([0, 5, 2, 2, 5])
  const header = ihdrChunk({ height: 1, colourType: 3 })
  const data = idat(deflateSync(row))
  const make = (colours: string | Uint8Array, alpha: Uint8Array): Buffer =>
    makePng(header, pngChunk('PLTE', colours), pngChunk('tRNS', alpha), ...data)
  const text = Buffer.alloc(768, 'secret words ')
  const used = Buffer.alloc(18)
  for (const index of [2, 5]) used.set(text.subarray(3 * index, 3 * index + 3), 3 * index)
  const alpha = Buffer.alloc(256, 'alpha')
  const [two = 0, five = 0] = [alpha[2], alpha[5]]
  const png = make(text, alpha)
  const clean = await served(png)
  assert.deepEqual(clean, make(used, Uint8Array.of(255, 255, two, 255, 255, five)))
  await assertSameWithout(png, clean)
  // A palette with fewer entries than colours keeps its length.
  assert.deepEqual(await served(make(text, alpha.subarray(0, 3))), make(used, Uint8Array.of(255, 255, two)))
  // A second picture in the file uses others: see png-animation.test.ts for frames.
  const real = await makePicture(60, 50).png({ palette: true, colours: 200 }).toBuffer()
  await assertSameWithout(real, await served(real))
})

void test('colours used only by a later frame stay', async () => {
  const header = ihdrChunk({ width: 1, height: 1, colourType: 3 })
  const number = (value: number): Buffer => Buffer.of(0, 0, 0, value)
  const control = (sequence: number): Buffer =>
    pngChunk(
      'fcTL',
      Buffer.concat([
        number(sequence),
        number(1),
        number(1),
        number(0),
        number(0),
        Buffer.of(0, 1, 0, 10, 0, 0),
      ]),
    )
  const pixel = (index: number): Buffer => deflateSync(Buffer.of(0, index))
  const png = makePng(
    header,
    pngChunk('acTL', Buffer.concat([number(2), number(0)])),
    pngChunk('PLTE', 'aaabbbcccddd'),
    control(0),
    ...idat(pixel(0)),
    control(1),
    pngChunk('fdAT', Buffer.concat([number(2), pixel(2)])),
  )
  assert.ok((await served(png)).includes(pngChunk('PLTE', Buffer.from('aaa\0\0\0ccc'))))
  const broken = makePng(
    header,
    pngChunk('acTL', Buffer.concat([number(2), number(0)])),
    pngChunk('PLTE', 'aaabbbcccddd'),
    control(0),
    ...idat(pixel(0)),
    control(1),
    pngChunk('fdAT', Buffer.concat([number(2), pixel(2).subarray(0, -1)])),
  )
  assert.deepEqual(await served(broken), makePng(header, pngChunk('PLTE', 'aaa'), ...idat(pixel(0))))
})

void test('image data that is truncated, corrupt, short of rows or in need of a dictionary is refused', async () => {
  const whole = greyRows(4, 4)
  const wrong = Buffer.from(whole)
  wrong[whole.length - 1] = 1 + (whole.at(-1) ?? 0)
  const dictionary = createDeflate({ dictionary: Buffer.from('dddd') })
  dictionary.end(Buffer.concat(Array<Buffer>(4).fill(Buffer.from('\0dddd'))))
  const preset = Buffer.concat((await dictionary.toArray()) as Buffer[])
  const cases: readonly (readonly [data: Uint8Array, detail: RegExp])[] = [
    [whole.subarray(0, -1), /truncated/],
    [whole.subarray(0, 5), /truncated/],
    [greyRows(4, 3), /truncated/],
    [wrong, /is damaged/],
    [Buffer.from('no zlib at all'), /is damaged/],
    [preset, /is damaged/],
    [new Uint8Array(), /truncated/],
  ]
  for (const [data, detail] of cases) {
    await assert.rejects(
      served(makePng(ihdrChunk(), ...idat(data))),
      (error) => error instanceof Refusal && error.code === 'broken-image' && detail.test(error.detail ?? ''),
    )
  }
})

void test('a payload hidden anywhere in the image data is removed, and every pixel stays', async () => {
  const random = createRandom(11)
  for (let round = 0; round < 60; round += 1) {
    const payload = Buffer.from(Array.from({ length: 40 }, () => 33 + random() * 90))
    const [width, height] = [1 + Math.floor(random() * 40), 1 + Math.floor(random() * 40)]
    const options = { palette: random() < 0.5, progressive: random() < 0.3, colours: 16 }
    const whole = await makePicture(width, height, random() < 0.5 ? 3 : 4)
      .png(options)
      .toBuffer()
    const at = whole.indexOf('IDAT') - 4
    const data = dataOf(whole)
    const hidden = [
      (): Buffer[] => idat(Buffer.concat([data, payload])),
      (): Buffer[] => idat(data.subarray(0, 3), data.subarray(3), payload),
      (): Buffer[] => idat(deflateSync(Buffer.concat([inflateSync(data), payload]), { level: 0 })),
    ]
    const place = hidden[Math.floor(random() * hidden.length)]
    assert.ok(place !== undefined)
    const png = Buffer.concat([whole.subarray(0, at), ...place(), pngChunk('IEND')])
    assert.ok(png.includes(payload))
    const clean = await served(png)
    assert.ok(!clean.includes(payload))
    assert.ok(!inflateSync(dataOf(clean)).includes(payload))
    assert.ok(chunkTypes(clean).length <= chunkTypes(png).length)
    assert.deepEqual(await decodeSamples(clean), await sharp(whole).raw().toBuffer())
  }
})
