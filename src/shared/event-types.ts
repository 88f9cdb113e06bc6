// The closed list of events, by the names that feed, stream and webhooks tell them by.

export const imageEventTypes = [
  'image.uploaded',
  'image.updated',
  'image.approved',
  'image.rejected',
  'image.removed',
  'image.deleted',
  'image.restored',
  'image.reopened',
] as const

export const routeEventTypes = ['route.created', 'route.updated', 'route.deleted'] as const

export type ImageEventType = (typeof imageEventTypes)[number]
export type RouteEventType = (typeof routeEventTypes)[number]

export const eventTypes = [...imageEventTypes, ...routeEventTypes] as const
export type EventType = (typeof eventTypes)[number]
