// The options of the classic route endpoints: their access rules, and their OpenAPI descriptions (contract A6, C30,
// C32).
import type { Action } from '../auth/actions.ts'
import type { AccessStatement } from '../auth/guard.ts'
import { routeShapes } from '../shared/classic/classic-shapes.ts'
import type { RefusalCode } from '../errors.ts'
import { both, eitherBody, objectSchema, operation, writing } from '../http/openapi/classic-operation.ts'
import { locationHeader, makesOnce } from '../http/openapi/openapi.ts'

const shape = routeShapes.short
const namesOf = (fields: readonly { readonly name: string }[]) => fields.map(({ name }) => name)
const inJson = objectSchema(shape, 'ClassicRoute', namesOf(shape.jsonFields), true)
const inXml = objectSchema(shape, 'ClassicRouteInXml', namesOf(shape.xmlFields), true)
const sent = objectSchema(shape, 'NewClassicRoute', namesOf(shape.writableFields), false)
const sentWithId = {
  ...objectSchema(shape, 'ClassicRouteChange', [...namesOf(shape.writableFields), 'routeID'], false),
  required: ['routeID'],
}

const inArray = { name: `ArrayOf${shape.root}`, wrapped: true }

const arrayOf = (json: object, xml: object) =>
  both({ type: 'array', items: json }, { type: 'array', items: xml, xml: inArray })

function arrayOfOne(item: object, title: string) {
  const one = { title, type: 'array', items: item, minItems: 1, maxItems: 1, xml: inArray }
  return eitherBody(one, one)
}

/** Only for the owner; callers with a wrong token get the same refusal (C30). */
const accessFor = (action: Action): AccessStatement => ({
  credential: 'bearer',
  action,
  wrongToken: 'forbidden',
})

const always: readonly RefusalCode[] = [...writing, 'invalid-account-id', 'not-acceptable']
const withBody: readonly RefusalCode[] = [
  ...always,
  'quota-reached',
  'unsupported-media-type',
  'malformed-body',
  'invalid-field',
  'body-too-large',
  'request-timeout',
]

const done = {
  200: {
    description: 'Done.',
    content: both({ type: 'boolean' }, { type: 'boolean', xml: { name: 'boolean' } }),
  },
}

const gpxRules =
  'The GPX is stored and returned byte for byte; invalid GPX is refused with the line and element.'
const lengthRules = 'If length is missing, blank or 0, it is computed from the GPX.'

export const listRoutes = operation({
  access: accessFor('list-routes'),
  ids: ['acctID'],
  summary: 'List the routes of the account',
  description:
    'Only routes of the account, oldest first. An account without routes returns 404, unless EMPTY_ROUTES is 200.',
  answers: { 200: { description: 'The list.', content: arrayOf(inJson, inXml) } },
  refusals: [...always, 'no-routes'],
})

export const createRoute = operation({
  access: accessFor('create-route'),
  config: { hasLargeBody: true },
  ids: ['acctID'],
  summary: 'Add a route',
  description: `An array with one route; a single route object is also accepted. ${gpxRules} ${lengthRules}`,
  ...makesOnce,
  body: { content: arrayOfOne(sent, 'NewClassicRouteSet') },
  answers: {
    201: {
      description: 'The ID of the new route; the same for a request repeated with its Idempotency-Key.',
      headers: locationHeader,
      content: both(
        { type: 'integer', format: 'int64' },
        { type: 'integer', format: 'int64', xml: { name: 'long' } },
      ),
    },
  },
  refusals: [...withBody, 'invalid-header', 'idempotency-key-reused'],
})

const changing = `Fields that are missing or null are not changed. ${gpxRules} A given length is kept until a new one is given.`

export const putRoute = operation({
  access: accessFor('change-route'),
  config: { hasLargeBody: true },
  ids: ['acctID'],
  summary: 'Change the route given in the body',
  description: `Like a PUT of the route itself, with its routeID in the body. ${changing}`,
  body: { content: arrayOfOne(sentWithId, 'ClassicRouteChangeSet') },
  answers: done,
  refusals: [...withBody, 'invalid-route-id', 'precondition-failed'],
})

export const getRoute = operation({
  access: accessFor('view-route'),
  ids: ['acctID', 'routeID'],
  summary: 'Get a route',
  answers: { 200: { description: 'The route.', content: both(inJson, inXml) } },
  refusals: [...always, 'invalid-route-id'],
})

export const changeRoute = operation({
  access: accessFor('change-route'),
  config: { hasLargeBody: true },
  ids: ['acctID', 'routeID'],
  summary: 'Change a route',
  description: `A route, or an array with one route. ${changing}`,
  body: { content: arrayOfOne(sent, 'NewClassicRouteSet') },
  answers: done,
  refusals: [...withBody, 'invalid-route-id', 'precondition-failed'],
})

export const deleteRoute = operation({
  access: accessFor('change-route'),
  ids: ['acctID', 'routeID'],
  summary: 'Delete a route',
  description: 'Permanent. The ID is never reused.',
  answers: done,
  refusals: [...always, 'invalid-route-id', 'precondition-failed'],
})
