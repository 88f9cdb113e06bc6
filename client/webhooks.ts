// The user's webhooks and their deliveries.
import { pagesOfEach, wholeSet, type PagesOfEach } from './paging.ts'
import { keyed, type ChangeOptions, type MakeOptions } from './trails.ts'
import type { CallOptions, Transport } from './transport.ts'
import type { Delivery, MadeWebhook, NewWebhook, Webhook, WebhookPatch } from './types.ts'

export function createWebhookCalls(transport: Transport) {
  const { request } = transport
  const deliveries: PagesOfEach<object, Delivery> = pagesOfEach(
    transport,
    (webhookID) => `/v2/webhooks/${webhookID}/deliveries`,
  )
  return {
    list: (options?: CallOptions) => wholeSet<Webhook>(transport, '/v2/webhooks', options),
    get: (webhookID: number, options?: CallOptions) =>
      request<Webhook>('GET', `/v2/webhooks/${webhookID}`, options),
    /** The secret is returned only in this response. */
    create: (webhook: NewWebhook, options?: MakeOptions) =>
      request<MadeWebhook>('POST', '/v2/webhooks', { ...keyed(options), body: webhook }),
    change: (webhookID: number, patch: WebhookPatch, options?: ChangeOptions) =>
      request<Webhook>('PATCH', `/v2/webhooks/${webhookID}`, { ...options, body: patch }),
    remove: (webhookID: number, options?: CallOptions) =>
      request<void>('DELETE', `/v2/webhooks/${webhookID}`, options),
    /** Replaces the secret; the new one is returned only in this response. */
    rotate: (webhookID: number, options?: CallOptions) =>
      request<MadeWebhook>('POST', `/v2/webhooks/${webhookID}/rotate`, options),
    test: (webhookID: number, options?: CallOptions) =>
      request<Delivery>('POST', `/v2/webhooks/${webhookID}/test`, options),
    deliveries,
    replay: (webhookID: number, deliveryID: number, options?: CallOptions) =>
      request<Delivery>('POST', `/v2/webhooks/${webhookID}/deliveries/${deliveryID}/replay`, options),
  }
}
