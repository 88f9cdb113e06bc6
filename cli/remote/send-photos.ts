// Sends photos a few at a time, each once however often the command is run, and says of each what became of it.
import { createHash } from 'node:crypto'
import path from 'node:path'
import { isWaymarkProblem, type ImageDetails, type Waymark } from '../../client/client.ts'
import type { PlacedDetails } from '../../src/shared/placing/place-on-track.ts'
import { isSystemError, systemSentence } from '../failures.ts'
import { readPhoto, type FoundFile, type PhotoFile } from './photo-files.ts'
import { trackPlaceOf, type TrackPlace, type TrackPlaces } from './track-places.ts'
import type { Outcome } from './upload-report.ts'

export interface SendOptions {
  readonly trailId: number
  readonly details: { readonly title?: string; readonly caption?: string } | undefined
  /** What the server accepts for one photo. */
  readonly maxPhotoBytes: number
  readonly concurrency: number
  readonly isDryRun: boolean
  /** Ask the server afterwards for the SHA-256 of what it keeps. */
  readonly isChecked: boolean
  readonly before: ReadonlyMap<string, Outcome>
  /** With --gpx. */
  readonly track?: TrackPlaces | undefined
  readonly signal: AbortSignal
  /** Bytes of photos on their way, added up over all of them. */
  readonly onBytes: (bytes: number) => void
  readonly onOutcome: (outcome: Outcome) => Promise<void>
}

/** The same for the same bytes on the same trail, so that a second run within a day makes no second photo (contract C18). */
const keyOf = (trailId: number, sha256: string): string =>
  `cli-${createHash('sha256').update(`${trailId} ${sha256}`).digest('hex')}`

/** Why this one file was refused. @throws what no other file would fare better with. */
function reasonOf(error: unknown): string {
  if (!isWaymarkProblem(error) || error.status === 401 || error.code === 'quota-reached') throw error
  if (error.code === 'idempotency-key-reused')
    return 'It was uploaded to this trail within the last day with other details. To move it, use --resume with the report of that upload.'
  return error.detail ?? `${error.title}.`
}

/** One file that may not be read is no reason to send none of the others. */
function unreadable(error: unknown): string {
  if (!isSystemError(error)) throw error
  return systemSentence(error)
}

function createSender(waymark: Waymark, options: SendOptions) {
  const { trailId, details, before, signal, isDryRun, isChecked } = options

  async function upload(
    file: string,
    { bytes, sha256 }: PhotoFile,
    placed: PlacedDetails | undefined,
  ): Promise<number> {
    let told = 0
    const photo = new File([bytes], path.basename(file))
    const sent: ImageDetails | undefined = placed ? { ...details, ...placed } : details
    const { imageID } = await waymark.images.upload(trailId, photo, sent, {
      signal,
      idempotencyKey: keyOf(trailId, sha256),
      onProgress: ({ sentBytes }) => {
        options.onBytes(sentBytes - told)
        told = sentBytes
      },
    })
    return imageID
  }

  /** A photo of an earlier run gets the place that it lacked, or had by another offset; never where a person placed it. */
  async function moveKnown(
    known: Outcome,
    imageID: number,
    { lat, lon, ...rest }: PlacedDetails,
  ): Promise<void> {
    const { place } = known
    if (place?.kind === 'track' && place.lat === lat && place.lon === lon) return
    const image = await waymark.images.get(imageID)
    if (image.lat !== null && image.positionSource !== 'track') return
    await waymark.images.change(imageID, { lat, lon, ...rest })
  }

  /** A photo that cannot be looked at again was sent all the same. */
  async function check(imageID: number, sha256: string): Promise<Pick<Outcome, 'checked' | 'reason'>> {
    try {
      return { checked: (await waymark.images.get(imageID)).sha256 === sha256 }
    } catch (error) {
      return { checked: false, reason: `It could not be verified: ${reasonOf(error)}` }
    }
  }

  return async function send({ file, skipped }: FoundFile): Promise<Outcome> {
    if (skipped !== undefined) return { file, status: 'skipped', reason: skipped }
    const photo = await readPhoto(file, options.maxPhotoBytes).catch(unreadable)
    if (typeof photo === 'string') return { file, status: 'refused', reason: photo }
    const { sha256 } = photo
    const onTrack = await options.track?.place(photo.bytes)
    const placed = onTrack?.kind === 'placed' ? onTrack.details : undefined
    const facts = { file, bytes: photo.bytes.length, sha256 }
    const place: { readonly place?: TrackPlace } = onTrack ? { place: trackPlaceOf(onTrack) } : {}
    const known = before.get(sha256)
    try {
      if (known?.imageID !== undefined) {
        if (placed && !isDryRun) await moveKnown(known, known.imageID, placed)
        return { ...facts, ...place, status: 'known', imageID: known.imageID }
      }
      if (isDryRun) return { ...facts, ...place, status: 'would-send' }
      const imageID = await upload(file, photo, placed)
      return { ...facts, ...place, status: 'sent', imageID, ...(isChecked && (await check(imageID, sha256))) }
    } catch (error) {
      return { ...facts, status: 'refused', reason: reasonOf(error) }
    }
  }
}

/** @throws what ends all of it, such as a lost connection, once the photos under way have ended. */
export async function sendPhotos(
  waymark: Waymark,
  files: readonly FoundFile[],
  options: SendOptions,
): Promise<Outcome[]> {
  const send = createSender(waymark, options)
  const outcomes: (Outcome | undefined)[] = files.map(() => undefined)
  const queue = files.entries()
  let failure: { readonly error: unknown } | undefined

  async function work(): Promise<void> {
    for (const [at, file] of queue) {
      if (failure || options.signal.aborted) return
      try {
        const outcome = await send(file)
        outcomes[at] = outcome
        await options.onOutcome(outcome)
      } catch (error) {
        failure ??= { error }
        return
      }
    }
  }

  await Promise.all(Array.from({ length: options.concurrency }, work))
  options.signal.throwIfAborted()
  if (failure) throw failure.error
  return outcomes.filter((outcome) => outcome !== undefined)
}
