// What is stored with each kind of event (shared/event-types.ts), besides its data.
import type { EventAccess, EventDataOf, EventKind, eventKinds, EventTypeOf } from '../shared/event-types.ts'
import type { ImageState } from '../database/schema.ts'

/** Decides who may receive it (auth/guard.ts: mayReceive). */
interface Concerned extends Record<EventAccess['audience'], object> {
  readonly 'image-viewers': {
    readonly imageId: number
    readonly trailId: number
    readonly submitterId: number
    /** The states just before and after; null before the upload. */
    readonly from: ImageState | null
    readonly to: ImageState
  }
  readonly owner: { readonly accountId: number }
  readonly everyone: object
}

/** Data has wire names, since it is delivered as it is stored. */
type EventOf<Kind extends EventKind> = Concerned[(typeof eventKinds)[Kind]['audience']] & {
  readonly type: EventTypeOf<Kind>
  readonly at: number
  readonly data: EventDataOf<Kind>
}

export type WaymarkEvent = { [Kind in EventKind]: EventOf<Kind> }[EventKind]
