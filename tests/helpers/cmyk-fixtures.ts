// CMYK JPEGs whose blocks have one colour each. They are encoded here, so every sample is known exactly.
import { jpegSegment } from './containers-fixtures.ts'

/** Cyan, magenta, yellow and black as stored in a JPEG: 255 means no ink. */
export type Inks = readonly [cyan: number, magenta: number, yellow: number, black: number]

/** The colour transform in Adobe's marker; `undefined` for a file without the marker. */
export type AdobeTransform = 0 | 2 | undefined

const blockSide = 8
/** With this quantisation divisor, the DC coefficient equals the sample. */
const divisor = 8
const codeBits = 4

/** A DC difference as JPEG encodes it: the number of bits, then the bits. */
function differenceBits(difference: number): string {
  const length = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1
  const value = difference < 0 ? difference + 2 ** length - 1 : difference
  const bits = length === 0 ? '' : value.toString(2).padStart(length, '0')
  return length.toString(2).padStart(codeBits, '0') + bits
}

/**
 * Y, Cb and Cr, which decoders convert to red, green and blue, taken as 255 minus the first three samples. Black is
 * unchanged.
 */
function toYcck([cyan, magenta, yellow, black]: Inks): Inks {
  const [red, green, blue] = [255 - cyan, 255 - magenta, 255 - yellow]
  const luma = 0.299 * red + 0.587 * green + 0.114 * blue
  const chroma = [128 + (blue - luma) / 1.772, 128 + (red - luma) / 1.402]
  const [cb = 0, cr = 0] = chroma.map((value) => Math.min(255, Math.round(value)))
  return [Math.round(luma), cb, cr, black]
}

function codeBlocks(rows: readonly (readonly Inks[])[]): Buffer {
  const before = [128, 128, 128, 128]
  let bits = ''
  for (const inks of rows.flat()) {
    for (const [index, sample] of inks.entries()) {
      bits += `${differenceBits(sample - (before[index] ?? 0))}0`
      before[index] = sample
    }
  }
  const bytes = (bits.padEnd(8 * Math.ceil(bits.length / 8), '1').match(/.{8}/g) ?? []).flatMap((byte) => {
    const value = Number.parseInt(byte, 2)
    return value === 0xff ? [0xff, 0] : [value]
  })
  return Buffer.from(bytes)
}

/** A JPEG with a block of 8 by 8 pixels for each colour, encoded as `transform` says. `segments` come first. */
export function inkJpeg(
  rows: readonly (readonly Inks[])[],
  { transform, segments = [] }: { transform: AdobeTransform; segments?: readonly Buffer[] },
): Buffer {
  const coded = transform === 2 ? rows.map((row) => row.map(toYcck)) : rows
  const height = blockSide * rows.length
  const width = blockSide * (rows[0]?.length ?? 0)
  const size = Buffer.alloc(4)
  size.writeUInt16BE(height, 0)
  size.writeUInt16BE(width, 2)
  const ids = [1, 2, 3, 4]
  const lengths = Array.from({ length: 9 }, (_, length) => length)
  const fours = [0, 0, 0, lengths.length, ...Array<number>(12).fill(0), ...lengths]
  const endAlone = [1, ...Array<number>(15).fill(0), 0]
  const adobe = Buffer.from([...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, transform ?? 0])
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    ...segments,
    ...(transform === undefined ? [] : [jpegSegment(0xee, adobe)]),
    jpegSegment(0xdb, Buffer.alloc(65, divisor).fill(0, 0, 1)),
    jpegSegment(0xc0, Buffer.from([8, ...size, ids.length, ...ids.flatMap((id) => [id, 0x11, 0])])),
    jpegSegment(0xc4, Buffer.from([0x00, ...fours, 0x10, ...endAlone])),
    jpegSegment(0xda, Buffer.from([ids.length, ...ids.flatMap((id) => [id, 0]), 0, 63, 0])),
    codeBlocks(coded),
    Buffer.of(0xff, 0xd9),
  ])
}

const levels = [0, 85, 170, 255]

/** All combinations of four levels of each ink, in rows of sixteen. */
export const mixtures: readonly (readonly Inks[])[] = levels.flatMap((cyan) =>
  levels.map((magenta) =>
    levels.flatMap((yellow) => levels.map((black): Inks => [cyan, magenta, yellow, black])),
  ),
)
