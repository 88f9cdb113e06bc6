// The SDK: everything the service can do, typed, in browsers and Node, with nothing but the standards of the web.
import { createAdminCalls } from './admin.ts'
import { createClassicCalls } from './classic.ts'
import { createEventCalls } from './events.ts'
import { createImageCalls } from './images.ts'
import { createMapCalls } from './maps.ts'
import { createMeCalls } from './me.ts'
import { createReviewCalls } from './review.ts'
import { createRouteCalls } from './routes.ts'
import { createTrailCalls } from './trails.ts'
import { createTransport, type CallOptions, type WaymarkOptions } from './transport.ts'
import type { PhotoTerms, SiteInfo } from './types.ts'
import { createWebhookCalls } from './webhooks.ts'

export type * from './types.ts'
export type { Page, Pages, Filters } from './paging.ts'
export type { Answer, CallOptions, Credential, Fetch, RequestOptions, WaymarkOptions } from './transport.ts'
export type { Progress } from './upload.ts'
export type { Begun, DeviceLogin, Oauth, OauthOptions, Tokens } from './oauth.ts'
export type { KeptEvents, WaymarkProblem, WaymarkUnreachable } from './problem.ts'
export { isUnreachable, isWaymarkProblem } from './problem.ts'
export { createOauth } from './oauth.ts'
export { createTokenSource } from './token-source.ts'
/** For an Idempotency-Key that is kept with what is sent, so that it can be sent again after a reload. */
export { randomKey } from './transport.ts'

export type Waymark = ReturnType<typeof createWaymark>

/** One for each service and credential; it holds no connection and needs no end. */
export function createWaymark(options: WaymarkOptions) {
  const transport = createTransport(options)
  const images = createImageCalls(transport)
  return {
    /** Any request, with credential, retries and problems as in every other function. */
    request: transport.request,
    /** The same, giving status, headers and ETag too. */
    send: transport.send,
    /** What the site is, and who is asking. */
    site: (callOptions?: CallOptions) => transport.request<SiteInfo>('GET', '/v2/site', callOptions),
    /** The photo licence and the terms of uploads. */
    terms: (callOptions?: CallOptions) => transport.request<PhotoTerms>('GET', '/v2/terms', callOptions),
    trails: createTrailCalls(transport),
    images,
    /** Deleted photos, own ones and for staff all; `images.restore` takes one out. */
    trash: images.trash,
    review: createReviewCalls(transport),
    routes: createRouteCalls(transport),
    me: createMeCalls(transport),
    webhooks: createWebhookCalls(transport),
    admin: createAdminCalls(transport),
    maps: createMapCalls(transport),
    classic: createClassicCalls(transport),
    ...createEventCalls(transport),
  }
}
