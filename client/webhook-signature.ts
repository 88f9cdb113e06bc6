// For webhook receivers: verifies that a delivery was signed with the secret and is recent (Standard Webhooks).
import { createProblem, type WaymarkProblem } from './problem.ts'

export interface WebhookMessage {
  /** The same for every attempt and replay: store the IDs that you have processed. */
  readonly id: string
  /** Such as `image.approved`; new types may be added. */
  readonly type: string
  /** Time of the event. */
  readonly timestamp: string
  /** As in the event feed, depending on the type. */
  readonly data: Readonly<Record<string, unknown>>
}

export interface ReceivedWebhook {
  /** A `Headers`, or Node's `request.headers`. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The raw body: JSON that was parsed and serialized again has another signature. */
  readonly body: string | Uint8Array
  /** The webhook's secret, `whsec_…`; several while it is being replaced. */
  readonly secret: string | readonly string[]
  /** Tolerance in seconds; signatures outside it are refused as possible replays. Default 300. */
  readonly toleranceSeconds?: number | undefined
}

function headerOf(headers: ReceivedWebhook['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return (typeof value === 'object' ? value?.join(' ') : value) ?? ''
}

/** Undefined if the text is not base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}

const refusal = (code: string, title: string): WaymarkProblem => createProblem({ status: 400, code, title })

/** Compared by the platform in constant time. */
async function isSigned(secret: string, text: Uint8Array<ArrayBuffer>, signatures: readonly string[]) {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError('The secret of the webhook is not base64')
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['verify'])
  for (const signature of signatures) {
    const given = signature.startsWith('v1,') ? bytesOf(signature.slice('v1,'.length)) : undefined
    if (given && (await crypto.subtle.verify('HMAC', key, given, text))) return true
  }
  return false
}

/** @throws WaymarkProblem `no-webhook`, `wrong-signature`, `stale-webhook`: respond with 400. */
export async function readWebhook(received: ReceivedWebhook): Promise<WebhookMessage> {
  const { headers, body, secret, toleranceSeconds = 300 } = received
  const id = headerOf(headers, 'webhook-id')
  const at = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature').split(' ')
  if (id === '' || !/^\d+$/.test(at)) throw refusal('no-webhook', 'The request is not a webhook')
  const encoded = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const text = new Uint8Array(await new Blob([`${id}.${at}.`, new Uint8Array(encoded)]).arrayBuffer())
  const secrets = typeof secret === 'string' ? [secret] : secret
  const results = await Promise.all(secrets.map((one) => isSigned(one, text, signatures)))
  if (!results.includes(true)) throw refusal('wrong-signature', 'The signature of the webhook is wrong')
  if (Math.abs(Date.now() / 1_000 - Number(at)) > toleranceSeconds)
    throw refusal('stale-webhook', 'The webhook was not signed recently, so it may be a replay')
  const message = JSON.parse(new TextDecoder().decode(encoded)) as Omit<WebhookMessage, 'id'>
  return { id, ...message }
}
