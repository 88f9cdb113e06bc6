// TypeBox schemas of the list of public routes: what everybody may see of each, and a few points to draw it by.
import { Type, type Static } from 'typebox'
import { boxOrNull, numberOrNull, pageOf, strict, timestamp } from './schema-parts.ts'

export const PublicRoute = Type.Object(
  {
    routeID: Type.Integer(),
    acctID: Type.Integer({ description: 'Account that owns it.' }),
    displayName: Type.String({ description: 'Display name of that account.' }),
    name: Type.String(),
    description: Type.String({ description: 'The first 300 characters of the description.' }),
    lengthMiles: Type.Number({ description: '`length` of the public view.' }),
    ascent: numberOrNull('Total ascent in metres; null if no line has two elevations.'),
    bbox: boxOrNull,
    createdAt: timestamp('When it was created (UTC).'),
    line: Type.Array(Type.Array(Type.Array(Type.Number(), { minItems: 2, maxItems: 2 })), {
      description:
        'Outline: up to 64 points [longitude, latitude] of its lines. The exports have all points.',
    }),
  },
  { ...strict, title: 'PublicRoute' },
)
export type PublicRoute = Static<typeof PublicRoute>

export const PublicRouteSet = pageOf(PublicRoute, 'PublicRouteSet')
