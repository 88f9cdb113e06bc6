// Builds colour profiles tag by tag, parses them, and compares them using pictures that contain them.
import assert from 'node:assert/strict'
import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { insertAt, jpegSegment, pngChunk } from './containers-fixtures.ts'
import { insertSegments } from './exif-fixtures.ts'

export interface IccTag {
  readonly name: string
  readonly data: Uint8Array
}

export interface IccHeader {
  readonly version?: number
  readonly class?: string
  readonly space?: string
  readonly connection?: string
}

/** A profile in which each tag has its own data, with `filling` between tags and in unused header fields. */
export function makeIcc(tags: readonly IccTag[], header: IccHeader = {}, filling = ''): Buffer {
  const { version = 4, class: kind = 'mntr', space = 'RGB ', connection = 'XYZ ' } = header
  const gap = Buffer.from(filling)
  const head = Buffer.alloc(128)
  if (gap.length > 0) head.fill(gap)
  head.writeUInt32BE(version * 0x0100_0000, 8)
  head.write(kind + space + connection, 12, 'latin1')
  head.write('acsp', 36, 'latin1')
  head.writeUInt32BE(0, 64)
  const count = Buffer.alloc(4)
  count.writeUInt32BE(tags.length)
  const table = Buffer.alloc(12 * tags.length)
  const bodies: Uint8Array[] = []
  let end = 132 + table.length
  for (const [index, { name, data }] of tags.entries()) {
    const body = Buffer.concat([gap, Buffer.alloc((4 - ((end + gap.length) % 4)) % 4), data])
    table.write(name, 12 * index, 'latin1')
    table.writeUInt32BE(end + body.length - data.length, 12 * index + 4)
    table.writeUInt32BE(data.length, 12 * index + 8)
    bodies.push(body)
    end += body.length
  }
  // libpng rejects profiles of version 4 and later whose size is not a multiple of four.
  const rest = Buffer.alloc((4 - ((end + gap.length) % 4)) % 4)
  const profile = Buffer.concat([head, count, table, ...bodies, gap, rest])
  profile.writeUInt32BE(profile.length, 0)
  return profile
}

export function readIcc(profile: Uint8Array): IccTag[] {
  const buffer = Buffer.from(profile)
  assert.equal(buffer.readUInt32BE(0), buffer.length)
  return Array.from({ length: buffer.readUInt32BE(128) }, (_, index) => {
    const entry = 132 + 12 * index
    const from = buffer.readUInt32BE(entry + 4)
    const data = buffer.subarray(from, from + buffer.readUInt32BE(entry + 8))
    return { name: buffer.toString('latin1', entry, entry + 4), data }
  })
}

/** s15Fixed16 numbers. */
export function fixed(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length)
  for (const [index, value] of numbers.entries()) bytes.writeInt32BE(Math.round(value * 65_536), 4 * index)
  return bytes
}

/** Colours across the whole space, in steps, with 3 or 4 channels (1 for grey). */
function colourGrid(channels: number): {
  readonly data: Buffer
  readonly width: number
  readonly height: number
} {
  const steps = channels === 1 ? 256 : channels === 3 ? 13 : 7
  const count = steps ** channels
  const side = Math.ceil(Math.sqrt(count))
  const data = Buffer.alloc(side * side * channels)
  for (let index = 0; index < count; index += 1) {
    for (let channel = 0; channel < channels; channel += 1) {
      const step = Math.floor(index / steps ** channel) % steps
      data[index * channels + channel] = Math.round((step * 255) / (steps - 1))
    }
  }
  return { data, width: side, height: side }
}

/** A picture of the whole space with the profile: a PNG, or a JPEG for four channels. */
async function pictureWith(profile: Uint8Array, channels: 1 | 3 | 4): Promise<Buffer> {
  const { data, width, height } = colourGrid(channels)
  if (channels === 4) {
    const jpeg = await sharp(data, { raw: { width, height, channels } })
      .pipelineColourspace('cmyk')
      .toColourspace('cmyk')
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
      .toBuffer()
    return insertSegments(jpeg, iccSegments(profile))
  }
  const raw = sharp(data, { raw: { width, height, channels } })
  const png = await raw
    .toColourspace(channels === 1 ? 'b-w' : 'srgb')
    .png()
    .toBuffer()
  const iccp = Buffer.concat([Buffer.from('p\0\0'), deflateSync(profile)])
  return insertAt(png, 33, pngChunk('iCCP', iccp))
}

export function iccSegments(profile: Uint8Array): Buffer[] {
  const size = 65_519
  const count = Math.ceil(profile.length / size)
  return Array.from({ length: count }, (_, index) =>
    jpegSegment(
      0xe2,
      Buffer.concat([
        Buffer.from('ICC_PROFILE\0'),
        Buffer.of(index + 1, count),
        profile.subarray(index * size, (index + 1) * size),
      ]),
    ),
  )
}

/** The whole space of the profile, converted to sRGB. */
export async function shownBy(profile: Uint8Array): Promise<Buffer> {
  const space = Buffer.from(profile).toString('latin1', 16, 20)
  const channels = space === 'CMYK' ? 4 : space === 'GRAY' ? 1 : 3
  const picture = await pictureWith(profile, channels)
  assert.ok((await sharp(picture).metadata()).icc !== undefined)
  return sharp(picture).toColourspace('srgb').removeAlpha().raw().toBuffer()
}
