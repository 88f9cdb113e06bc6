// TypeBox schemas of the list of public routes: what everybody may see of each, and a few points to draw it by.
import { Type, type Static } from 'typebox'
import { boxOrNull, numberOrNull, pageOf, strict, timestamp } from './schema-parts.ts'

export const PublicRoute = Type.Object(
  {
    routeID: Type.Integer(),
    acctID: Type.Integer({ description: 'Account that it belongs to.' }),
    displayName: Type.String({ description: 'Name of that account.' }),
    name: Type.String(),
    description: Type.String({ description: 'Its beginning: at most 300 characters.' }),
    lengthMiles: Type.Number({ description: '`length` of the public view.' }),
    ascent: numberOrNull('Metres up; null if no line holds two elevations.'),
    bbox: boxOrNull,
    createdAt: timestamp('Moment of creation, UTC.'),
    line: Type.Array(Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })), {
      description: 'A sketch: up to 64 points [longitude, latitude] of its lines. The exports have all.',
    }),
  },
  { ...strict, title: 'PublicRoute' },
)
export type PublicRoute = Static<typeof PublicRoute>

export const PublicRouteSet = pageOf(PublicRoute, 'PublicRouteSet')
