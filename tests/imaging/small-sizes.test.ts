// The small sizes: one decode for all, each as if generated from the base, and a result that is sent without size lg.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import sharp from 'sharp'
import { imageSizes } from '../../src/shared/image-sizes.ts'
import { examine } from '../../src/imaging/examine.ts'
import { afterTravel, forTravel } from '../../src/imaging/outcome.ts'
import { standardLimits } from '../../src/imaging/image-limits.ts'
import { cutSmallSizes, encodePlain, type Cut, type Pixels } from '../../src/imaging/resize.ts'
import { inMemory } from '../../src/imaging/upload-bytes.ts'
import { gifExtension, gifFrame, insertAt, makeGif } from '../helpers/containers-fixtures.ts'
import { landscape } from '../helpers/landscapes.ts'
import { gifPicture, jpegPicture, pngPicture, transparentPng } from '../helpers/pictures.ts'

const scanMarker = Uint8Array.of(0xff, 0xda)

/** A JPEG with this before its picture data. */
function withInserted(jpeg: Buffer, inserted: Uint8Array): Buffer {
  const at = jpeg.indexOf(scanMarker)
  return Buffer.concat([jpeg.subarray(0, at), inserted, jpeg.subarray(at)])
}

/** Number of libvips operations, from its start and end events. */
async function countTasks(work: () => Promise<unknown>): Promise<number> {
  let changes = 0
  const count = (): void => {
    changes += 1
  }
  sharp.queue.on('change', count)
  await work()
  await setImmediate() // the last end event arrives after the last result
  sharp.queue.removeListener('change', count)
  return changes / 2
}

void test('C25: an ordinary photo is decoded once, and the base and each size are cut and written once', async () => {
  const photo = await jpegPicture({ width: 700, height: 500 })
  const small = imageSizes.length - 1
  const cutsAndFiles = small - 1 + small + 1 // the largest is the decoded picture
  assert.equal(await countTasks(() => examine(photo, standardLimits)), 1 + cutsAndFiles)
})

async function baseOf(width: number, height: number): Promise<Pixels> {
  const { data } = await landscape(5, { width, height }).raw().toBuffer({ resolveWithObject: true })
  return { data, width, height, channels: 3 }
}

function meanDifference(one: Uint8Array, other: Uint8Array): number {
  let sum = 0
  for (const [index, value] of one.entries()) sum += Math.abs(value - (other[index] ?? 0))
  return sum / one.length
}

void test('a JPEG size is sequential, with its own Huffman tables where that costs little', async () => {
  const [large, , small] = await cutSmallSizes(await baseOf(640, 480))
  assert.ok(large && small)
  const plain = async ({ pixels }: Cut, optimiseCoding: boolean) => {
    const { data, ...raw } = pixels
    return sharp(data, { raw }).jpeg({ quality: 80, optimiseCoding }).toBuffer()
  }
  // By length, since printing a difference of bytes takes a minute.
  assert.equal((await encodePlain(large)).bytes.length, (await plain(large, false)).length)
  assert.equal((await encodePlain(small)).bytes.length, (await plain(small, true)).length)
})

const shapes: readonly (readonly [base: [number, number], md: string, sm: string])[] = [
  [[400, 300], '300x225', '100x75'],
  [[240, 320], '225x300', '75x100'],
  [[1500, 150], '300x30', '100x10'],
  [[200, 120], '200x120', '100x60'],
  [[90, 60], '90x60', '90x60'],
  [[640, 1], '300x1', '100x1'],
]
for (const [[width, height], md, sm] of shapes) {
  void test(`C25: at ${width} by ${height} pixels each size equals one cut from the whole`, async () => {
    const base = await baseOf(width, height)
    const cuts = await cutSmallSizes(base)
    const ofContract = cuts.filter(({ size }) => ['640', 'md', '150', 'sm'].includes(size))
    const sizes = ofContract.map(({ size, pixels }) => [size, `${pixels.width}x${pixels.height}`])
    const largest = width > 640 ? '640x64' : `${width}x${height}`
    assert.deepEqual(sizes, [
      ['640', largest],
      ['md', md],
      ['150', '150x150'],
      ['sm', sm],
    ])
    const raw = { width, height, channels: 3 } as const
    for (const { size, pixels } of cuts) {
      const fit = size === '150' ? 'cover' : 'fill'
      const box = { width: pixels.width, height: pixels.height, fit } as const
      const whole = await sharp(base.data, { raw }).resize(box).raw().toBuffer()
      assert.equal(whole.length, pixels.data.length)
      const off = meanDifference(whole, pixels.data)
      // The short side of md would have to be enlarged for the square, so that is generated from the base.
      const isWholeCut = size === '150' && Math.min(width, height) * 2 < Math.max(width, height)
      assert.ok(isWholeCut ? off === 0 : off < 2, `${size} is off by ${off}`)
    }
  })
}

const comment = Buffer.concat([Uint8Array.of(0xff, 0xfe, 0, 6), Buffer.from('mine')])

const bmp = Buffer.from(
  '424d3a000000000000003600000028000000010000000100000001001800000000000400000000000000000000000000000000000000102030000000',
  'hex',
)

/** Each frame contains a comment, which is removed. */
function gifWithRemarks(frames: number): Buffer {
  const remark = gifExtension(0xfe, Buffer.from('mine'))
  const controlBytes = 8
  const frame = insertAt(gifFrame({ delay: 1 }), controlBytes, remark)
  return makeGif(Array.from({ length: frames }, () => Buffer.concat([remark, frame])))
}

void test('C25: an outcome is sent without size lg, and is the same when it arrives', async () => {
  const photo = await jpegPicture({ width: 60, height: 40 })
  const uploads: readonly (readonly [name: string, upload: Uint8Array, travels: boolean])[] = [
    ['JPEG', withInserted(photo, comment), false],
    ['turned JPEG', await sharp(photo).withMetadata({ orientation: 6 }).jpeg().toBuffer(), false],
    ['PNG', await pngPicture({ width: 30, height: 20 }), false],
    ['PNG with transparency', await transparentPng({ width: 30, height: 20 }), false],
    ['GIF', await gifPicture({ width: 30, height: 20 }), false],
    ['BMP', bmp, true],
    ['GIF in a thousand pieces', gifWithRemarks(600), true],
  ]
  for (const [name, upload, travels] of uploads) {
    const outcome = await examine(upload, standardLimits)
    assert.ok(outcome.ok, name)
    const sent = structuredClone(forTravel(outcome))
    assert.ok(sent.ok)
    const bytesSent = sent.examined.renditions.find((one) => one.name === 'lg')?.bytes.length
    assert.equal((bytesSent ?? 0) > 0, travels, name)
    const arrived = await afterTravel(sent, inMemory(upload))
    const reported = (examined: typeof arrived) => ({
      ...examined,
      renditions: examined.renditions.map((one) => ({ ...one, bytes: Buffer.from(one.bytes) })),
    })
    assert.deepEqual(reported(arrived), reported(outcome.examined), name)
  }
})

void test('a refusal is sent unchanged', async () => {
  const outcome = await examine(Buffer.from('GIF89a'), standardLimits)
  assert.equal(outcome.ok, false)
  assert.deepEqual(forTravel(outcome), outcome)
})
