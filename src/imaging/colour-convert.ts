// Takes decoded pixels of another colour space to sRGB: by curve and primaries, by a profile that rides along, or as inks.
import { deflateSync } from 'node:zlib'
import { apply, toLight, toSrgbMatrix, toSrgbValue, type ColourSpace } from './colour-space.ts'
import { latin1 } from '../shared/formats/bytes.ts'
import { joinPieces } from './container-parts.ts'
import { pngSignature } from '../shared/formats/image-formats.ts'
import { writeChunk } from './formats/png/png-chunks.ts'

interface Samples {
  /** 8 or 16 bits each. */
  readonly samples: Uint8Array | Uint16Array
  readonly width: number
  readonly height: number
  readonly channels: 1 | 2 | 3 | 4
}

interface Converted {
  readonly data: Buffer
  readonly width: number
  readonly height: number
  readonly channels: 1 | 2 | 3 | 4
}

/** Entries of the table from light to stored values: over a tenth of a step apart nowhere but in the near black. */
const steps = 65_535

/** 8-bit sRGB from `space`; transparency is unchanged. */
export function fromColourSpace(
  space: ColourSpace,
  { samples, width, height, channels }: Samples,
): Converted {
  const max = samples instanceof Uint16Array ? 65_535 : 255
  const light = space.transfer.map((transfer) =>
    Float64Array.from({ length: max + 1 }, (_, value) => toLight(transfer, value / max)),
  )
  const stored = Uint8Array.from({ length: steps + 1 }, (_, step) =>
    Math.round(toSrgbValue(step / steps) * 255),
  )
  const store = (value: number): number => stored[Math.round(Math.min(1, Math.max(0, value)) * steps)] ?? 0
  const matrix = toSrgbMatrix(space.primaries)
  const lightOf = (channel: number, value: number): number => light[channel]?.[value] ?? 0
  const data = Buffer.alloc(samples.length)
  const hasAlpha = channels === 2 || channels === 4
  for (let at = 0; at < samples.length; at += channels) {
    if (channels < 3) {
      data[at] = store(lightOf(0, samples[at] ?? 0))
    } else {
      const [red, green, blue] = apply(matrix, [
        lightOf(0, samples[at] ?? 0),
        lightOf(1, samples[at + 1] ?? 0),
        lightOf(2, samples[at + 2] ?? 0),
      ])
      data[at] = store(red)
      data[at + 1] = store(green)
      data[at + 2] = store(blue)
    }
    if (hasAlpha) {
      const alpha = at + channels - 1
      data[alpha] = Math.round(((samples[alpha] ?? 0) * 255) / max)
    }
  }
  return { data, width, height, channels }
}

/** CMYK without a profile, as browsers show it: each ink is multiplied by black. */
export function fromInks({ samples, width, height }: Samples): Converted {
  const data = Buffer.alloc(3 * width * height)
  for (let from = 0, to = 0; to < data.length; from += 4, to += 3) {
    const light = 255 - (samples[from + 3] ?? 0)
    for (let ink = 0; ink < 3; ink += 1) {
      // Without rounding, as they have it.
      data[to + ink] = Math.floor(((255 - (samples[from + ink] ?? 0)) * light) / 255)
    }
  }
  return { data, width, height, channels: 3 }
}

const colourTypes = { 1: 0, 2: 4, 3: 2, 4: 6 } as const

/** The pixels as a PNG that carries the profile: raw pixels cannot carry one into the decoder. */
export function withProfile({ data, width, height, channels }: Converted, profile: Uint8Array): Uint8Array {
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  header.set([8, colourTypes[channels], 0, 0, 0], 8)
  const rowBytes = width * channels
  const rows = new Uint8Array(height * (rowBytes + 1))
  for (let y = 0; y < height; y += 1) {
    rows.set(data.subarray(y * rowBytes, (y + 1) * rowBytes), y * (rowBytes + 1) + 1)
  }
  return joinPieces(new Uint8Array(), [
    pngSignature,
    writeChunk('IHDR', header),
    writeChunk('iCCP', Buffer.concat([latin1('ICC\0\0'), deflateSync(profile, { level: 0 })])),
    writeChunk('IDAT', deflateSync(rows, { level: 0 })),
    writeChunk('IEND', new Uint8Array()),
  ])
}
