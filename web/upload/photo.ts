// One photo on its way from a person's disk to the service, as the queue keeps it.
import type { Capture } from '../../src/shared/formats/capture.ts'
import type { MissingPosition } from '../../src/shared/formats/missing-position.ts'
import type { PhotoKind } from './formats/photo-kind.ts'

/** Where a photo stands. The machine is drawn in queue.ts. */
export type PhotoState =
  | 'checking'
  | 'asking'
  | 'converting'
  | 'unusable'
  | 'ready'
  | 'queued'
  | 'sending'
  | 'processing'
  | 'paused'
  | 'done'
  | 'refused'

/** What was found in the file before it is sent. */
export interface PhotoFacts {
  readonly kind: PhotoKind
  readonly width: number | undefined
  readonly height: number | undefined
  /** Hex; undefined where the page may not hash, over plain http to a name. */
  readonly sha256: string | undefined
  /** By the rules of the server (contract C16), which will find the same. */
  readonly position: { readonly lat: string; readonly lon: string } | undefined
  /** Why there is none; undefined for a photo that was looked at before this was told, too. */
  readonly missing?: MissingPosition | undefined
  /** When, as `shared/placing` takes it: the camera's own clock, and its offset where the file states it. */
  readonly capture?: Pick<Capture, 'localTime' | 'offsetMinutes'> | undefined
  /** The same as text. */
  readonly takenAt: string | undefined
  readonly camera: string | undefined
}

/** What has to be decided before the photo can be sent. */
export type Question =
  | { readonly kind: 'convert' }
  | { readonly kind: 'shrink'; readonly why: 'bytes' | 'pixels' }
  | { readonly kind: 'duplicate'; readonly of: 'queue'; readonly name: string }
  | { readonly kind: 'duplicate'; readonly of: 'sent'; readonly imageId: number; readonly status: string }

/** Why it cannot be sent, or why the server refused it. */
export interface PhotoProblem {
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly requestId?: string | undefined
}

/** How a position was found that is not the file's own: `positionSource` on the wire (contract C44). */
export type PlacedBy = 'track' | 'line' | 'device' | 'given'

/** What a photo without a position gets; `by` is absent in queues of before it was kept, and is `given` then. */
export interface Placement {
  readonly lat: number
  readonly lon: number
  readonly by?: PlacedBy
  /** Metres; of the device alone. */
  readonly accuracyMetres?: number
  /** Metres; of a track alone. */
  readonly altitude?: number
  /** RFC 3339 with an offset, where the person has corrected the camera's clock by a track. */
  readonly takenAt?: string
}

/** Left to the file, told by the person, or kept to oneself. */
export type ChosenPosition =
  | { readonly from: 'file' }
  | ({ readonly from: 'person' } & Placement)
  | { readonly from: 'nobody' }

export interface ChosenTrail {
  readonly trailId: number
  readonly name: string
  readonly slug: string
}

/** What the person says of a photo. */
export interface PhotoTexts {
  readonly title: string
  readonly caption: string
  readonly trail: ChosenTrail | undefined
  readonly position: ChosenPosition
}

/** The part `details` of the request. Frozen with the first attempt: the same key must bring the same body (C18). */
export interface SentDetails {
  readonly title: string
  readonly caption: string
  readonly lat?: number | null
  readonly lon?: number | null
  readonly positionSource?: PlacedBy
  readonly positionAccuracy?: number
  readonly altitude?: number
  readonly takenAt?: string
  readonly termsVersion: string | null
}

export interface QueuedPhoto extends PhotoTexts {
  readonly id: string
  /** Whose it is: never sent while anybody else is signed in. */
  readonly acctId: number
  /** The Idempotency-Key, for as long as the file is the same. */
  readonly key: string
  readonly name: string
  readonly bytes: number
  readonly addedAt: number
  readonly state: PhotoState
  readonly facts?: PhotoFacts | undefined
  readonly question?: Question | undefined
  readonly problem?: PhotoProblem | undefined
  /** What the file was before it was converted or shrunk. */
  readonly original?:
    | { readonly bytes: number; readonly kind: PhotoKind; readonly missing?: MissingPosition | undefined }
    | undefined
  /** The person has said that a duplicate is to be sent all the same. */
  readonly isWanted?: boolean | undefined
  readonly termsVersion?: string | null | undefined
  readonly sentBytes: number
  readonly attempts: number
  /** Not sent again before this moment. */
  readonly notBefore?: number | undefined
  readonly waitsFor?: 'connection' | 'server' | undefined
  readonly sent?: SentDetails | undefined
  /** When the first attempt with these details began; the server remembers the key for a day from then. */
  readonly unknownSince?: number | undefined
  /** An attempt ended without anybody knowing how: it may have arrived. */
  readonly isUnknown?: boolean | undefined
  readonly imageId?: number | undefined
  readonly status?: string | undefined
}

/** Whether its details may be changed: not while the server may be reading, or may have read, the ones before. */
export function isEditable({ state, sent }: QueuedPhoto): boolean {
  return state !== 'sending' && state !== 'processing' && state !== 'done' && sent === undefined
}

/** Whether another file may take the place of its own: not once it is on its way. */
export const isReplaceable = ({ state }: QueuedPhoto): boolean =>
  state === 'asking' || state === 'unusable' || state === 'ready' || state === 'refused'

/** What would be said again of the very same bytes, here or by the server: only another file helps. */
const aboutTheBytes: ReadonlySet<string> = new Set([
  'no-photo',
  'empty',
  'broken-image',
  'empty-image',
  'image-dimensions-too-large',
  'image-too-large',
  'unsupported-image-type',
])

export const isWorthRetrying = ({ problem }: QueuedPhoto): boolean => !aboutTheBytes.has(problem?.code ?? '')

/** On its way, or about to be. */
export const isUnderWay = ({ state }: QueuedPhoto): boolean =>
  state === 'queued' || state === 'sending' || state === 'processing'

/** Nothing more happens to it without a person. */
export const isOver = ({ state }: QueuedPhoto): boolean =>
  state === 'done' || state === 'refused' || state === 'unusable'
