// What each event of the closed list (shared/event-types.ts) carries.
import type { ImageEventType, RouteEventType } from '../shared/event-types.ts'
import type { ImageState } from '../database/schema.ts'

export type { ImageEventType, RouteEventType } from '../shared/event-types.ts'

/** What happened to one image. Wire names, since it is told to others as it is stored. */
export interface ImageEvent {
  readonly type: ImageEventType
  readonly at: number
  readonly imageId: number
  /** What tells who may hear of it (auth/guard.ts: mayHear). */
  readonly trailId: number
  readonly submitterId: number
  /** The states just before and after; null before the upload. */
  readonly from: ImageState | null
  readonly to: ImageState
  readonly data: {
    readonly imageID: number
    readonly trailID: number
    readonly status: ImageState
  }
}

/** What happened to one route; told to its owner alone. */
export interface RouteEvent {
  readonly type: RouteEventType
  readonly at: number
  readonly accountId: number
  readonly data: {
    readonly routeID: number
    readonly acctID: number
  }
}

export type WaymarkEvent = ImageEvent | RouteEvent
