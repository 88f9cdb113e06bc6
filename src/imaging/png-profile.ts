// What of a PNG's colour profile may be served: one that is whole, of a sane size, and nothing beside it.
import { deflateSync, inflateSync } from 'node:zlib'
import { latin1, standsAt } from './container-parts.ts'

/** Real profiles are mostly under 1 MiB; a bomb would go off in every viewer that trusts what it is served. */
const mostProfileBytes = 4_194_304
const longestName = 79
const iccHeaderBytes = 128
const iccSignatureAt = 36
const iccSignature = latin1('acsp')
const start = latin1('ICC\0\0')

/**
 * The data of the iCCP chunk to serve in place of `data`, or undefined where that holds no profile. Editors put file
 * names and the like into the profile's name, which decoders do not read. What stands behind the profile, inside its
 * compressed stream or after it, is dropped by compressing the profile anew.
 */
export function cleanProfile(data: Uint8Array): Uint8Array | undefined {
  const nameEnd = data.subarray(0, longestName + 1).indexOf(0)
  if (nameEnd < 1 || data[nameEnd + 1] !== 0) return undefined
  const inflated = inflate(data.subarray(nameEnd + 2))
  if (inflated === undefined || !standsAt(inflated, iccSignatureAt, iccSignature)) return undefined
  const length = new DataView(inflated.buffer, inflated.byteOffset, inflated.byteLength).getUint32(0)
  if (length < iccHeaderBytes || length > inflated.length) return undefined
  return Buffer.concat([start, deflateSync(inflated.subarray(0, length))])
}

function inflate(compressed: Uint8Array): Uint8Array | undefined {
  try {
    return inflateSync(compressed, { maxOutputLength: mostProfileBytes })
  } catch {
    return undefined
  }
}
