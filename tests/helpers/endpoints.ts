// Every endpoint of a server, read from its router, so that tests over all endpoints include new ones.
import type { FastifyInstance } from 'fastify'

export interface ServedEndpoint {
  /** As registered: `/v2/images/:imageID`. */
  readonly pattern: string
  readonly methods: readonly string[]
}

const indent = 4

/** Parses the tree that the router prints, one node per line. */
export function endpointsOf(app: FastifyInstance): ServedEndpoint[] {
  const above: string[] = []
  const found: ServedEndpoint[] = []
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const [, tree = '', part = '', methods] = /^([│├└─ ]*)(\S+)(?: \((.+)\))?$/.exec(line) ?? []
    if (part === '' || part === '*') continue
    const depth = tree.length / indent
    above.length = depth - 1
    const pattern = `${above.join('')}${part}`.replaceAll('//', '/')
    above.push(part)
    if (methods !== undefined) found.push({ pattern, methods: methods.split(', ') })
  }
  return found
}

/** Ids of nonexistent resources, for parameters that the test does not provide. */
const nothing: Readonly<Record<string, string | number>> = {
  uid: 'unknown',
  token: 'A'.repeat(43),
  invitation: '0'.repeat(16),
  clientId: 'wmc_unknown',
  acctID: 42,
  routeID: 42,
  zoneID: 42,
  webhookID: 42,
  deliveryID: 42,
  prefix: 'wm_unknown0',
  sessionId: 'unknown',
  credentialId: 'unknown',
  slug: 'unknown',
  file: 'unknown.js',
  picture: 'logo',
  section: 'unknown',
  item: 'unknown',
  page: 'unknown',
  part: 'unknown',
  z: 1,
  x: 0,
  y: 1,
}

/** URL of the endpoint with these values as parameters. */
export function addressOf(
  { pattern }: ServedEndpoint,
  things: Readonly<Record<string, string | number>>,
): string {
  // A stream never ends. An invalid position is refused, and only after all other checks.
  if (pattern === '/v2/events') return `${pattern}?since=none`
  return pattern.replaceAll(/:(\w+)(?:\([^)]*\))?/g, (_all, name: string) => {
    const thing = things[name] ?? nothing[name]
    if (thing === undefined)
      throw new Error(`${pattern} has a parameter that the test does not know: ${name}`)
    return String(thing)
  })
}
