// TypeBox schemas of the events as they are told to others (contract, Part D).
import { Type, type Static, type TSchema } from 'typebox'
import {
  eventKinds,
  eventTypes,
  kindsOfEvents,
  type EventDataOf,
  type EventFields,
  type EventKind,
} from '../event-types.ts'
import { imageStates } from '../image-states.ts'
import { openEnum, openUnion, strict, textOrNull, timestamp } from './schema-parts.ts'

const fields: Readonly<Record<keyof EventFields, TSchema>> = {
  imageID: Type.Integer(),
  trailID: Type.Integer(),
  routeID: Type.Integer(),
  acctID: Type.Integer(),
  status: openEnum(imageStates, 'Of the image just after the event.'),
}

const dataOf = (kind: EventKind) =>
  Type.Object(Object.fromEntries(eventKinds[kind].data.map((name) => [name, fields[name]])), {
    ...strict,
    title: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}EventData`,
  })

type EventData = { [Kind in EventKind]: EventDataOf<Kind> }[EventKind]

export const Event = Type.Object(
  {
    position: Type.Integer({ minimum: 1, description: 'Its place in the order of all events.' }),
    type: openEnum(eventTypes),
    at: timestamp('When it happened, UTC.'),
    data: openUnion<EventData>(
      kindsOfEvents.map(dataOf),
      'By its type; events of types that are added may carry other data.',
    ),
  },
  { ...strict, title: 'Event' },
)
export type Event = Static<typeof Event>

export const EventSet = Type.Object(
  {
    items: Type.Array(Event),
    next: textOrNull('Cursor of the next page; null where there is nothing more as yet.'),
    position: Type.Integer({
      minimum: 0,
      description: 'Up to here the answer is complete: the next "since", also where items is empty.',
    }),
  },
  { ...strict, title: 'EventSet' },
)
