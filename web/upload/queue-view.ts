// What the page says of the whole queue: counts, bytes done, how long it will take, and what goes next.
import {
  isOver,
  isUnderWay,
  type ChosenPosition,
  type PhotoProblem,
  type QueuedPhoto,
  type SentDetails,
} from './photo.ts'
import type { Queue } from './queue.ts'

/** The server takes each in its own process and a browser opens six connections at most: three keep both busy. */
export const maxAtOnce = 3

export interface QueueCounts {
  readonly checking: number
  readonly asking: number
  readonly ready: number
  readonly underWay: number
  readonly paused: number
  readonly done: number
  readonly failed: number
}

export function countQueue(queue: Queue): QueueCounts {
  const counts = { checking: 0, asking: 0, ready: 0, underWay: 0, paused: 0, done: 0, failed: 0 }
  for (const photo of queue) {
    if (photo.state === 'checking' || photo.state === 'converting') counts.checking += 1
    else if (photo.state === 'refused' || photo.state === 'unusable') counts.failed += 1
    else if (isUnderWay(photo)) counts.underWay += 1
    else counts[photo.state as 'asking' | 'ready' | 'paused' | 'done'] += 1
  }
  return counts
}

/** Of what was started: the photos that a bar can speak of. */
export interface QueueProgress {
  readonly sentBytes: number
  readonly totalBytes: number
}

export function progressOf(queue: Queue): QueueProgress {
  let sentBytes = 0
  let totalBytes = 0
  for (const photo of queue) {
    const isCounted = isUnderWay(photo) || photo.state === 'paused' || photo.state === 'done'
    if (!isCounted) continue
    totalBytes += photo.bytes
    sentBytes += photo.state === 'done' ? photo.bytes : Math.min(photo.sentBytes, photo.bytes)
  }
  return { sentBytes, totalBytes }
}

/** What was to be sent as well, and was not taken. */
export const refusedBytesOf = (queue: Queue): number =>
  queue.reduce((sum, { state, bytes }) => (state === 'refused' ? sum + bytes : sum), 0)

/** Whose turn it is: in the order in which they were added, those that must not wait any more. */
export function nextToSend(queue: Queue, now: number, running: number): readonly QueuedPhoto[] {
  const due = queue.filter(
    ({ state, notBefore = 0, trail }) => state === 'queued' && notBefore <= now && trail !== undefined,
  )
  return due.slice(0, Math.max(0, maxAtOnce - running))
}

/** Nothing is on its way, because there is no connection. */
export const isCutOff = (queue: Queue): boolean =>
  !isSending(queue) && queue.some(({ state, waitsFor }) => state === 'queued' && waitsFor === 'connection')

/** When the next one is due that has to wait; undefined where none has to. */
export function nextDueAt(queue: Queue, now: number): number | undefined {
  const moments = queue.flatMap(({ state, notBefore = 0 }) =>
    state === 'queued' && notBefore > now ? [notBefore] : [],
  )
  return moments.length === 0 ? undefined : Math.min(...moments)
}

/** Whether leaving the page now would leave something half done. */
export const isSending = (queue: Queue): boolean =>
  queue.some(({ state }) => state === 'sending' || state === 'processing')

export const hasLeft = (queue: Queue): boolean => queue.some((photo) => !isOver(photo))

type SentPlace = Omit<SentDetails, 'title' | 'caption' | 'termsVersion'>

function placeDetails(position: ChosenPosition): SentPlace {
  if (position.from === 'file') return {}
  if (position.from === 'nobody') return { lat: null, lon: null }
  const { lat, lon, by = 'given', accuracyMetres, altitude, takenAt } = position
  return {
    lat,
    lon,
    positionSource: by,
    ...(accuracyMetres !== undefined && { positionAccuracy: accuracyMetres }),
    ...(altitude !== undefined && { altitude }),
    ...(takenAt !== undefined && { takenAt }),
  }
}

export const detailsOf = ({ title, caption, position, termsVersion = null }: QueuedPhoto): SentDetails => ({
  title: title.trim(),
  caption: caption.trim(),
  ...placeDetails(position),
  termsVersion,
})

/** Where the photo will stand on the map: what the person said, else what the file says. */
export function placeOf({ position, facts }: QueuedPhoto): { lat: number; lon: number } | undefined {
  if (position.from === 'person') return { lat: position.lat, lon: position.lon }
  const found = position.from === 'file' ? facts?.position : undefined
  return found && { lat: Number(found.lat), lon: Number(found.lon) }
}

const paceMs = 20_000
/** Longer without a byte, and how fast it went says nothing of how long it takes. */
const maxStillMs = 8_000

/** How fast it goes, from what was sent within the last seconds. */
export function createPace() {
  let marks: readonly { readonly at: number; readonly bytes: number }[] = []
  return {
    note: (at: number, sentBytes: number): void => {
      const last = marks.at(-1)
      // What is sent again makes the sum fall: then a new count begins.
      const kept =
        last !== undefined && sentBytes < last.bytes ? [] : marks.filter((mark) => at - mark.at < paceMs)
      marks = [...kept, { at, bytes: sentBytes }]
    },
    /** @returns milliseconds; undefined before there is anything to tell from, and while nothing moves. */
    remainingMs: ({ sentBytes, totalBytes }: QueueProgress, now: number): number | undefined => {
      const [first] = marks
      const last = marks.at(-1)
      if (last && now - last.at > maxStillMs) return undefined
      if (!first || !last || last.at - first.at < 1_000 || last.bytes <= first.bytes) return undefined
      const bytesPerMs = (last.bytes - first.bytes) / (last.at - first.at)
      return (totalBytes - sentBytes) / bytesPerMs
    },
  }
}

export type Pace = ReturnType<typeof createPace>

/**
 * What a row says of a photo that is not sent. Of a problem of the server the detail is in the person's language, but the
 * title in English (contract C37): in another language the label of the state stands for it.
 */
export function failureOf(
  state: QueuedPhoto['state'],
  { title, detail }: PhotoProblem,
  language: string,
): { readonly title: string | undefined; readonly detail: string } {
  const isForeign = state === 'refused' && language !== 'en' && detail !== ''
  return { title: isForeign ? undefined : title, detail }
}
