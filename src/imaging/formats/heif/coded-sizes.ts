// The dimensions of the coded pictures of a HEIC or AVIF, from their own headers: decoders allocate by these.
import { byteAt, damaged, readUint16, readUint32 } from '../../container-parts.ts'
import { truncated } from '../../converted.ts'

interface CodedSize {
  readonly width: number
  readonly height: number
}

function createBits(bytes: Uint8Array) {
  let at = 0
  const bit = (): number => {
    const value = (byteAt(bytes, at >> 3) >> (7 - (at & 7))) & 1
    at += 1
    return value
  }
  const bits = (count: number): number => {
    let value = 0
    for (let index = 0; index < count; index += 1) value = value * 2 + bit()
    return value
  }
  return {
    bits,
    skip: (count: number): void => {
      at += count
    },
    /** Exp-Golomb, and its equivalent in AV1. */
    golomb: (): number => {
      let zeros = 0
      while (bit() === 0) {
        zeros += 1
        if (zeros > 31) throw damaged('The header of its pixel data is damaged.')
      }
      return 2 ** zeros - 1 + bits(zeros)
    },
  }
}

const sequenceParameterSet = 33
/** Far more than any has. A 3 is inserted into runs of zeros within the data. */
const maxParameterBytes = 256

function unescaped(unit: Uint8Array): Uint8Array {
  const kept: number[] = []
  for (const [index, value] of unit.subarray(0, maxParameterBytes).entries())
    if (!(value === 3 && index >= 2 && unit[index - 1] === 0 && unit[index - 2] === 0)) kept.push(value)
  return Uint8Array.from(kept)
}

/** ITU-T H.265, 7.3.2.2. */
function readParameterSet(unit: Uint8Array): CodedSize {
  const { bits, skip, golomb } = createBits(unescaped(unit))
  skip(16 + 4)
  const subLayers = bits(3)
  skip(1 + 96)
  const present = Array.from({ length: subLayers }, () => [bits(1), bits(1)] as const)
  if (subLayers > 0) skip(2 * (8 - subLayers))
  for (const [hasProfile, hasLevel] of present) skip(88 * hasProfile + 8 * hasLevel)
  golomb()
  if (golomb() === 3) skip(1)
  return { width: golomb(), height: golomb() }
}

const isParameterSet = (unit: Uint8Array): boolean => ((byteAt(unit, 0) >> 1) & 63) === sequenceParameterSet

/**
 * For HEVC: the sizes in all parameter sets that the decoder gets.
 * @param configuration the body of the hvcC box.
 */
export function hevcSizes(configuration: Uint8Array, data: Uint8Array): CodedSize[] {
  const sizes: CodedSize[] = []
  let at = 23
  for (let array = byteAt(configuration, 22); array > 0; array -= 1) {
    let units = readUint16(configuration, at + 1)
    at += 3
    for (; units > 0; units -= 1) {
      const from = at + 2
      at = from + readUint16(configuration, at)
      if (at > configuration.length) truncated('the header of its pixel data')
      if (at > from && isParameterSet(configuration.subarray(from, at)))
        sizes.push(readParameterSet(configuration.subarray(from, at)))
    }
  }
  if ((byteAt(configuration, 21) & 3) !== 3) throw damaged('Its pixel data is coded in an unusual way.')
  for (let from = 4; from <= data.length;) {
    const to = from + readUint32(data, from - 4)
    if (to > data.length) truncated('its pixel data')
    if (to > from && isParameterSet(data.subarray(from, to)))
      sizes.push(readParameterSet(data.subarray(from, to)))
    from = to + 4
  }
  return sizes
}

const sequenceHeader = 1

/** AV1 bitstream specification, 5.5. */
function readSequenceHeader(unit: Uint8Array): CodedSize {
  const { bits, skip, golomb } = createBits(unit)
  skip(3 + 1)
  if (bits(1) === 1) skip(5)
  else {
    let delayBits = 0
    let hasModel = false
    if (bits(1) === 1) {
      skip(64)
      if (bits(1) === 1) golomb()
      hasModel = bits(1) === 1
      if (hasModel) {
        delayBits = bits(5) + 1
        skip(32 + 5 + 5)
      }
    }
    const hasDelay = bits(1) === 1
    for (let points = bits(5) + 1; points > 0; points -= 1) {
      skip(12)
      if (bits(5) > 7) skip(1)
      if (hasModel && bits(1) === 1) skip(2 * delayBits + 1)
      if (hasDelay && bits(1) === 1) skip(4)
    }
  }
  const [widthBits, heightBits] = [bits(4) + 1, bits(4) + 1]
  return { width: bits(widthBits) + 1, height: bits(heightBits) + 1 }
}

/**
 * For AV1: the sizes in all sequence headers that the decoder gets. @param configuration the body of the av1C box.
 */
export function av1Sizes(configuration: Uint8Array, data: Uint8Array): CodedSize[] {
  return [configuration.subarray(4), data].flatMap((units) => {
    const sizes: CodedSize[] = []
    for (let at = 0; at < units.length;) {
      const header = byteAt(units, at)
      at += (header & 4) === 0 ? 1 : 2
      let length = (header & 2) === 0 ? units.length - at : 0
      if ((header & 2) !== 0)
        for (let shift = 0; ; shift += 7) {
          const byte = byteAt(units, at)
          at += 1
          length += (byte & 127) * 2 ** shift
          if (byte < 128) break
          if (shift > 28) throw damaged('Its pixel data is damaged.')
        }
      if (at + length > units.length) truncated('its pixel data')
      if (((header >> 3) & 15) === sequenceHeader)
        sizes.push(readSequenceHeader(units.subarray(at, at + length)))
      at += length
    }
    return sizes
  })
}
