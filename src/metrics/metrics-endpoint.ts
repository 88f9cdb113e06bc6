// GET /metrics in Prometheus' text format, for the addresses that METRICS_ALLOW lists (contract D3).
import { BlockList, isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuse } from '../errors.ts'
import type { Metrics } from './metrics.ts'

/** Headers that proxies add. A request with one of them is not a scraper on this machine. */
const forwardingHeaders = [
  'forwarded',
  'x-forwarded-for',
  'x-real-ip',
  'x-forwarded-host',
  'x-forwarded-proto',
  'via',
]

function listOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [address = '', bits] = cidr.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(bits), family)
  }
  return list
}

/**
 * A proxy on the same machine would open the metrics to the world, since its own address is a near one: a request that
 * was passed on counts as near only where TRUST_PROXY believes the proxy, and then by the address the proxy names.
 */
function isPassedOn(request: FastifyRequest): boolean {
  const isBelieved = (request.ips ?? []).length > 1
  return !isBelieved && forwardingHeaders.some((name) => request.headers[name] !== undefined)
}

export interface MetricsEndpointDependencies {
  readonly metrics: Metrics
  /** Setting METRICS_ALLOW. */
  readonly allow: readonly string[]
}

export function registerMetrics(app: FastifyInstance, { metrics, allow }: MetricsEndpointDependencies): void {
  const list = listOf(allow)
  const isAllowed = (request: FastifyRequest): boolean => {
    const family = isIP(request.ip)
    return family !== 0 && !isPassedOn(request) && list.check(request.ip, family === 6 ? 'ipv6' : 'ipv4')
  }

  app.get(
    '/metrics',
    { config: { access: { credential: 'open' }, rate: 'none' } },
    async (request, reply) => {
      // Unlike other endpoints, it is not open to pages of other origins: a page in the operator's browser is on this
      // machine, too.
      void reply.removeHeader('Access-Control-Allow-Origin')
      if (!isAllowed(request)) {
        throw refuse('forbidden', { detail: 'The setting METRICS_ALLOW does not list this address.' })
      }
      return reply
        .header('Content-Type', metrics.contentType)
        .header('Cache-Control', 'no-store')
        .send(await metrics.text())
    },
  )
}
