// Fetches the data of public pages from our own endpoints, in-process and as a visitor. Only the caller's network
// address is passed on, so that these requests count against the rate limits like a browser's. The page depends on
// everything that these responses depend on, which is recorded here.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Tag } from '../commits.ts'
import type { CachePolicy } from '../http/answers/cache-policy.ts'

export interface VisitorFetchDependencies {
  readonly app: FastifyInstance
  readonly publicUrl: string
  readonly cachePolicyOf: (request: IncomingMessage) => CachePolicy | undefined
}

export interface Noted {
  readonly tags: Set<Tag>
  readonly isStill: (() => boolean)[]
  /** False if one of the responses can change without a commit. */
  isKept: boolean
}

/** Only the viewer and the map file can change without a commit, and the browser requests both again. */
const sitePath = '/v2/site'

export function createVisitorFetch({ app, publicUrl, cachePolicyOf }: VisitorFetchDependencies) {
  const begin = publicUrl.replace(/\/$/, '')
  /** Marks it as a request of a page, as in a browser. */
  const ofPage = { host: new URL(begin).host, accept: 'application/json', 'x-waymark-page': '1' }

  function note(noted: Noted, path: string, policy: CachePolicy | undefined): void {
    if (path === sitePath) return
    if (policy === undefined) noted.isKept = false
    for (const tag of policy?.dependsOn ?? []) noted.tags.add(tag)
    if (policy?.isStill !== undefined) noted.isStill.push(policy.isStill)
  }

  /** @returns fetch for one page, and the recorded dependencies. */
  return (visitor: { readonly ip: string }, language: string) => {
    const noted: Noted = { tags: new Set(), isStill: [], isKept: true }
    const fetch = async (input: string | URL | Request): Promise<Response> => {
      const url = input instanceof Request ? input.url : String(input)
      if (!url.startsWith(`${begin}/v2/`)) throw new TypeError('a page is made of our own endpoints alone')
      const path = url.slice(begin.length)
      const answer = await app.inject({
        method: 'GET',
        url: path,
        remoteAddress: visitor.ip,
        headers: { ...ofPage, 'accept-language': language },
      })
      note(noted, path, cachePolicyOf(answer.raw.req))
      const { statusCode, payload, headers } = answer
      const type = headers['content-type'] ?? ''
      return new Response(payload, { status: statusCode, headers: { 'content-type': type } })
    }
    return { fetch, noted }
  }
}

export type VisitorFetch = ReturnType<typeof createVisitorFetch>
