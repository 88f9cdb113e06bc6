// Shared by the parts of the upload engine: its state, dependencies, and operations on the queue.
import type { Waymark } from '../../client/client.ts'
import type { QueuedPhoto } from './photo.ts'
import type { PhotoWork } from './photo-work.ts'
import type { Queue, QueueAction } from './queue.ts'
import type { UploadStore } from './store.ts'

/** Why nothing is sent although something waits. */
export type Hold =
  | { readonly kind: 'sign-in' }
  | { readonly kind: 'other-account' }
  | { readonly kind: 'other-terms' }
  | { readonly kind: 'quota'; readonly detail: string }

export interface UploadsState {
  readonly isLoaded: boolean
  /** Of the signed-in account. */
  readonly queue: Queue
  /** How many photos of other accounts wait in this browser. */
  readonly ofOthers: number
  readonly isLeading: boolean
  readonly hold: Hold | undefined
  /** There is no room to store everything: the page must stay open. */
  readonly hasNoRoom: boolean
}

/** Earlier uploads, by their SHA-256. */
export type FindSent = (
  sha256: string,
) => Promise<{ readonly imageId: number; readonly status: string; readonly trailId: number } | undefined>

export interface EngineDependencies {
  readonly acctId: number
  readonly waymark: Waymark
  readonly maxBytes: number
  readonly findSent: FindSent
  /** Asks for a new sign-in. @returns whether the user signed in. */
  readonly signInAgain: () => Promise<boolean>
  readonly onMade: (imageId: number, photo: QueuedPhoto) => void
}

export interface EngineParts extends EngineDependencies {
  readonly store: UploadStore
  readonly work: PhotoWork
  readonly dispatch: (action: QueueAction) => void
  readonly change: (next: Partial<UploadsState>) => void
  readonly signal: AbortSignal
  readonly read: () => UploadsState
}
