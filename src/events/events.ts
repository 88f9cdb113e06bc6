// The closed list of events and what each carries.
import type { ImageState } from '../database/schema.ts'

export const eventTypes = [
  'image.uploaded',
  'image.updated',
  'image.approved',
  'image.rejected',
  'image.removed',
  'image.deleted',
  'image.restored',
  'image.reopened',
] as const

export type EventType = (typeof eventTypes)[number]

/** What happened to one image. Wire names, since it is told to others as it is stored. */
export interface ImageEvent {
  readonly type: EventType
  readonly at: number
  readonly imageId: number
  readonly data: {
    readonly imageID: number
    readonly trailID: number
    readonly status: ImageState
  }
}
