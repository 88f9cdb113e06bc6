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
  status: openEnum(imageStates, 'State of the image right after the event.'),
}

const dataOf = (kind: EventKind) =>
  Type.Object(Object.fromEntries(eventKinds[kind].data.map((name) => [name, fields[name]])), {
    ...strict,
    title: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}EventData`,
  })

type EventData = { [Kind in EventKind]: EventDataOf<Kind> }[EventKind]

export const Event = Type.Object(
  {
    position: Type.Integer({ minimum: 1, description: 'Position in the order of all events.' }),
    type: openEnum(eventTypes),
    at: timestamp('When it happened (UTC).'),
    data: openUnion<EventData>(
      kindsOfEvents.map(dataOf),
      'Depends on the type; new types of events may have other data.',
    ),
  },
  { ...strict, title: 'Event' },
)
export type Event = Static<typeof Event>

export const EventSet = Type.Object(
  {
    items: Type.Array(Event),
    next: textOrNull('Cursor of the next page; null if there are no more events yet.'),
    position: Type.Integer({
      minimum: 0,
      description:
        'The response is complete up to this position, even if items is empty: send it as the next "since".',
    }),
  },
  { ...strict, title: 'EventSet' },
)
