// Prepares a gpx before the transaction that stores it: parsed, validated, measured and packed, in steps.
import { createHash } from 'node:crypto'
import { countCharacters } from '../../shared/text/characters.ts'
import type { GpxLimits } from '../../shared/gpx/gpx.ts'
import { runYielding } from '../../shared/yielding.ts'
import { maxNameLength } from '../../shared/classic/route-kinds.ts'
import { refuse } from '../../errors.ts'
import { examineGpx, type ExaminedGpx, type MeasuredLines } from './measured.ts'
import { packText } from './packed.ts'

export interface GpxRules {
  readonly gpxLimits: GpxLimits
  /** Setting GPX_CHECK. */
  readonly gpxCheck: 'on' | 'off'
}

const bytesOfStep = 1024 ** 2

function* hashing(body: Uint8Array): Generator<undefined, string> {
  const hash = createHash('sha256')
  for (let at = 0; at < body.length; at += bytesOfStep) {
    hash.update(body.subarray(at, at + bytesOfStep))
    yield
  }
  return hash.digest('hex')
}

/** Digest of a request's body, which identifies a repetition. */
export const digestOf = (body: Uint8Array): Promise<string> => runYielding(hashing(body))

/** The name of the document, or of its first line that has one. */
function nameIn({ gpx }: ExaminedGpx): string | undefined {
  const isNamed = ({ name }: { readonly name: string | undefined }) => name !== undefined
  const name = gpx?.name ?? gpx?.tracks.find(isNamed)?.name ?? gpx?.routes.find(isNamed)?.name
  return name !== undefined && countCharacters(name) <= maxNameLength ? name : undefined
}

/** A gpx that is ready to be stored in a transaction without further work. Its points have been released. */
export interface PreparedGpx {
  readonly measured: MeasuredLines
  readonly name: string | undefined
  readonly packed: Uint8Array
  readonly bytes: number
}

/** @returns a function that prepares a gpx. @throws refusal `invalid-field` with line and element. */
export function createGpxPreparation({ gpxLimits, gpxCheck }: GpxRules) {
  /** @throws refusal `invalid-field` with line and element. */
  async function examine(gpx: string): Promise<Pick<PreparedGpx, 'measured' | 'name'>> {
    const examined = await examineGpx(gpx, gpxLimits)
    if (examined.fault && gpxCheck === 'on') throw refuse('invalid-field', { detail: examined.fault.detail })
    const { measures, box, geometryHash } = examined
    return { measured: { measures, box, geometryHash }, name: nameIn(examined) }
  }

  /** @throws refusal `invalid-field`. */
  async function prepare(gpx: string): Promise<PreparedGpx> {
    const examined = await examine(gpx)
    return { ...examined, packed: await packText(gpx), bytes: Buffer.byteLength(gpx, 'utf8') }
  }

  return prepare
}
