// What of a PNG's colour profile may be served: one that is whole, of a sane size, and nothing beside it.
import { deflateSync, inflateSync } from 'node:zlib'
import { latin1 } from '../../../shared/formats/bytes.ts'
import { cleanIccProfile } from '../icc/icc-profile.ts'

/** Real profiles are mostly under 1 MiB; a bomb would go off in every viewer that trusts what it is served. */
const maxProfileBytes = 4_194_304
const maxNameLength = 79
const start = latin1('ICC\0\0')

/**
 * The data of the iCCP chunk to serve in place of `data`, or undefined where that holds no profile: the profile with
 * just what colour needs, compressed anew under a neutral name. Editors put file names and the like into the name,
 * which decoders do not read.
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
