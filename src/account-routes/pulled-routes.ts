// Stores routes of another server with their IDs and times, and compares them with the local ones at a later pull.
import { hash, randomBytes } from 'node:crypto'
import { fold } from '../database/matching.ts'
import type { Db, Tx } from '../database/database.ts'
import { notePulled, pulledDigest } from '../database/pulled-table.ts'
import { requireWritable } from '../database/read-only.ts'
import { refuse } from '../errors.ts'
import type { EventTypeOf } from '../shared/event-types.ts'
import { recordEvent } from '../events/outbox.ts'
import { boxColumns, lengthText } from './gpx/measured.ts'
import { unpackText } from './gpx/packed.ts'
import { createGpxPreparation, type GpxRules, type PreparedGpx } from './gpx/prepared-gpx.ts'
import { noLink } from './link-tokens.ts'
import { findGpx, findRoute, insertRoute, isRouteIdFree, updateRoute, type Route } from './route-table.ts'

/** A route as the other server describes it. */
export interface RouteElsewhere {
  readonly id: number
  readonly accountId: number
  readonly name: string
  readonly description: string
  /** Miles, decimal text. */
  readonly length: string
  readonly gpx: string
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number
}

export type RouteTexts = Pick<RouteElsewhere, 'name' | 'description' | 'length' | 'gpx'>

/** What can change on either side. */
export const routeDigest = ({ name, description, length, gpx }: RouteTexts): string =>
  pulledDigest([name, description, length, hash('sha256', gpx)])

export interface PulledRoutesDependencies extends GpxRules {
  readonly db: Db
  readonly now: () => number
  /** URL of the other server. */
  readonly source: string
}

const newRevision = (): string => randomBytes(9).toString('base64url')

export function createPulledRoutes({ db, now, source, ...gpxRules }: PulledRoutesDependencies) {
  const prepare = createGpxPreparation(gpxRules)

  async function tell(tx: Tx, type: EventTypeOf<'route'>, route: RouteElsewhere): Promise<void> {
    const { id, accountId } = route
    await recordEvent(tx, { type, at: now(), accountId, data: { routeID: id, acctID: accountId } })
    await notePulled(tx, 'route', { id, source, digest: routeDigest(route) })
  }

  /** If the length equals our computed one, it keeps following the gpx. */
  function columnsOf({ name, description, length }: RouteTexts, { measured, bytes }: PreparedGpx) {
    const { measures, box, geometryHash } = measured
    const stated = length === lengthText(null, measures) ? null : length
    return {
      name,
      description,
      length: stated,
      miles: Number(lengthText(stated, measures)),
      measures: JSON.stringify(measures),
      ...boxColumns(box),
      geometry_hash: geometryHash,
      gpx_bytes: bytes,
      revision: newRevision(),
      line_revision: newRevision(),
      updated_at: now(),
      search: fold(`${name}\n${description}`),
    }
  }

  return {
    find: (id: number): Promise<Route | undefined> => findRoute(db, id),

    /** A local route in comparable form. */
    textsOf: async (route: Route): Promise<RouteTexts> => {
      const { id, name, description, length, measures } = route
      const packed = await findGpx(db, id)
      const gpx = packed === undefined ? '' : await unpackText(packed)
      return { name, description, length: lengthText(length, measures), gpx }
    },

    /**
     * Stores a new route as private. When it resolves, the route survives a power failure.
     * @param before ensures that its account exists, in the same transaction.
     * @throws refusals `invalid-field` if the ID is taken or the gpx is refused, `read-only`.
     */
    bring: async (route: RouteElsewhere, before: (tx: Tx) => Promise<void>): Promise<void> => {
      const prepared = await prepare(route.gpx)
      await db.transaction().execute(async (tx) => {
        await requireWritable(tx)
        await before(tx)
        const row = {
          id: route.id,
          account_id: route.accountId,
          ...columnsOf(route, prepared),
          visibility: 'private' as const,
          link_token: null,
          ...noLink,
          created_at: route.createdAt,
        }
        if (!(await isRouteIdFree(tx, route.id)))
          throw refuse('invalid-field', { detail: `The route ID ${route.id} is already in use.` })
        await insertRoute(tx, row, prepared.packed)
        await tell(tx, 'route.created', route)
      })
    },

    /**
     * Updates a route that has not been edited here from the other server.
     * @param seen the route as it was compared.
     * @returns false if its owner has changed or deleted it since; then it stays as it is.
     * @throws refusals `invalid-field`, `read-only`.
     */
    follow: async (route: RouteElsewhere, seen: Pick<Route, 'revision'>): Promise<boolean> => {
      const prepared = await prepare(route.gpx)
      return db.transaction().execute(async (tx) => {
        await requireWritable(tx)
        const stored = await findRoute(tx, route.id)
        if (stored === undefined || stored.revision !== seen.revision) return false
        await updateRoute(tx, stored, columnsOf(route, prepared), prepared.packed)
        await tell(tx, 'route.updated', route)
        return true
      })
    },

    /** Records an identical route as pulled in this form. */
    agree: (route: RouteElsewhere): Promise<void> =>
      db.transaction().execute(async (tx) => {
        await requireWritable(tx)
        await notePulled(tx, 'route', { id: route.id, source, digest: routeDigest(route) })
      }),
  }
}

export type PulledRoutes = ReturnType<typeof createPulledRoutes>
