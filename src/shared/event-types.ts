// The one table of events: the types of each kind, their data and who receives them. Feed, stream, webhooks, guard,
// SDK, the web app's form and the docs are derived from it.
import type { ImageStatus } from './image-states.ts'
import type { scopeSentences } from './scope-sentences.ts'

/** Possible data of events, by wire names; their schemas are in v2/event-schemas.ts. */
export interface EventFields {
  readonly imageID: number
  readonly trailID: number
  readonly routeID: number
  readonly acctID: number
  /** Of the image right after the event. */
  readonly status: ImageStatus
}

/** Who may receive an event (auth/guard.ts: mayReceive), given a token with its scope. */
export interface EventAccess {
  /**
   * `image-viewers`: who can get the image now, or could just before the event. `owner`: the account that it is stored
   * with. `everyone`: every account.
   */
  readonly audience: 'image-viewers' | 'owner' | 'everyone'
  readonly scope: keyof (typeof scopeSentences)['en']
}

interface KindOfEvent extends EventAccess {
  readonly types: readonly string[]
  readonly data: readonly (keyof EventFields)[]
}

/** Each type starts with the name of its kind and a dot. */
export const eventKinds = {
  image: {
    types: [
      'image.uploaded',
      'image.updated',
      'image.approved',
      'image.rejected',
      'image.removed',
      'image.deleted',
      'image.restored',
      'image.reopened',
    ],
    data: ['imageID', 'trailID', 'status'],
    audience: 'image-viewers',
    scope: 'images:read',
  },
  route: {
    types: ['route.created', 'route.updated', 'route.deleted'],
    data: ['routeID', 'acctID'],
    audience: 'owner',
    scope: 'routes:read',
  },
} as const satisfies Readonly<Record<string, KindOfEvent>>

type Kinds = typeof eventKinds
export type EventKind = keyof Kinds
export type EventTypeOf<Kind extends EventKind> = Kinds[Kind]['types'][number]
export type EventType = EventTypeOf<EventKind>
export type EventDataOf<Kind extends EventKind> = Pick<EventFields, Kinds[Kind]['data'][number]>

export const eventTypes: readonly EventType[] = Object.values(eventKinds).flatMap(({ types }) => types)

function isEventKind(word: string): word is EventKind {
  return Object.hasOwn(eventKinds, word)
}

export const kindsOfEvents: readonly EventKind[] = Object.keys(eventKinds).filter(isEventKind)

/** Undefined for a type that is none of ours. */
export function kindOfEvent(type: string): EventKind | undefined {
  const [word = ''] = type.split('.')
  return isEventKind(word) ? word : undefined
}
