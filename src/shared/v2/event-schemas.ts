// TypeBox schemas of the events as they are told to others (contract, Part D).
import { Type, type Static } from 'typebox'
import { eventTypes } from '../event-types.ts'
import { imageStates } from '../image-states.ts'
import { openEnum, strict, textOrNull, timestamp } from './schema-parts.ts'

export const EventTypeName = openEnum(eventTypes)

export const ImageEventData = Type.Object(
  {
    imageID: Type.Integer(),
    trailID: Type.Integer(),
    status: openEnum(imageStates, 'Of the image just after the event.'),
  },
  { ...strict, title: 'ImageEventData' },
)

export const RouteEventData = Type.Object(
  { routeID: Type.Integer(), acctID: Type.Integer() },
  { ...strict, title: 'RouteEventData' },
)

export const Event = Type.Object(
  {
    position: Type.Integer({ minimum: 1, description: 'Its place in the order of all events.' }),
    type: EventTypeName,
    at: timestamp('When it happened, UTC.'),
    data: Type.Union([ImageEventData, RouteEventData]),
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
