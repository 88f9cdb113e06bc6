// Rules of account routes: created, changed and deleted atomically, and only by the owner (contract C32–C36).
import { randomBytes } from 'node:crypto'
import { milesText } from '../shared/classic/route-kinds.ts'
import { inSharedTransaction, settled, type Db, type Tx } from '../database/database.ts'
import { fold } from '../database/matching.ts'
import { together } from '../database/together.ts'
import type { Visibility } from '../database/route-schema.ts'
import { refuse } from '../errors.ts'
import { sharesText, type RouteShare } from '../shared/v2/route-shares.ts'
import type { EventTypeOf } from '../shared/event-types.ts'
import { recordEvent } from '../events/outbox.ts'
import type { KeyedRequest, IdempotencyKeys } from '../idempotency/idempotency-keys.ts'
import { drawFree, type System } from '../system.ts'
import { noLink, type LinkColumns, type LinkTokens } from './link-tokens.ts'
import { boxColumns, lengthText } from './gpx/measured.ts'
import { createGpxPreparation, type GpxRules, type PreparedGpx } from './gpx/prepared-gpx.ts'
import { createRouteQuotas, type RouteQuotas } from './route-quotas.ts'
import {
  deleteRoute,
  findRoute,
  insertRoute,
  isRouteIdFree,
  unlist,
  updateRoute,
  type Route,
  type RouteUpdate,
} from './route-table.ts'
import { deletePublicViews, deleteShared } from './public-view/public-view-table.ts'

/** Throws if the client's conditions on the route do not hold. */
export type RoutePrecondition = (route: Route) => void

/** The fields of a request; undefined if not sent. */
export interface RouteFields {
  readonly name?: string | undefined
  readonly description?: string | undefined
  /** Miles, decimal text; null removes a stated length. */
  readonly length?: string | null | undefined
  readonly gpx?: string | undefined
  readonly visibility?: Visibility | undefined
  /** Whether a route of visibility `link` gets a new link, which invalidates the current one. */
  readonly newLink?: boolean | undefined
  /** The default name, if none is sent and the GPX has none. */
  readonly fallbackName?: string
  /** What others see besides line and elevations. */
  readonly shares?: readonly RouteShare[] | undefined
}

/** The set in which a route is created, and its Idempotency-Key. */
export interface RouteTarget {
  readonly accountId: number
  /** The canonical path of the set. */
  readonly path: string
  readonly key: string | undefined
}

export interface MadeRoute {
  readonly routeId: number
  /** `found` if the request was carried out before. */
  readonly how: 'made' | 'found'
}

export interface RoutesDependencies extends GpxRules {
  /** Called for every change of a route that others may see. */
  readonly onPublicViewChange: (accountId: number) => void
  readonly db: Db
  readonly system: System
  readonly retries: IdempotencyKeys
  readonly quotas: RouteQuotas
  readonly linkTokens: LinkTokens
}

const undefinedSoon = Promise.resolve(undefined)

const newRevision = (): string => randomBytes(9).toString('base64url')
export function createRoutes({
  db,
  system,
  retries,
  quotas,
  linkTokens,
  onPublicViewChange,
  ...gpxRules
}: RoutesDependencies) {
  const prepare = createGpxPreparation(gpxRules)
  const { findBytesReached, findQuotaReached } = createRouteQuotas(quotas)

  /** Checked before anything else: in read-only mode, every change is refused for that reason. */
  async function tell(tx: Tx, type: EventTypeOf<'route'>, accountId: number, routeId: number): Promise<void> {
    const data = { routeID: routeId, acctID: accountId }
    await recordEvent(tx, { type, at: system.now(), accountId, data })
  }

  /** The request as stored for its key; undefined without a key. */
  const keyedOf = ({ accountId, path, key }: RouteTarget, bodySha256: string): KeyedRequest | undefined =>
    key === undefined ? undefined : { accountId, path, key, bodySha256 }

  async function record(
    tx: Tx,
    accountId: number,
    fields: RouteFields,
    { prepared, keyed }: { readonly prepared: PreparedGpx; readonly keyed: KeyedRequest | undefined },
  ): Promise<MadeRoute> {
    const [earlier, reached, routeId] = await together(tx, (each) => [
      keyed ? retries.find(each, keyed) : undefinedSoon,
      findQuotaReached(each, accountId, prepared.bytes),
      drawFree('route id', system.newId, (id) => isRouteIdFree(each, id)),
    ])
    // If the same request is sent twice at once, the second finds the first.
    if (earlier !== undefined) return { routeId: earlier, how: 'found' }
    if (reached) throw reached
    const { description = '', length = null, visibility = 'private' } = fields
    const { measures, box, geometryHash } = prepared.measured
    const { fallbackName } = fields
    const name = fields.name ?? (fallbackName === undefined ? '' : (prepared.name ?? fallbackName))
    const at = system.now()
    const row = {
      account_id: accountId,
      name,
      description,
      length,
      miles: Number(lengthText(length, measures)),
      measures: JSON.stringify(measures),
      ...boxColumns(box),
      geometry_hash: geometryHash,
      gpx_bytes: prepared.bytes,
      visibility,
      link_token: null,
      ...(visibility === 'link' ? linkTokens.make() : noLink),
      revision: newRevision(),
      line_revision: newRevision(),
      created_at: at,
      updated_at: at,
      shares: sharesText(fields.shares ?? []),
      search: fold(`${name}\n${description}`),
    }
    await insertRoute(tx, { id: routeId, ...row }, prepared.packed)
    await tell(tx, 'route.created', accountId, routeId)
    if (keyed) await retries.remember(tx, keyed, routeId)
    return { routeId, how: 'made' }
  }

  /** A revoked or replaced link never becomes valid again. */
  function linkOf(route: Route, visibility: Visibility, isNew: boolean): LinkColumns {
    if (visibility !== 'link') return noLink
    if (isNew || route.linkHash === null) return linkTokens.make()
    return { link_hash: route.linkHash, link_nonce: route.linkNonce }
  }

  /** The columns for these fields, besides those that every change sets. */
  function updateOf(route: Route, fields: RouteFields, gpx: PreparedGpx | undefined): RouteUpdate {
    const { name = route.name, description = route.description, visibility = route.visibility } = fields
    // A stated length stays until another is stated; a computed one follows the GPX (contract C34).
    const length = fields.length === undefined ? route.length : fields.length
    const measures = gpx?.measured.measures ?? route.measures
    const isLineChanged = gpx !== undefined || length !== route.length
    return {
      name,
      description,
      search: fold(`${name}\n${description}`),
      shares: fields.shares === undefined ? route.shares : sharesText(fields.shares),
      length,
      miles: Number(lengthText(length, measures)),
      ...(gpx && {
        measures: JSON.stringify(measures),
        ...boxColumns(gpx.measured.box),
        geometry_hash: gpx.measured.geometryHash,
        gpx_bytes: gpx.bytes,
      }),
      visibility,
      link_token: null,
      ...linkOf(route, visibility, fields.newLink === true),
      revision: newRevision(),
      ...(isLineChanged && { line_revision: newRevision() }),
      updated_at: system.now(),
    }
  }

  /** @throws refusal `invalid-route-id` if the account has no such route. */
  function requireOwn(route: Route | undefined, accountId: number): Route {
    if (!route || route.accountId !== accountId) throw refuse('invalid-route-id')
    return route
  }

  async function changeIn(
    tx: Tx,
    { accountId, id }: Pick<Route, 'accountId' | 'id'>,
    fields: RouteFields,
    {
      gpx,
      precondition,
    }: { readonly gpx: PreparedGpx | undefined; readonly precondition: RoutePrecondition },
  ): Promise<Visibility> {
    const found = await findRoute(tx, id)
    await tell(tx, 'route.updated', accountId, id)
    const route = requireOwn(found, accountId)
    precondition(route)
    const moreBytes = gpx === undefined ? 0 : gpx.bytes - route.gpxBytes
    const reached = moreBytes > 0 && (await findBytesReached(tx, accountId, moreBytes))
    if (reached) throw reached
    const { visibility = route.visibility } = fields
    if (fields.newLink === true && visibility !== 'link') {
      throw refuse('invalid-field', { detail: 'newLink is allowed only for routes with visibility link.' })
    }
    const update = updateOf(route, fields, gpx)
    await updateRoute(tx, route, update, gpx?.packed)
    if (update.shares !== route.shares) await deleteShared(tx, id)
    // A private route has no stored views, and only a public one is listed: the code that stores or lists them checks
    // that first.
    if (visibility === 'private' && route.visibility !== 'private') await deletePublicViews(tx, id)
    else if (visibility === 'link' && route.visibility === 'public') await unlist(tx, id)
    return visibility
  }

  return {
    requireIn: async (accountId: number, routeId: number | undefined): Promise<Route> =>
      requireOwn(routeId === undefined ? undefined : await findRoute(db, routeId), accountId),

    /**
     * Called before the body is read. A request that may be a repetition is allowed whatever the quotas are.
     * @throws refusal `quota-reached`.
     */
    requireRoom: async ({ accountId, path, key }: RouteTarget): Promise<void> => {
      const reached = await findQuotaReached(db, accountId, 0)
      if (!reached) return
      if (key === undefined || !(await retries.isKnown(db, { accountId, path, key }))) throw reached
    },

    /**
     * Stores one route, or finds it if the same request was sent before. When it resolves, the route survives a power
     * failure.
     * @param bodySha256 of a request with a key (`digestOf`), which identifies a repetition.
     * @throws refusals `invalid-field`, `quota-reached`, `idempotency-key-reused`, `busy`.
     */
    create: async (target: RouteTarget, fields: RouteFields, bodySha256: string): Promise<MadeRoute> => {
      const keyed = keyedOf(target, bodySha256)
      const earlier = keyed && (await retries.find(db, keyed))
      if (earlier !== undefined) {
        await settled(db)
        return { routeId: earlier, how: 'found' }
      }
      const prepared = await prepare(fields.gpx ?? '')
      const made = await inSharedTransaction(db, [`account:${target.accountId}`], (tx) =>
        record(tx, target.accountId, fields, { prepared, keyed }),
      )
      if (fields.visibility !== undefined && fields.visibility !== 'private')
        onPublicViewChange(target.accountId)
      return made
    },

    /**
     * Everything is checked inside the transaction, whatever the caller has checked before, so that of two changes with the
     * same If-Match one wins.
     * @throws refusals `invalid-route-id`, `precondition-failed`, `invalid-field`, `quota-reached`.
     */
    change: async (
      route: Pick<Route, 'accountId' | 'id'>,
      fields: RouteFields,
      precondition: RoutePrecondition,
    ): Promise<void> => {
      const isSilent = Object.values(fields).every((value) => value === undefined)
      if (isSilent) return // nothing sent, so nothing changed and nothing to report
      const gpx = fields.gpx === undefined ? undefined : await prepare(fields.gpx)
      const visibility = await inSharedTransaction(db, [`account:${route.accountId}`], (tx) =>
        changeIn(tx, route, fields, { gpx, precondition }),
      )
      if (visibility !== 'private') onPublicViewChange(route.accountId)
    },

    /** @throws refusals `invalid-route-id`, `precondition-failed`. */
    remove: ({ accountId, id }: Route, precondition: RoutePrecondition): Promise<void> =>
      inSharedTransaction(db, [`account:${accountId}`], async (tx) => {
        const found = await findRoute(tx, id)
        await tell(tx, 'route.deleted', accountId, id)
        const route = requireOwn(found, accountId)
        precondition(route)
        await deleteRoute(tx, route)
      }),
  }
}

export type Routes = ReturnType<typeof createRoutes>

/** The displayed length of a route, as decimal text. */
export const publicLength = ({ length, miles }: Pick<Route, 'length' | 'miles'>): string =>
  length ?? milesText(miles)
