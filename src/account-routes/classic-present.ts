// Routes as the classic surface answers them, one and a set, in pieces: a gpx may be 8 MiB, a set thousands of them (A3, A6).
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

/** Of gpx in one query of a set; a longer one has a query of its own. */
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

/** So much of a set is one text; more goes out in pieces. */
const maxBytesAtOnce = 512 * 1024
/** Of a route besides its gpx, as a rule. */
const usualBytes = 500

const sizeOf = (set: readonly RouteOfSet[]): number =>
  set.reduce((sum, { gpxBytes }) => sum + gpxBytes + usualBytes, 0)

/** Whether the set goes out in pieces, for as long as its reader takes. */
export const isLongSet = (set: readonly RouteOfSet[]): boolean => sizeOf(set) > maxBytesAtOnce

/** What is unpacked, written and sent for one unit of the rate limits. */
const bytesOfUnit = 1024 ** 2

/** What the body of one route costs, in the same units. */
export const costOfRoute = ({ gpxBytes }: Route): number => Math.floor(gpxBytes / bytesOfUnit)

/** What the body of a set costs, in units of the rate limits. */
export const costOfSet = (set: readonly RouteOfSet[]): number => Math.floor(sizeOf(set) / bytesOfUnit)

/** Ids in groups, each of a bounded size. */
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

  /** What a body is made of: everything it shows changes with the revision, but the form of the date. */
  const identityOf = (format: Format, revisions: readonly string[]): string =>
    [format, routeDate, ...revisions].join('\n')

  async function* chunksOfSet(set: readonly RouteOfSet[], format: Format): AsyncGenerator<string, void> {
    const root = `ArrayOf${shape.root}`
    const [begin, between, end] = format === 'json' ? ['[', ',', ']'] : [`<${root}>`, '', `</${root}>`]
    let separator = begin
    for (const ids of groupsOf(set)) {
      // One that was deleted meanwhile is left out.
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

    /** The identity of what `route` makes of it. */
    identityOfRoute: ({ revision }: Route, { name }: AnswerFormat): string => identityOf(name, [revision]),

    /** The identities of what a classic GET of the route may have given: what If-Match is held against. */
    identities: ({ revision }: { readonly revision: string }): string[] => [
      identityOf('json', [revision]),
      identityOf('xml', [revision]),
    ],
  }
}

export type ClassicPresent = ReturnType<typeof createClassicPresent>
