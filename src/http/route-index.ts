// Which methods an address has, and what opens each: for 405 with Allow, and for CORS preflights, where the router only
// knows that the one method asked for is not there.
import type { FastifyInstance } from 'fastify'
import type { AccessStatement } from '../auth/guard.ts'

type Segment = (asked: string) => boolean

interface IndexedEndpoint {
  readonly segments: readonly Segment[]
  readonly method: string
  readonly access: AccessStatement | undefined
}

const segmentsOf = (path: string): string[] => path.replace(/\/$/, '').split('/')

/** Behind a parameter: it holds no dot, since that begins the suffix of another endpoint. In the router's words. */
export const withoutDot = '(^[^.]+$)'

const isDotless = (text: string): boolean => text !== '' && !text.includes('.')

/** A segment of a registered path, as the router understands it: a word, `:id`, `:id(^[^.]+$)` or `:id.suffix`. */
function segmentOf(own: string): Segment {
  if (!own.startsWith(':')) return (asked) => asked === own
  if (own.endsWith(withoutDot)) return isDotless
  if (!own.includes('.')) return (asked) => asked !== ''
  const suffix = own.slice(own.indexOf('.'))
  return (asked) => asked.endsWith(suffix) && isDotless(asked.slice(0, -suffix.length))
}

function isAt(endpoint: IndexedEndpoint, segments: readonly string[]): boolean {
  return (
    endpoint.segments.length === segments.length &&
    endpoint.segments.every((matches, index) => matches(segments[index] ?? ''))
  )
}

/** Listens to registrations from now on. */
export function createRouteIndex(app: FastifyInstance) {
  const endpoints: IndexedEndpoint[] = []

  app.addHook('onRoute', (route) => {
    if (route.url === '*') return // the catch-all of CORS preflights
    for (const method of [route.method].flat()) {
      endpoints.push({ segments: segmentsOf(route.url).map(segmentOf), method, access: route.config?.access })
    }
  })

  /** @param url address of a request as the router sees it, with or without its query. */
  function endpointsAt(url: string): IndexedEndpoint[] {
    const segments = segmentsOf(url.split('?')[0] ?? url)
    return endpoints.filter((endpoint) => isAt(endpoint, segments))
  }

  return {
    /** The methods at an address, OPTIONS among them; none where nothing is served. */
    methodsAt: (url: string): string[] => {
      const methods = new Set(endpointsAt(url).map(({ method }) => method))
      return methods.size === 0 ? [] : [...methods, 'OPTIONS']
    },

    /** Every method there is at any address, OPTIONS among them. */
    allMethods: (): string[] => [...new Set([...endpoints.map(({ method }) => method), 'OPTIONS'])],

    accessAt: (url: string, method: string): AccessStatement | undefined =>
      endpointsAt(url).find((endpoint) => endpoint.method === method)?.access,
  }
}

export type RouteIndex = ReturnType<typeof createRouteIndex>
