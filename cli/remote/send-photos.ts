// Uploads several photos at a time, each once however often the command is run, and reports the result of each.
import { createHash, randomUUID } from 'node:crypto'
import path from 'node:path'
import { getSystemErrorMessage } from 'node:util'
import {
  isWaymarkProblem,
  type ImageDetails,
  type Waymark,
  type WaymarkProblem,
} from '../../client/client.ts'
import type { PlacedDetails } from '../../src/shared/placing/place-on-track.ts'
import { isSystemError } from '../failures.ts'
import type { OwnPhotos } from './own-photos.ts'
import type { Patience } from './patience.ts'
import { readPhoto, type FoundFile, type PhotoFile } from './photo-files.ts'
import { trackPlaceOf, type TrackPlace, type TrackPlaces } from './track-places.ts'
import type { Journal } from './upload-journal.ts'
import type { Outcome } from './upload-report.ts'

export interface SendOptions {
  readonly trailId: number
  /** The defaults for photos without their own details. */
  readonly details: ImageDetails
  /** The server's limit for one photo. */
  readonly maxPhotoBytes: number
  readonly concurrency: number
  readonly isDryRun: boolean
  /** Afterwards, request the SHA-256 of the stored file from the server. */
  readonly isChecked: boolean
  /** Photos of an earlier run, from its report. */
  readonly before: ReadonlyMap<string, Outcome>
  readonly journal: Journal
  readonly ownPhotos: OwnPhotos
  readonly patience: Patience
  /** Upload photos again that were uploaded before. */
  readonly isAnew: boolean
  /** With --gpx. */
  readonly track?: TrackPlaces | undefined
  readonly signal: AbortSignal
  /** Bytes sent so far, over all photos. */
  readonly onBytes: (bytes: number) => void
  readonly onOutcome: (outcome: Outcome) => Promise<void>
}

/**
 * The same for the same bytes on the same trail, so that a second run within a day creates no duplicate (contract
 * C18).
 */
const keyOf = (trailId: number, sha256: string, salt: string): string =>
  `cli-${createHash('sha256').update(`${trailId} ${sha256}${salt}`).digest('hex')}`

const isReused = (error: unknown): boolean =>
  isWaymarkProblem(error) && error.code === 'idempotency-key-reused'

/** Errors that every other photo would meet as well. */
const endsAll = ({ status, code }: WaymarkProblem): boolean =>
  status === 401 || status === 429 || status === 503 || code === 'quota-reached' || code === 'other-terms'

/** Why this file was refused. @throws errors that every other file would meet as well. */
function reasonOf(error: unknown): string {
  if (!isWaymarkProblem(error) || endsAll(error)) throw error
  if (isReused(error))
    return 'It was uploaded to this trail within the last day with other details, and deleted since. To upload it again, use --no-resume.'
  return error.detail ?? `${error.title}.`
}

/** One unreadable file must not block all the others. */
function unreadable(error: unknown): string {
  if (!isSystemError(error)) throw error
  return `It cannot be read: ${getSystemErrorMessage(error.errno)}.`
}

/** A photo that has been uploaded. */
interface Uploaded {
  readonly status: 'sent' | 'known'
  readonly imageID: number
  readonly reason?: string
}

function createSender(waymark: Waymark, options: SendOptions) {
  const { trailId, before, journal, ownPhotos, patience, signal, isDryRun, isChecked } = options
  const salt = options.isAnew ? randomUUID() : ''
  /** The photos seen in this run, by SHA-256. */
  const firsts = new Map<string, Promise<Outcome>>()

  function send(file: string, { bytes }: PhotoFile, details: ImageDetails, key: string) {
    let reportedBytes = 0
    const photo = new File([bytes], path.basename(file))
    const sent = Object.keys(details).length > 0 ? details : undefined
    return patience.until(() =>
      waymark.images.upload(trailId, photo, sent, {
        signal,
        idempotencyKey: key,
        onProgress: ({ sentBytes }) => {
          options.onBytes(sentBytes - reportedBytes)
          reportedBytes = sentBytes
        },
      }),
    )
  }

  /** Uploads a photo that may already be uploaded, if an earlier response was lost. */
  async function upload(file: string, photo: PhotoFile, details: ImageDetails): Promise<Uploaded> {
    const { sha256 } = photo
    const begun = options.isAnew ? undefined : journal.find(sha256)
    const stored = begun && (await ownPhotos.find(sha256))
    if (stored !== undefined) return { status: 'known', imageID: stored }
    const key = begun?.key ?? keyOf(trailId, sha256, salt)
    await journal.begin(sha256, key)
    try {
      const { imageID } = await send(file, photo, details, key)
      return { status: 'sent', imageID }
    } catch (error) {
      const imageID = isReused(error) ? await ownPhotos.find(sha256) : undefined
      if (imageID === undefined) throw error
      const reason = 'It was uploaded with other details, which were not changed.'
      return { status: 'known', imageID, reason }
    }
  }

  /**
   * Adds a missing location to a photo of an earlier run, or corrects one from another offset; never one that a
   * person set.
   */
  async function moveKnown(
    known: Pick<Outcome, 'place'>,
    imageID: number,
    { lat, lon, ...rest }: PlacedDetails,
  ): Promise<void> {
    const { place } = known
    if (place?.kind === 'track' && place.lat === lat && place.lon === lon) return
    const image = await patience.until(() => waymark.images.get(imageID))
    if (image.lat !== null && image.positionSource !== 'track') return
    await patience.until(() => waymark.images.change(imageID, { lat, lon, ...rest }))
  }

  /** If the check afterwards fails, the photo still counts as uploaded. */
  async function check(imageID: number, sha256: string): Promise<Pick<Outcome, 'checked' | 'reason'>> {
    try {
      const image = await patience.until(() => waymark.images.get(imageID))
      return { checked: image.sha256 === sha256 }
    } catch (error) {
      return { checked: false, reason: `It could not be verified: ${reasonOf(error)}` }
    }
  }

  /** The details of this photo: its own first, then those of the track, then those for all photos. */
  async function detailsOf({ details: own = {} }: FoundFile, { bytes }: PhotoFile) {
    const onTrack = typeof own.lat === 'number' ? undefined : await options.track?.place(bytes)
    const placed = onTrack?.kind === 'placed' ? onTrack.details : undefined
    return { details: { ...options.details, ...placed, ...own }, onTrack, placed }
  }

  async function sendFirst(found: FoundFile, photo: PhotoFile): Promise<Outcome> {
    const { file } = found
    const { sha256, bytes } = photo
    const { details, onTrack, placed } = await detailsOf(found, photo)
    const facts = { file, bytes: bytes.length, sha256 }
    const place: { readonly place?: TrackPlace } = onTrack ? { place: trackPlaceOf(onTrack) } : {}
    const known = before.get(sha256) ?? (options.isAnew ? undefined : journal.find(sha256))
    try {
      if (known?.imageID !== undefined) {
        if (placed && !isDryRun) await moveKnown(known, known.imageID, placed)
        // The server may have lost it since, for example if an older backup was restored.
        const checked = isChecked && !isDryRun ? await check(known.imageID, sha256) : {}
        return { ...facts, ...place, status: 'known', imageID: known.imageID, ...checked }
      }
      if (isDryRun) return { ...facts, ...place, status: 'would-send' }
      const uploaded = await upload(file, photo, details)
      await journal.end(sha256, uploaded.imageID, place.place)
      const checked = isChecked ? await check(uploaded.imageID, sha256) : {}
      return { ...facts, ...place, ...uploaded, ...checked }
    } catch (error) {
      return { ...facts, status: 'refused', reason: reasonOf(error) }
    }
  }

  /** Two files with the same bytes are one photo. */
  async function sendSecond(file: string, { bytes, sha256 }: PhotoFile, before: Outcome): Promise<Outcome> {
    const facts = { file, bytes: bytes.length, sha256 }
    const { imageID, status, reason } = before
    if (status === 'refused') return { ...facts, status, ...(reason !== undefined && { reason }) }
    const same = `It is the same photo as ${before.file}.`
    return { ...facts, status: 'known', ...(imageID !== undefined && { imageID }), reason: same }
  }

  return async function sendFound(found: FoundFile): Promise<Outcome> {
    const { file, skipped, refused } = found
    if (skipped !== undefined) return { file, status: 'skipped', reason: skipped }
    if (refused !== undefined) return { file, status: 'refused', reason: refused }
    const photo = await readPhoto(file, options.maxPhotoBytes).catch(unreadable)
    if (typeof photo === 'string') return { file, status: 'refused', reason: photo }
    const first = firsts.get(photo.sha256)
    if (first) return sendSecond(file, photo, await first)
    const sending = sendFirst(found, photo)
    firsts.set(photo.sha256, sending)
    return sending
  }
}

/** The results of all files, and the error that ended the upload early. */
export interface SentPhotos {
  readonly outcomes: readonly Outcome[]
  readonly failure: { readonly error: unknown } | undefined
}

const notSent = ({ file }: FoundFile): Outcome => ({ file, status: 'not-sent' })

/** Waits for uploads in progress, except when the signal aborts. */
export async function sendPhotos(
  waymark: Waymark,
  files: readonly FoundFile[],
  options: SendOptions,
): Promise<SentPhotos> {
  const send = createSender(waymark, options)
  const outcomes: (Outcome | undefined)[] = files.map(() => undefined)
  const queue = files.entries()
  let failure: SentPhotos['failure']

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
  if (options.signal.aborted) failure = { error: options.signal.reason }
  return {
    outcomes: files.map((file, at) => outcomes[at] ?? notSent(file)),
    failure,
  }
}
