// What the service takes, as far as it can be told before sending (contract C14, C15), and whether a photo is within it.
import { isUploadFormat } from '../../src/shared/formats/converted-formats.ts'
import type { PhotoFacts, PhotoProblem, Question } from './photo.ts'

/** The server's standard (src/imaging/image-limits.ts); an operator may lower them, and then the server says so. */
export const maxSide = 16_384
export const maxPixels = 100_000_000

/** The longer side that a picture must be drawn with to be within the limits; its own where it is. */
export function fittingSide(
  { width, height }: { readonly width: number; readonly height: number },
  limits: { readonly maxSide: number; readonly maxPixels: number },
): number {
  const side = Math.max(width, height)
  const byPixels = side * Math.sqrt(limits.maxPixels / (width * height))
  return Math.max(1, Math.floor(Math.min(side, limits.maxSide, byPixels)))
}

export interface LimitCheck {
  readonly question?: Question | undefined
  readonly problem?: PhotoProblem | undefined
}

interface PhotoToCheck {
  readonly facts: PhotoFacts
  readonly bytes: number
  readonly maxBytes: number
  readonly isDecodable: boolean
}

type Unusable = 'undecodable' | 'too-large'

/** Whether it can be sent as it is, after a change, or not at all. */
export function checkLimits(
  { facts, bytes, maxBytes, isDecodable }: PhotoToCheck,
  tell: (why: Unusable, kind: string) => PhotoProblem,
): LimitCheck {
  const { kind, width = 0, height = 0 } = facts
  if (!isUploadFormat(kind))
    return isDecodable ? { question: { kind: 'convert' } } : { problem: tell('undecodable', kind) }
  const hasTooManyPixels = Math.max(width, height) > maxSide || width * height > maxPixels
  if (bytes <= maxBytes && !hasTooManyPixels) return {}
  if (!isDecodable) return { problem: tell('too-large', kind) }
  return { question: { kind: 'shrink', why: bytes > maxBytes ? 'bytes' : 'pixels' } }
}
