// The colour information of a PNG, in the format's order of precedence: cICP, iCCP, sRGB, then gAMA with cHRM.
import { codedSpace } from '../../coded-colours.ts'
import { colourSpace, srgbPrimaries } from '../../colour-space.ts'
import type { ColourSpace, Primaries, Transfer } from '../../colour-space.ts'
import { readUint32, type Stretch } from '../../container-parts.ts'
import type { Chunk } from './png-chunks.ts'

/** Gammas outside this range are errors or attacks: no display has them. */
const minExponent = 0.2
const maxExponent = 10
const srgbGamma: Transfer = { kind: 'srgb' }

export interface PngColours {
  /** Registers a chunk that the strip keeps; each type once. */
  take(bytes: Uint8Array, chunk: Chunk): void
  /** Chunks that decoders ignore, because another one takes precedence. */
  overridden(): Stretch[]
  /** The source space for conversion, if there is no profile; undefined with a profile, and for sRGB. */
  space(): ColourSpace | undefined
}

export function createPngColours(): PngColours {
  const chunks = new Map<string, { readonly chunk: Chunk; readonly data: Uint8Array }>()

  /** cICP may say sRGB while a profile, for older decoders, says something else. */
  function coded(): ColourSpace | undefined {
    const [primaries, transfer, matrix, range] = chunks.get('cICP')?.data ?? []
    if (primaries === undefined || transfer === undefined || matrix !== 0 || range !== 1) return undefined
    return codedSpace(primaries, transfer)
  }

  function measured(): ColourSpace | undefined {
    const gamma = chunks.get('gAMA')?.data
    const points = chunks.get('cHRM')?.data
    // Only chromaticities: browsers need both chunks for a colour space.
    if (gamma === undefined) return undefined
    const exponent = 100_000 / readUint32(gamma, 0)
    if (!(exponent >= minExponent && exponent <= maxExponent)) return undefined
    const power: Transfer = { kind: 'power', exponent }
    const isLikeSrgb = Math.abs(exponent / 2.2 - 1) <= 0.05
    const curve = isLikeSrgb ? srgbGamma : power
    const transfer = [curve, curve, curve] as const
    const primaries = points === undefined ? srgbPrimaries : readChromaticities(points)
    return colourSpace({ transfer, primaries }) ?? colourSpace({ transfer, primaries: srgbPrimaries })
  }

  return {
    take(bytes, chunk) {
      chunks.set(chunk.type, { chunk, data: bytes.subarray(chunk.body, chunk.bodyEnd) })
    },
    overridden() {
      if (!chunks.has('iCCP') && !chunks.has('sRGB')) return []
      const [gamma, points] = [chunks.get('gAMA'), chunks.get('cHRM')]
      return [gamma, points].flatMap((one) => (one === undefined ? [] : [one.chunk]))
    },
    space() {
      const space = coded()
      if (space !== undefined) return chunks.has('iCCP') ? space : colourSpace(space)
      return chunks.has('iCCP') || chunks.has('sRGB') ? undefined : measured()
    },
  }
}

/** The value of an x or y of 1. No colour exceeds it, but 32 bytes of text do. */
const whole = 100_000

/** Whether the eight numbers of cHRM are valid; decoders ignore the chunk otherwise. */
export function areChromaticities(data: Uint8Array): boolean {
  return [0, 4, 8, 12, 16, 20, 24, 28].every((at) => readUint32(data, at) <= whole)
}

function readChromaticities(data: Uint8Array): Primaries {
  const point = (at: number): readonly [number, number] => [
    readUint32(data, at) / whole,
    readUint32(data, at + 4) / whole,
  ]
  return { white: point(0), red: point(8), green: point(16), blue: point(24) }
}
