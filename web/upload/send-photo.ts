// Sends one photo, and says in one word what became of it: made, refused, later, or something the whole queue waits for.
import { isUnreachable, isWaymarkProblem, type Waymark } from '../../client/client.ts'
import type { PhotoProblem, QueuedPhoto, SentDetails } from './photo.ts'
import { common } from '../strings/common.ts'
import { photoFormats } from './formats/photo-kind.ts'

export type SendOutcome =
  | { readonly kind: 'made'; readonly imageId: number; readonly status: string }
  | { readonly kind: 'refused'; readonly problem: PhotoProblem }
  | {
      readonly kind: 'later'
      /** What the server asked for; else it is a matter of the attempts. */
      readonly afterMs: number | undefined
      readonly mayBeDone: boolean
      readonly waitsFor: 'connection' | 'server'
    }
  | { readonly kind: 'sign-in' }
  | { readonly kind: 'other-terms' }
  | { readonly kind: 'stopped' }

export interface Sending {
  /** Without a fetch of its own, since only XMLHttpRequest tells how far it is; and without retries, which are the queue's. */
  readonly waymark: Waymark
  readonly photo: QueuedPhoto
  readonly file: Blob
  readonly details: SentDetails
  readonly signal: AbortSignal
  readonly onProgress: (sentBytes: number, isWhole: boolean) => void
}

/** Of a fault of the server: tried again so often, then it is told as it is. */
const maxFaults = 5

export const problemOf = (error: unknown): PhotoProblem => {
  if (!isWaymarkProblem(error)) {
    const { unknown: title, unknownDetail: detail } = common.problem
    return { code: 'unknown', title, detail }
  }
  const { code, title, detail = '', instance } = error
  return { code, title, detail, requestId: instance }
}

function afterProblem(error: unknown, attempts: number): SendOutcome {
  if (isUnreachable(error))
    return { kind: 'later', afterMs: undefined, mayBeDone: error.mayBeDone, waitsFor: 'connection' }
  if (!isWaymarkProblem(error)) return { kind: 'refused', problem: problemOf(error) }
  const { status, code, retryAfterSeconds } = error
  if (status === 401) return { kind: 'sign-in' }
  if (code === 'other-terms') return { kind: 'other-terms' }
  const asksToWait = status === 429 || status === 503 || status === 408
  const isFault = status >= 500 && attempts < maxFaults
  if (!asksToWait && !isFault) return { kind: 'refused', problem: problemOf(error) }
  const afterMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1_000
  return { kind: 'later', afterMs, mayBeDone: status >= 500 || status === 408, waitsFor: 'server' }
}

export async function sendPhoto(sending: Sending): Promise<SendOutcome> {
  const { waymark, photo, file, details, signal, onProgress } = sending
  const { trail, key, attempts, name, bytes, facts } = photo
  if (trail === undefined) return { kind: 'stopped' }
  const { termsVersion, ...texts } = details
  try {
    const image = await waymark.images.upload(
      trail.trailId,
      new File([file], name, { type: facts ? photoFormats[facts.kind].mimeType : '' }),
      texts,
      {
        idempotencyKey: key,
        termsVersion,
        signal,
        // The request is a little longer than the photo: what is told is of the photo.
        onProgress: ({ sentBytes, totalBytes }) =>
          onProgress(Math.min(bytes, sentBytes), sentBytes >= totalBytes && totalBytes > 0),
      },
    )
    return { kind: 'made', imageId: image.imageID, status: image.status }
  } catch (error) {
    return signal.aborted ? { kind: 'stopped' } : afterProblem(error, attempts)
  }
}

const firstWaitMs = 1_000
const maxWaitMs = 60_000

/** Twice as long after each attempt, with some chance in it, so that three photos do not come back in step. */
export function waitMs(attempts: number, random: number): number {
  const full = Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(10, attempts))
  return full / 2 + (random * full) / 2
}

/** The server remembers a key for a day (C18); an hour less, since clocks differ. */
export const rememberedMs = 23 * 3_600_000
