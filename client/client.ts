// The SDK: the whole API, typed, for browsers and Node, built on web standards only.
import { createAdminCalls } from './admin.ts'
import { createClassicCalls } from './classic.ts'
import { createEventCalls } from './events.ts'
import { createImageCalls } from './images.ts'
import { createMapCalls } from './maps.ts'
import { createMeCalls } from './me.ts'
import { createReviewCalls } from './review.ts'
import { createRouteCalls } from './routes.ts'
import { createTrailCalls } from './trails.ts'
import { createTransport, type CallOptions, type Transport, type WaymarkOptions } from './transport.ts'
import type { PhotoTerms, SiteInfo } from './types.ts'
import { createWebhookCalls } from './webhooks.ts'

export type * from './types.ts'
export type { Page, Pages, PagesOfEach, Filters } from './paging.ts'
export type {
  Answer,
  CallOptions,
  Credential,
  Fetch,
  Method,
  Query,
  RequestOptions,
  WaymarkOptions,
} from './transport.ts'
export type { RetryRules } from './retry.ts'
export type { Progress } from './upload.ts'
export type { AccountFilters, AuditFilters } from './admin.ts'
export type { ClassicRoute, SentDetails, SentRoute, TrailImageDetails } from './classic.ts'
export type { ChangeFilters, ListenOptions } from './events.ts'
export type {
  GeoJsonFilters,
  ImageFilters,
  OnTrailFilters,
  TrailImageFilters,
  UploadOptions,
} from './images.ts'
export type { QueueFilters, ReleaseOptions } from './review.ts'
export type { PublicRouteFilters, RouteFilters, ViewOptions } from './routes.ts'
export type { ChangeOptions, MakeOptions, TrailFilters, TrailFormat } from './trails.ts'
export type { ReceivedWebhook, WebhookMessage } from './webhook-signature.ts'
export type { Begun, DeviceLogin, Oauth, OauthOptions, Tokens } from './oauth.ts'
export type { KeptEvents, WaymarkProblem, WaymarkUnreachable } from './problem.ts'
export { isUnreachable, isWaymarkProblem } from './problem.ts'
export { createOauth } from './oauth.ts'
export { createTokenSource } from './token-source.ts'
export type { TokenSourceOptions } from './token-source.ts'
export { readWebhook } from './webhook-signature.ts'
/** Makes an Idempotency-Key. Store it with the request, so that the request can be repeated after a reload. */
export { randomKey } from './transport.ts'

/** Every operation, by resource. */
export interface Waymark extends Pick<Transport, 'request' | 'send'>, ReturnType<typeof createEventCalls> {
  /** The site, and the caller's identity and permissions. */
  readonly site: (options?: CallOptions) => Promise<SiteInfo>
  /** The photo licence and the terms of uploads. */
  readonly terms: (options?: CallOptions) => Promise<PhotoTerms>
  readonly trails: ReturnType<typeof createTrailCalls>
  readonly images: ReturnType<typeof createImageCalls>
  /** Deleted photos: your own, or all of them for staff. `images.restore` restores one. */
  readonly trash: ReturnType<typeof createImageCalls>['trash']
  readonly review: ReturnType<typeof createReviewCalls>
  readonly routes: ReturnType<typeof createRouteCalls>
  readonly me: ReturnType<typeof createMeCalls>
  readonly webhooks: ReturnType<typeof createWebhookCalls>
  readonly admin: ReturnType<typeof createAdminCalls>
  readonly maps: ReturnType<typeof createMapCalls>
  readonly classic: ReturnType<typeof createClassicCalls>
}

/** Create one per service and credential. It holds no connection and does not need to be closed. */
export function createWaymark(options: WaymarkOptions): Waymark {
  const transport = createTransport(options)
  const images = createImageCalls(transport)
  return {
    request: transport.request,
    send: transport.send,
    site: (callOptions) => transport.request<SiteInfo>('GET', '/v2/site', callOptions),
    terms: (callOptions) => transport.request<PhotoTerms>('GET', '/v2/terms', callOptions),
    trails: createTrailCalls(transport),
    images,
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
