// Sends requests generated from the document to a running server, and checks the responses.
import { send } from '../../../helpers/wire.ts'
import type { Waymark } from '../../../helpers/waymark.ts'
import { servedDocument } from '../../../helpers/openapi.ts'
import { createRequests, endpointsIn, type Endpoint, type FuzzRequest } from './requests.ts'
import { chanceOf } from './values.ts'
import { makePictures, prepareWorlds } from './world.ts'

/** Number of requests with the same accounts and resources. */
const batchSize = 100

/** Rules beyond the schema: 400 for a body that is wrong only because of stored data, the time, another server or a file. */
const byState: readonly (readonly [operation: RegExp, detail: RegExp])[] = [
  [/^POST \/v2\/me\/keys/, /^expiresAt must be in the future/],
  [/\/v2\/(me|admin)\/clients/, /requires the role/],
  [/\/v2\/(changes|events)$/, /is ahead of the newest event/],
  [/^PATCH \/v2\/routes\//, /^newLink is allowed only for routes with visibility link/],
  [/^PUT \/v2\/admin\/map$/, /cannot be used: it |^There is no map file/],
  [/^PATCH \/v2\/admin\/accounts/, /^trails is allowed only for the role reviewer/],
  [/^(PUT|PATCH) \/v2\/trails\//, /^slug .* belongs to trail/],
  [/^POST \/v2\/admin\/trails\/import/, /^feature \d+: trail \d+ differs from feature/],
  [/^PUT \/v2\/admin\/review-reasons/, /^Duplicate code/],
  [
    /^(POST|PATCH) \/v2\/admin\/accounts/,
    /has unknown trail IDs|is already in use|already exists|nobody has claimed yet/,
  ],
  [/^(POST|PATCH) \/v2\/(images|trails)\//, /belong to a position/],
]

const isByState = (operation: string, text: string): boolean => {
  const { detail = '' } = parsed(text)
  return byState.some(([of, pattern]) => of.test(operation) && pattern.test(detail))
}

function parsed(text: string): { readonly detail?: string } {
  try {
    return JSON.parse(text) as { readonly detail?: string }
  } catch {
    return { detail: /<detail>([^<]*)/.exec(text)?.[1] ?? '' }
  }
}

export interface FuzzOptions {
  readonly seed: number
  readonly count: number
  /** Repeats a single batch by its number. */
  readonly onlyBatch?: number
}

export interface FuzzReport {
  readonly sent: number
  readonly accepted: number
  /** One sentence each, with what reproduces the request. */
  readonly faults: readonly string[]
}

const reported = ({ method, path, headers, body }: FuzzRequest): string => {
  const text = body === undefined ? '' : Buffer.from(body).toString().slice(0, 600)
  return `${method} ${path} ${headers['content-type'] ?? ''} ${text}`
}

export async function fuzz(waymark: Waymark, { seed, count, onlyBatch }: FuzzOptions): Promise<FuzzReport> {
  const endpoints = endpointsIn(await servedDocument(waymark))
  const makeRequest = createRequests(await makePictures())
  const makeWorld = prepareWorlds(waymark)
  const faults: string[] = []
  let sent = 0
  let accepted = 0

  async function ask(request: FuzzRequest, { path }: Endpoint): Promise<{ status: number; text: string }> {
    const { method, headers, body } = request
    if (path === '/v2/events') {
      const leaving = new AbortController()
      const answer = await fetch(waymark.url + request.path, { headers, signal: leaving.signal })
      const { status } = answer
      const text = status === 200 ? '' : await answer.text()
      leaving.abort()
      return { status, text }
    }
    const answer = await send(waymark.url, {
      method,
      path: request.path,
      headers,
      ...(body === undefined ? {} : { body }),
    })
    return { status: answer.status, text: await answer.text() }
  }

  for (let batch = 0; batch * batchSize < count; batch += 1) {
    if (onlyBatch !== undefined && batch !== onlyBatch) continue
    const world = await makeWorld()
    for (let index = 0; index < batchSize && batch * batchSize + index < count; index += 1) {
      const chance = chanceOf(seed + batch * batchSize + index)
      const endpoint = endpoints[(batch * batchSize + index) % endpoints.length] as Endpoint
      const request = makeRequest(endpoint, world, chance)
      const { status, text } = await ask(request, endpoint).catch((error: unknown) => ({
        status: 599,
        text: String(error),
      }))
      sent += 1
      if (status < 300) accepted += 1
      const isRefusedForForm = status === 400 || status === 415
      const isFault =
        status >= 500 ||
        (request.isValid && isRefusedForForm && !isByState(`${endpoint.method} ${endpoint.path}`, text))
      if (isFault)
        faults.push(
          `seed ${seed}, batch ${batch}: ${reported(request)}\n    answered ${status} ${text.slice(0, 300)}`,
        )
    }
  }
  return { sent, accepted, faults }
}
