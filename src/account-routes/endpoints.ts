// The classic route endpoints: /Accounts/<acctID>/Routes and /Accounts/<acctID>/Routes/<routeID> (contract A6, C2, C30, C32).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Action } from '../auth/actions.ts'
import { permitOwner } from '../auth/guard.ts'
import { parseId } from '../shared/classic/classic-paths.ts'
import { runYielding } from '../shared/yielding.ts'
import { writeJsonBoolean, writeJsonLong } from '../shared/json/json.ts'
import { decodingRoute, readingRoute, type RouteChange } from '../shared/classic/route-body.ts'
import { putTogether } from '../shared/text/long-text.ts'
import { writeXmlBoolean, writeXmlLong } from '../shared/xml/xml.ts'
import type { Db } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { answerFormat, declaredFormat, readBody, type AnswerFormat } from '../http/codec.ts'
import { changeRoute, createRoute, deleteRoute, getRoute, listRoutes, putRoute } from './classic-routes.ts'
import { releaseMemory } from '../http/bodies/release-memory.ts'
import { isBodyKnown, isBodySent, requireMatch, sendChunks } from '../http/representation.ts'
import { readIdempotencyKey } from '../idempotency/idempotency-key.ts'
import { costOfRoute, costOfSet, isLongSet, type ClassicPresent } from './classic-present.ts'
import type { LongReads } from './long-reads.ts'
import { createLongSets } from './long-sets.ts'
import { createStoredRouteQuery, listSet } from './route-table.ts'
import { digestOf } from './gpx/prepared-gpx.ts'
import type { RoutePrecondition, Routes } from './routes.ts'

export interface RouteEndpointsDependencies {
  readonly db: Db
  readonly routes: Routes
  readonly present: ClassicPresent
  readonly longReads: LongReads
  /** @throws refusal `invalid-account-id`. */
  readonly requireAccount: (accountId: number | undefined) => Promise<{ readonly id: number }>
  readonly publicUrl: string
  /** Setting EMPTY_ROUTES. */
  readonly emptyRoutes: '404' | '200'
}

type OnAccount = { Params: { acctID: string } }
type OnRoute = { Params: { acctID: string; routeID: string } }

const routesPath = (accountId: number): string => `/Accounts/${accountId}/Routes`

interface SentRoute {
  readonly change: RouteChange
  /** With an Idempotency-Key; otherwise ''. */
  readonly bodySha256: string
}

/** @throws refusal `unsupported-media-type` if a route is neither JSON nor XML. */
function routeReader(request: FastifyRequest): (key?: string) => Promise<SentRoute> {
  const { formatOf, charset } = declaredFormat(request, 'a route')
  return async (key) => {
    const body = await readBody(request, request.server.limits.maxRouteBytes)
    const format = formatOf(body)
    const bodySha256 = key === undefined ? '' : await digestOf(body)
    const text = await runYielding(decodingRoute(format, body, charset))
    releaseMemory(body)
    if (!text.ok) throw refuse(text.fault.code, { detail: text.fault.detail })
    await putTogether(text.value)
    const reading = await runYielding(readingRoute(format, text.value))
    if (!reading.ok) throw refuse(reading.fault.code, { detail: reading.fault.detail })
    return { change: reading.value, bodySha256 }
  }
}

/** Of the body of a change that may be read before its route is looked up. */
const shortBytes = 16_384

const isShort = ({ headers }: FastifyRequest): boolean =>
  Number(headers['content-length'] ?? Infinity) <= shortBytes

interface EarlyReading {
  readonly good?: { readonly format: AnswerFormat; readonly sent: SentRoute }
  /** Why it cannot be read, which need not be the first thing that is wrong with the request. */
  readonly failure?: unknown
}

async function readEarly(request: FastifyRequest, reply: FastifyReply): Promise<EarlyReading> {
  try {
    const format = answerFormat(request, reply)
    return { good: { format, sent: await routeReader(request)() } }
  } catch (failure) {
    return { failure }
  }
}

/**
 * Whether nothing has to be known of the route before the transaction, which looks it up in any case: a name, for example.
 * This saves one of three exchanges with the database.
 */
const isDecidedInside = ({ gpx, ...fields }: Omit<RouteChange, 'routeID'>): boolean =>
  gpx === undefined && Object.values(fields).some((value) => value !== undefined)

/** A bare value: true, or the ID of the created route. */
function sendValue(
  reply: FastifyReply,
  { name, mediaType }: AnswerFormat,
  value: true | number,
): FastifyReply {
  const json = value === true ? writeJsonBoolean(true) : writeJsonLong(value)
  const xml = value === true ? writeXmlBoolean(true) : writeXmlLong(value)
  return reply
    .header('Cache-Control', 'private, no-store')
    .header('Content-Type', `${mediaType}; charset=utf-8`)
    .send(name === 'json' ? json : xml)
}

export function registerRouteEndpoints(
  app: FastifyInstance,
  { db, routes, present, longReads, requireAccount, publicUrl, emptyRoutes }: RouteEndpointsDependencies,
): void {
  const findStored = createStoredRouteQuery(db)
  const longSets = createLongSets()

  /** The account in the path, if it exists and belongs to the caller: nothing is looked up in other accounts. */
  async function ownAccount(request: FastifyRequest<OnAccount>, action: Action): Promise<number> {
    const { actor } = request
    const asked = parseId(request.params.acctID)
    // The caller's own account exists.
    const isSelf = actor.kind === 'account' && actor.accountId === asked
    const accountId = isSelf ? actor.accountId : (await requireAccount(asked)).id
    permitOwner(actor, action, { accountId })
    return accountId
  }

  const preconditionOf =
    ({ headers }: FastifyRequest): RoutePrecondition =>
    (route) =>
      requireMatch(headers['if-match'], () => present.identities(route))

  app.get<OnAccount>('/Accounts/:acctID/Routes', listRoutes, async (request, reply) => {
    const accountId = await ownAccount(request, 'list-routes')
    const set = await listSet(db, accountId)
    if (set.length === 0 && emptyRoutes === '404') throw refuse('no-routes')
    const body = present.set(set, answerFormat(request, reply))
    request.cacheAnswer({ dependsOn: [`routes-of:${accountId}`] })
    if (isBodySent(request, body)) {
      request.charge(costOfSet(set))
      if (isLongSet(set)) longSets.enter(accountId, reply)
    }
    return sendChunks(request, reply, body)
  })

  app.post<OnAccount>('/Accounts/:acctID/Routes', createRoute, async (request, reply) => {
    const accountId = await ownAccount(request, 'create-route')
    const format = answerFormat(request, reply)
    const read = routeReader(request)
    const key = readIdempotencyKey(request.raw.headersDistinct['idempotency-key'])
    const target = { accountId, path: routesPath(accountId), key }
    await routes.requireRoom(target)
    const { change, bodySha256 } = await read(key)
    const { routeID: _, ...fields } = change
    const { routeId } = await routes.create(target, fields, bodySha256)
    void reply.code(201).header('Location', `${publicUrl}${routesPath(accountId)}/${routeId}`)
    return sendValue(reply, format, routeId)
  })

  app.put<OnAccount>('/Accounts/:acctID/Routes', putRoute, async (request, reply) => {
    const accountId = await ownAccount(request, 'change-route')
    const format = answerFormat(request, reply)
    const { routeID, ...fields } = (await routeReader(request)()).change
    if (routeID === undefined) {
      throw refuse('invalid-field', { detail: 'routeID is required, here or in the path.' })
    }
    const precondition = preconditionOf(request)
    if (!isDecidedInside(fields)) precondition(await routes.requireIn(accountId, routeID))
    await routes.change({ accountId, id: routeID }, fields, precondition)
    return sendValue(reply, format, true)
  })

  app.get<OnRoute>('/Accounts/:acctID/Routes/:routeID', getRoute, async (request, reply) => {
    const accountId = await ownAccount(request, 'view-route')
    const route = await routes.requireIn(accountId, parseId(request.params.routeID))
    const format = answerFormat(request, reply)
    if (!isBodyKnown(request, present.identityOfRoute(route, format))) {
      request.charge(costOfRoute(route))
      if (longReads.isLong(route)) await longReads.enter(accountId, reply)
    }
    const stored = await findStored({ id: route.id })
    if (stored?.accountId !== accountId) throw refuse('invalid-route-id') // just deleted
    request.cacheAnswer({ dependsOn: [`routes-of:${accountId}`] })
    return sendChunks(request, reply, present.route(stored, format))
  })

  app.put<OnRoute>('/Accounts/:acctID/Routes/:routeID', changeRoute, async (request, reply) => {
    const accountId = await ownAccount(request, 'change-route')
    const id = parseId(request.params.routeID)
    const precondition = preconditionOf(request)
    const early = isShort(request) ? await readEarly(request, reply) : undefined
    if (id !== undefined && early?.good) {
      const { routeID = id, ...fields } = early.good.sent.change
      if (routeID === id && isDecidedInside(fields)) {
        await routes.change({ accountId, id }, fields, precondition)
        return sendValue(reply, early.good.format, true)
      }
    }
    // Whatever is wrong, what comes first in this order is the reason.
    const route = await routes.requireIn(accountId, id)
    const format = answerFormat(request, reply)
    const read = routeReader(request)
    precondition(route)
    if (early?.failure !== undefined) throw early.failure
    const { routeID, ...fields } = (early?.good?.sent ?? (await read())).change
    if (routeID !== undefined && routeID !== route.id) {
      throw refuse('invalid-field', {
        detail: `routeID must match the routeID in the path, ${route.id}, or be omitted.`,
      })
    }
    await routes.change(route, fields, precondition)
    return sendValue(reply, format, true)
  })

  app.delete<OnRoute>('/Accounts/:acctID/Routes/:routeID', deleteRoute, async (request, reply) => {
    const accountId = await ownAccount(request, 'change-route')
    const route = await routes.requireIn(accountId, parseId(request.params.routeID))
    const format = answerFormat(request, reply)
    const precondition = preconditionOf(request)
    precondition(route)
    await routes.remove(route, precondition)
    return sendValue(reply, format, true)
  })
}
