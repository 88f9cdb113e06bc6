// The part of a PNG's colour profile that may be served: a complete one of a reasonable size, and nothing else.
import { deflateSync, inflateSync } from 'node:zlib'
import { latin1 } from '../../../shared/formats/bytes.ts'
import { cleanIccProfile } from '../icc/icc-profile.ts'

/** Real profiles are usually under 1 MiB; viewers trust what we serve, and would inflate a zip bomb. */
const maxProfileBytes = 4_194_304
const maxNameLength = 79
const start = latin1('ICC\0\0')

/**
 * The data of the iCCP chunk to serve instead of `data`, or undefined if that contains no profile: the cleaned
 * profile, compressed again under a neutral name. Editors write file names and the like into the name, which decoders
 * ignore.
 */
export function cleanProfile(data: Uint8Array): Uint8Array | undefined {
  const nameEnd = data.subarray(0, maxNameLength + 1).indexOf(0)
  if (nameEnd < 1 || data[nameEnd + 1] !== 0) return undefined
  const inflated = inflate(data.subarray(nameEnd + 2))
  const profile = inflated === undefined ? undefined : cleanIccProfile(inflated)
  return profile === undefined ? undefined : Buffer.concat([start, deflateSync(profile)])
}

function inflate(compressed: Uint8Array): Uint8Array | undefined {
  try {
    return inflateSync(compressed, { maxOutputLength: maxProfileBytes })
  } catch {
    return undefined
  }
}
