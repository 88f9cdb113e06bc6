// The metrics of requests and connections, all of them counted at the end of a request.
import type { Refusal } from '../errors.ts'
import type { EndedRequest, Traffic } from '../http/connections/traffic.ts'
import type { Observe } from './quick-histogram.ts'
import type { MetricRegistry } from './registry.ts'

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** All others share one label: the parser knows about thirty more, and each would create series. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

function uploadOutcome({ refusal, status }: EndedRequest): string {
  if (refusal) return refusal.code
  if (status === 201) return 'stored'
  return status === 200 ? 'repeated' : 'aborted'
}

/** What disks, databases and stores fail with; EREMOTEIO is an answer that was a failure, EBADMSG one with other bytes. */
const faultCodes: ReadonlySet<string> = new Set(
  (
    'ENOSPC EDQUOT EFBIG EIO ENXIO ENODEV ESTALE EROFS EACCES EPERM EMFILE ENFILE ENOMEM ' +
    'ETIMEDOUT ECONNREFUSED ECONNRESET EHOSTUNREACH ENETUNREACH ENOTFOUND EPIPE EREMOTEIO EBADMSG other'
  ).split(' '),
)

/** The system's code of the failure. */
function faultCode(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return faultCodes.has(code) ? code : 'other'
}

type Make = (method: string, route: string, status: string) => Observe

/** Caches label sets: as many as there are endpoints, times the few methods and statuses of each. */
function memoSeries(make: Make) {
  const byRoute = new Map<string, Map<string, Map<number | undefined, Observe>>>()
  return (route: string, method: string, status: number | undefined): Observe => {
    const found = byRoute.get(route)?.get(method)?.get(status)
    if (found) return found
    const ofRoute = byRoute.get(route) ?? new Map<string, Map<number | undefined, Observe>>()
    const ofMethod = ofRoute.get(method) ?? new Map<number | undefined, Observe>()
    byRoute.set(route, ofRoute)
    ofRoute.set(method, ofMethod)
    const made = make(method, route, status === undefined ? 'aborted' : String(status))
    ofMethod.set(status, made)
    return made
  }
}

export function addRequestMetrics(registry: MetricRegistry, traffic: Traffic): void {
  const { counter, gauge, quickHistogram, total } = registry

  const requests = quickHistogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from the headers of a request to the end of its response. route is the pattern of the endpoint, or unmatched; status is aborted if the client disconnected before the end of the response.',
    labels: ['method', 'route', 'status'],
    buckets,
  })
  const requestsLike = memoSeries((method, route, status) => requests.series({ method, route, status }))
  gauge('http_requests_in_flight', 'Requests in progress.', traffic.inFlight)
  gauge('http_connections', 'Open connections.', traffic.connections)
  total('http_received_bytes_total', 'Bytes received, including headers.', () => traffic.bytes().received)
  total('http_sent_bytes_total', 'Bytes sent, including headers.', () => traffic.bytes().sent)
  const unreadable = counter(
    'waymark_unreadable_requests_total',
    'Responses to unreadable requests, by the code of the refusal.',
    ['code'],
  )
  const refused = counter('waymark_refusals_total', 'Requests refused, by the code of the refusal.', ['code'])
  const rateLimited = counter(
    'waymark_rate_limited_requests_total',
    'Requests refused by a rate limit, by policy.',
    ['policy'],
  )
  const storageFaults = counter(
    'waymark_storage_faults_total',
    'Requests that failed because a disk was full or the storage did not respond, by system error.',
    ['error'],
  )
  // Present from the start, so that the first failure shows as a step from 0 to 1: Prometheus sees no increase in a
  // series that begins, and an alert would miss a single failure.
  refused.inc({ code: 'internal-error' }, 0)
  for (const error of faultCodes) storageFaults.inc({ error }, 0)

  const uploads = counter(
    'waymark_uploads_total',
    'Uploads by outcome: stored, repeated (an existing image was returned), aborted (the client disconnected), or the code of the refusal.',
    ['outcome'],
  )
  for (const outcome of ['stored', 'repeated']) uploads.inc({ outcome }, 0)

  function countRefusal(refusal: Refusal): void {
    refused.inc({ code: refusal.code })
    if (refusal.code === 'too-many-requests') {
      const policy = /^"(\w+)"/.exec(refusal.headers['RateLimit-Policy'] ?? '')?.[1] ?? 'other'
      rateLimited.inc({ policy })
    }
    if (refusal.code === 'insufficient-storage' || refusal.code === 'storage-unavailable') {
      storageFaults.inc({ error: faultCode(refusal.cause) })
    }
  }

  traffic.onEnd((ended) => {
    // The pattern of the endpoint, never the path: ids would make series without end, and a path may hold a key.
    const { method, pattern: route = 'unmatched', refusal, isUpload } = ended
    const status = ended.isWhole ? ended.status : undefined
    requestsLike(route, methods.has(method) ? method : 'other', status)(ended.durationMs / 1_000)
    if (refusal) countRefusal(refusal)
    if (isUpload) uploads.inc({ outcome: uploadOutcome(ended) })
  })
  traffic.onUnreadable((code) => unreadable.inc({ code }))
}
