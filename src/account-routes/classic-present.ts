// Routes on the classic surface, one or a set, written in chunks: a gpx may have 8 MiB, a set thousands of them (A3,
// A6).
import { routeShapes, type Route as ClassicRoute } from '../shared/classic/classic-shapes.ts'
import { jsonChunks } from '../shared/json/json.ts'
import { withTurns } from '../shared/text/text-chunks.ts'
import { maxSliceCharacters } from '../shared/text/text-slices.ts'
import { xmlChunks } from '../shared/xml/xml.ts'
import type { Db } from '../database/database.ts'
import type { AnswerFormat } from '../http/codec.ts'
import type { Chunks } from '../http/representation.ts'
import { unpackText } from './gpx/packed.ts'
import { findStoredRoutes, type Route, type RouteOfSet, type StoredRoute } from './route-table.ts'
import { publicLength } from './routes.ts'

type Format = AnswerFormat['name']

/** How much gpx one query of a set reads; a longer gpx is read separately. */
const bytesOfQuery = 1024 ** 2

export interface ClassicPresentSettings {
  readonly db: Db
  /** Setting ROUTE_DATE. */
  readonly routeDate: 'short' | 'full'
}

async function classicOf(route: StoredRoute): Promise<ClassicRoute> {
  return {
    description: route.description,
    gpx: await unpackText(route.gpx),
    length: publicLength(route),
    name: route.name,
    routeID: route.id,
    dateCreated: route.createdAt,
  }
}

/** Up to this size a set is sent as one text, beyond it in chunks. */
const maxBytesAtOnce = 512 * 1024
/** Typical size of a route without its gpx. */
const usualBytes = 500

const sizeOf = (set: readonly RouteOfSet[]): number =>
  set.reduce((sum, { gpxBytes }) => sum + gpxBytes + usualBytes, 0)

/** Whether the set is sent in chunks, which takes as long as the client reads. */
export const isLongSet = (set: readonly RouteOfSet[]): boolean => sizeOf(set) > maxBytesAtOnce

/** Bytes that are unpacked, written and sent for one unit of the rate limits. */
const bytesOfUnit = 1024 ** 2

/** Cost of the body of one route, in the same units. */
export const costOfRoute = ({ gpxBytes }: Route): number => Math.floor(gpxBytes / bytesOfUnit)

/** Cost of the body of a set, in units of the rate limits. */
export const costOfSet = (set: readonly RouteOfSet[]): number => Math.floor(sizeOf(set) / bytesOfUnit)

/** IDs in groups of limited size. */
function* groupsOf(set: readonly RouteOfSet[]): Generator<number[], void> {
  let group: number[] = []
  let bytes = 0
  for (const { id, gpxBytes } of set) {
    if (group.length > 0 && bytes + gpxBytes > bytesOfQuery) {
      yield group
      group = []
      bytes = 0
    }
    group.push(id)
    bytes += gpxBytes
  }
  if (group.length > 0) yield group
}

export function createClassicPresent({ db, routeDate }: ClassicPresentSettings) {
  const shape = routeShapes[routeDate]
  const chunksOf = (format: Format, route: ClassicRoute): Generator<string, void> =>
    format === 'json' ? jsonChunks(shape, route) : xmlChunks(shape, route)

  /** The inputs of a body: everything in it changes with the revision, except the date format. */
  const identityOf = (format: Format, revisions: readonly string[]): string =>
    [format, routeDate, ...revisions].join('\n')

  async function* chunksOfSet(set: readonly RouteOfSet[], format: Format): AsyncGenerator<string, void> {
    const root = `ArrayOf${shape.root}`
    const [begin, between, end] = format === 'json' ? ['[', ',', ']'] : [`<${root}>`, '', `</${root}>`]
    let separator = begin
    for (const ids of groupsOf(set)) {
      // Routes deleted in the meantime are left out.
      for (const route of await findStoredRoutes(db, ids)) {
        yield separator
        yield* chunksOf(format, await classicOf(route))
        separator = between
      }
    }
    yield separator === begin ? begin + end : end
  }

  async function textOfSet(set: readonly RouteOfSet[], format: Format): Promise<string> {
    const chunks = await Array.fromAsync(chunksOfSet(set, format))
    return chunks.join('')
  }

  return {
    route: (route: StoredRoute, { name, mediaType }: AnswerFormat): Chunks => ({
      mediaType,
      identity: identityOf(name, [route.revision]),
      chunks: async () => {
        const value = await classicOf(route)
        const isShort = value.gpx.length <= maxSliceCharacters
        return isShort ? [...chunksOf(name, value)].join('') : chunksOf(name, value)
      },
    }),

    set: (set: readonly RouteOfSet[], { name, mediaType }: AnswerFormat): Chunks => ({
      mediaType,
      identity: identityOf(
        name,
        set.map(({ id, revision }) => `${id} ${revision}`),
      ),
      chunks: () => (isLongSet(set) ? withTurns(chunksOfSet(set, name)) : textOfSet(set, name)),
    }),

    /** The identity of the result of `route`. */
    identityOfRoute: ({ revision }: Route, { name }: AnswerFormat): string => identityOf(name, [revision]),

    /** The identities of all bodies that a classic GET of the route may have returned, for If-Match. */
    identities: ({ revision }: { readonly revision: string }): string[] => [
      identityOf('json', [revision]),
      identityOf('xml', [revision]),
    ],
  }
}

export type ClassicPresent = ReturnType<typeof createClassicPresent>
