// Derives the public view of a route: its lines clipped by the account's zones, and everything else from the result.
// It fails closed: a change of the gpx or of the zones invalidates the view in the same transaction, and an outdated
// view is never shown. It is derived again on the next request, or in the background.
import { createHash } from 'node:crypto'
import { readingDetails } from '../../shared/gpx/gpx-details.ts'
import { linesOf, type Gpx } from '../../shared/gpx/gpx-document.ts'
import { readGpx, type GpxLimits } from '../../shared/gpx/gpx.ts'
import { createBoundedCache } from '../../shared/bounded-cache.ts'
import { singleFlight } from '../../shared/single-flight.ts'
import { runYielding } from '../../shared/yielding.ts'
import type { Line } from '../../shared/geo/points.ts'
import { sharesOf } from '../../shared/v2/route-shares.ts'
import type { Db } from '../../database/database.ts'
import { findReadOnly, requireWritable } from '../../database/read-only.ts'
import { refuse, type Refusal } from '../../errors.ts'
import { inEach } from '../../texts/texts.ts'
import { clipLines } from '../zones/clip.ts'
import { unpackText } from '../gpx/packed.ts'
import { packLines, unpackLines } from './line-blob.ts'
import { packShared, unpackShared, type Shared } from './shared-blob.ts'
import { boxColumns, lengthText, measureLines } from '../gpx/measured.ts'
import { findGpx, findRoute, type Route } from '../route-table.ts'
import {
  findPublicView,
  findPublicLines,
  listStale,
  savePublicView,
  publicRevisionOf,
  sharedOfText,
  type RoutePublicView,
} from './public-view-table.ts'
import { circleOf } from '../zones/zone-circle.ts'
import { findZoneSet } from '../zones/zone-table.ts'

/** Each attempt takes as long as parsing a gpx; two changes in quick succession can make one outdated. */
const maxAttempts = 5
/** Routes of a background run between two queries. */
const batch = 20

/** Number of cached digests of lines. */
const maxDigests = 10_000

/** How long a list waits for views that have just changed. */
const maxWaitMs = 2_000

const stillDeriving = (): Refusal =>
  refuse('busy', {
    detail: inEach(({ limits }) => limits.publicView),
    headers: { 'Retry-After': '2' },
  })

export interface PublicLines {
  /** Including times, if they are shared. */
  readonly lines: readonly Line[]
  /** Undefined if only the lines are shared. */
  readonly shared: Shared | undefined
  /** Digest of the stored lines: equal for equal lines. */
  readonly digest: string
}

export interface PublicViewsDependencies {
  readonly db: Db
  readonly gpxLimits: GpxLimits
  /** Updates the public list from the derived views, for one account or for all. */
  readonly list: (accountId: number | undefined, mayContinue: () => Promise<boolean>) => Promise<void>
  /** Receives errors of background work. */
  readonly onFault: (error: unknown) => void
}

export function createPublicViews({ db, gpxLimits, list, onFault }: PublicViewsDependencies) {
  /** Background runs in progress; a server that closes waits for them. */
  const walks = new Set<Promise<void>>()
  const digests = createBoundedCache<string>({ max: maxDigests })
  let isClosing = false

  async function gpxOf(route: Route): Promise<{ text: string; gpx: Gpx | undefined }> {
    const packed = await findGpx(db, route.id)
    const text = packed === undefined ? '' : await unpackText(packed)
    const reading = text === '' ? undefined : await readGpx([text], gpxLimits)
    return { text, gpx: reading?.ok === true ? reading.value : undefined }
  }

  async function deriveNow(routeId: number): Promise<void> {
    // The row is read first: if the gpx changes afterwards, the revision is no longer current.
    const route = await findRoute(db, routeId)
    if (!route || route.visibility === 'private') return
    await requireWritable(db)
    const zoneSet = await findZoneSet(db, route.accountId)
    const circles = zoneSet.zones.map((zone) => circleOf(zone, zoneSet))
    const { text, gpx } = await gpxOf(route)
    const whole = gpx === undefined ? [] : linesOf(gpx)
    const { lines, origins, isClipped } = await runYielding(clipLines(whole, circles))
    const shares = sharesOf(route.shares)
    const shared =
      gpx === undefined || shares.length === 0
        ? null
        : await packShared({
            gpx,
            details: await runYielding(readingDetails(text)),
            shares,
            circles,
            lines,
            origins,
          })
    const { measures, box, geometryHash } = await measureLines(lines)
    // A stated length is that of the whole route, and would reveal how much is hidden.
    const length = lengthText(isClipped ? null : route.length, measures)
    await savePublicView(db, {
      route_id: routeId,
      line_revision: route.lineRevision,
      zones_revision: publicRevisionOf(zoneSet),
      length,
      miles: Number(length),
      measures: JSON.stringify(measures),
      ...boxColumns(box),
      geometry_hash: geometryHash,
      lines: await packLines(lines),
      shared,
      shared_of:
        route.shares === ''
          ? null
          : sharedOfText(route.lineRevision, publicRevisionOf(zoneSet), route.shares),
    })
  }

  /** Concurrent requests share the work; each has to check whether the result is current. */
  const derive = singleFlight(deriveNow)

  /**
   * Undefined if the route is private or deleted. @throws refusal `busy` if changes keep making the view outdated.
   */
  async function current<T>(
    routeId: number,
    find: (db: Db, routeId: number) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const found = await find(db, routeId)
      if (found !== undefined) return found
      const route = await findRoute(db, routeId)
      if (!route || route.visibility === 'private') return undefined
      await derive(routeId)
    }
    throw refuse('busy', {
      detail: inEach(({ limits }) => limits.routeUpdated),
      headers: { 'Retry-After': '1' },
    })
  }

  async function packedLines(
    routeId: number,
  ): Promise<{ packed: Uint8Array; shared: Uint8Array | null; digest: string }> {
    const found = await current(routeId, findPublicLines)
    if (found === undefined) throw refuse('invalid-route-id')
    const { packed, shared, version } = found
    const key = `${routeId}:${version}`
    const digest =
      digests.get(key) ??
      createHash('sha256')
        .update(packed)
        .update(shared ?? '')
        .digest('base64url')
    digests.set(key, digest)
    return { packed, shared, digest }
  }

  async function walk(accountId: number | undefined): Promise<void> {
    for (;;) {
      if (await findReadOnly(db)) return
      const stale = await listStale(db, { accountId }, batch)
      if (stale.length === 0) break
      for (const routeId of stale) {
        if (isClosing) return // it is derived on request, and the rest by the next maintenance run
        await derive(routeId)
      }
    }
    await list(accountId, async () => !isClosing && (await findReadOnly(db)) === undefined)
  }

  /**
   * Derives and lists outdated views in the background, of one account or of all; until then others cannot see them.
   */
  function refresh(accountId?: number): void {
    const started = walk(accountId).catch(onFault)
    walks.add(started)
    void started.finally(() => walks.delete(started))
  }

  return {
    /**
     * The public view; undefined if the route is private or deleted. @throws refusals `busy`, `read-only` if the view
     * is outdated.
     */
    find: (routeId: number): Promise<RoutePublicView | undefined> => current(routeId, findPublicView),

    /** @throws refusal `invalid-route-id` if there is no public view any more. */
    lines: async (routeId: number): Promise<PublicLines> => {
      const { packed, shared, digest } = await packedLines(routeId)
      const more = shared === null ? undefined : await unpackShared(shared)
      return { lines: await unpackLines(packed, more?.times), shared: more, digest }
    },

    /**
     * The digest that `lines` returns, cached by version: most requests need not read the lines for it.
     * @throws refusal `invalid-route-id` if there is no public view any more.
     */
    digest: async ({ id, version }: Pick<RoutePublicView, 'id' | 'version'>): Promise<string> =>
      digests.get(`${id}:${version}`) ?? (await packedLines(id)).digest,

    refresh,

    /**
     * For a list, which must not silently leave out routes that have just changed.
     * @throws refusal `busy` if it takes long; the work continues in the background.
     */
    requireAll: async (accountId: number): Promise<void> => {
      if (await findReadOnly(db)) return
      const untilMs = performance.now() + maxWaitMs
      /** A damaged route must not hide all others. */
      const damaged = new Set<number>()
      for (;;) {
        const stale = await listStale(db, { accountId, visibility: 'public' }, batch + damaged.size)
        const left = stale.filter((routeId) => !damaged.has(routeId))
        if (left.length === 0) return
        for (const routeId of left) {
          if (performance.now() > untilMs) {
            refresh(accountId)
            throw stillDeriving()
          }
          await derive(routeId).catch((error: unknown) => {
            onFault(error)
            damaged.add(routeId)
          })
        }
      }
    },

    /** Resolves once no work is in progress. */
    close: async (): Promise<void> => {
      isClosing = true
      await Promise.all(walks)
    },
  }
}

export type PublicViews = ReturnType<typeof createPublicViews>
