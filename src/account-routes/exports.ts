// The bodies of one route on v2: the document with its gpx, and the GPX and GeoJSON exports, depending on the viewer.
import type { Gpx } from '../shared/gpx/gpx-document.ts'
import { linesOf } from '../shared/gpx/gpx-document.ts'
import { readingDetails } from '../shared/gpx/gpx-details.ts'
import { rewritingGpx } from '../shared/gpx/rewrite/gpx-rewrite.ts'
import { writeGpx } from '../shared/gpx/gpx-writer.ts'
import { readGpx, type GpxLimits } from '../shared/gpx/gpx.ts'
import { measuringLine } from '../shared/geo/along.ts'
import { profileOf } from '../shared/geo/profile.ts'
import { writeGeoJson } from '../shared/geo/geojson.ts'
import { runYielding } from '../shared/yielding.ts'
import { slicesOf } from '../shared/text/text-slices.ts'
import type { RouteSummary } from '../shared/v2/route-schemas.ts'
import type { Db } from '../database/database.ts'
import { refuse } from '../errors.ts'
import { inEach } from '../texts/texts.ts'
import type { CachedAnswer } from '../http/cached-answers.ts'
import type { Chunks } from '../http/representation.ts'
import { unpackText } from './gpx/packed.ts'
import { sketchOf } from './public-list/line-sketch.ts'
import { findGpx, type Route } from './route-table.ts'
import type { RoutePublicView } from './public-view/public-view-table.ts'
import type { PublicLines, PublicViews } from './public-view/public-views.ts'
import type { RouteView } from './public-view/views.ts'

const creator = 'Waymark'

export interface ExportsDependencies {
  readonly db: Db
  readonly publicViews: PublicViews
  readonly gpxLimits: GpxLimits
}

/** The owner's bodies are written for each response, those for others once for everyone. */
export type RouteBody = Chunks | CachedAnswer

/** Points of a public view that are written and compressed for one unit of the rate limits. */
const pointsOfUnit = 5_000
/** The same for the owner's gpx, which is parsed again for an export. */
const bytesOfUnit = 128 * 1024
/** Points of the line, and of the elevations: enough for the width of a page. */
const maxOverviewPoints = 300
/** With fewer points, compression gains little. */
const minCompressedPoints = 100

/** What an export costs the owner, in units of the rate limits. */
export const ownCostOf = ({ gpxBytes }: Route): number => Math.floor(gpxBytes / bytesOfUnit)

/** A JSON string from texts that do not split characters. */
function* jsonString(texts: Iterable<string>): Generator<string, void> {
  yield '"'
  for (const text of texts) yield JSON.stringify(text).slice(1, -1)
  yield '"'
}

/**
 * The content of the GPX for others: the public lines, the owner's name and description, and anything else that is
 * shared.
 */
const shownDocument = (
  { name, description }: RouteSummary,
  { lines: segments, shared }: Pick<PublicLines, 'lines' | 'shared'>,
) => ({
  name,
  description,
  creator,
  ...(shared?.waypoints && { waypoints: shared.waypoints }),
  ...(shared && { sensors: shared.sensors }),
  routes: [],
  tracks: segments.length === 0 ? [] : [{ name: undefined, segments }],
})

const originalIdentity = ({ id, revision }: Route): string => `original\n${id}\n${revision}`

export function createExports({ db, publicViews, gpxLimits }: ExportsDependencies) {
  async function storedText({ id }: Route): Promise<string> {
    const packed = await findGpx(db, id)
    if (packed === undefined) throw refuse('invalid-route-id') // just deleted
    return unpackText(packed)
  }

  /** @throws refusal `unreadable-gpx`. */
  async function readable(text: string): Promise<Gpx> {
    const reading = await readGpx([text], gpxLimits)
    if (!reading.ok) throw refuse('unreadable-gpx', { detail: reading.fault.detail })
    return reading.value
  }

  /** The public view of a route's lines. The body is only written when it has to be sent. */
  async function shownAnswer(
    route: RoutePublicView,
    form: Pick<CachedAnswer, 'mediaType' | 'isFile'> & {
      readonly identity: (content: string) => string
      readonly write: (shown: PublicLines) => Iterable<string>
    },
  ): Promise<CachedAnswer> {
    const content = await publicViews.digest(route)
    const { pointCount } = route.measures
    return {
      mediaType: form.mediaType,
      isFile: form.isFile,
      identity: form.identity(content),
      isLong: pointCount >= minCompressedPoints,
      cost: Math.floor(pointCount / pointsOfUnit),
      chunks: async () => {
        const shown = await publicViews.lines(route.id)
        if (shown.digest === content) return form.write(shown)
        throw refuse('busy', {
          detail: inEach(({ limits }) => limits.routeUpdated),
          headers: { 'Retry-After': '1' },
        })
      },
    }
  }

  /** The inputs of a body: its version of the view, and its kind. */
  const identityOf = (kind: string, summary: RouteSummary, content: string): string =>
    [kind, JSON.stringify(summary), content].join('\n')

  return {
    /** The inputs of the ETags of the owner's bodies. */
    identities: (route: Route, summary: RouteSummary): string[] => [
      originalIdentity(route),
      ...['document', 'gpx', 'geojson'].map((kind) => identityOf(kind, summary, route.revision)),
      JSON.stringify(summary),
    ],

    /** The v2 document, its gpx last. */
    document: async (view: RouteView, summary: RouteSummary): Promise<RouteBody> => {
      const mediaType = 'application/json'
      const identity = (content: string): string => identityOf('document', summary, content)
      const write = function* write(gpx: Iterable<string>): Generator<string, void> {
        yield `${JSON.stringify(summary).slice(0, -1)},"gpx":`
        yield* jsonString(gpx)
        yield '}'
      }
      if (view.of === 'others')
        return shownAnswer(view.route, {
          mediaType,
          identity,
          write: (shown) => write(writeGpx(shownDocument(summary, shown))),
        })
      const text = await storedText(view.route)
      return { mediaType, identity: identity(view.route.revision), chunks: () => write(slicesOf(text)) }
    },

    /** The public view without its gpx, with enough points to draw small charts of the line and the elevations. */
    overview: (route: RoutePublicView, summary: RouteSummary): Promise<CachedAnswer> =>
      shownAnswer(route, {
        mediaType: 'application/json',
        identity: (content) => identityOf('overview', summary, content),
        write: function* write({ lines }) {
          const steps = measuringLine(lines)
          let step = steps.next()
          for (; step.done !== true; step = steps.next()) yield '' // yields to other requests
          const drawn = {
            line: sketchOf(lines, maxOverviewPoints),
            profile: profileOf(lines, step.value.miles, maxOverviewPoints),
          }
          yield JSON.stringify({ ...summary, ...drawn })
        },
      }),

    /** @throws refusal `unreadable-gpx`. */
    gpx: async (view: RouteView, summary: RouteSummary): Promise<RouteBody> => {
      const mediaType = 'application/gpx+xml'
      if (view.of === 'others')
        return shownAnswer(view.route, {
          mediaType,
          identity: (content) => identityOf('gpx', summary, content),
          write: (shown) => writeGpx(shownDocument(summary, shown)),
        })
      const { name, description } = summary
      const text = await storedText(view.route)
      // Parsed when it was stored; an invalid gpx is recorded then (GPX_CHECK).
      const { fault } = view.route.measures
      if (fault !== undefined) throw refuse('unreadable-gpx', { detail: fault })
      const written = { name, description, creator }
      return {
        mediaType,
        identity: identityOf('gpx', summary, view.route.revision),
        chunks: async () => {
          if (text === '') return writeGpx({ ...written, routes: [], tracks: [] })
          const { chunks, fault: crowd } = await runYielding(rewritingGpx(text, written))
          if (crowd !== undefined) throw refuse('unreadable-gpx', { detail: `${crowd}: get the original.` })
          return chunks
        },
      }
    },

    /** The original document, for its owner. */
    original: async (route: Route): Promise<Chunks> => {
      const text = await storedText(route)
      return {
        mediaType: 'application/gpx+xml',
        identity: originalIdentity(route),
        chunks: () => slicesOf(text),
      }
    },

    /** @throws refusal `unreadable-gpx`. */
    geoJson: async (view: RouteView, summary: RouteSummary): Promise<RouteBody> => {
      const mediaType = 'application/geo+json'
      const { routeID, displayName, name, description, length, climb, descent, createdAt } = summary
      const properties = { routeID, displayName, name, description, length, climb, descent, createdAt }
      const { box } = view.route
      if (view.of === 'others')
        return shownAnswer(view.route, {
          mediaType,
          isFile: true,
          identity: (content) => identityOf('geojson', summary, content),
          write: ({ lines, shared }) =>
            writeGeoJson({
              properties,
              lines,
              box,
              waypoints: shared?.waypoints,
              sensors: shared?.sensors,
            }),
        })
      const text = await storedText(view.route)
      const gpx = text === '' ? undefined : await readable(text)
      const details = gpx && (await runYielding(readingDetails(text)))
      const lines = gpx === undefined ? [] : linesOf(gpx)
      const waypoints = gpx && { ...gpx.waypoints, details: details?.waypoints ?? new Map() }
      return {
        mediaType,
        identity: identityOf('geojson', summary, view.route.revision),
        chunks: () => writeGeoJson({ properties, lines, box, waypoints, sensors: details?.sensors }),
        isFile: true,
      }
    },
  }
}

export type Exports = ReturnType<typeof createExports>
