// A webhook receiver on loopback with scripted responses, and webhooks that point to it.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { MadeWebhook } from '../../../src/shared/v2/webhook-schemas.ts'
import type { Waymark, WaymarkOptions } from '../../helpers/waymark.ts'

/** Allows webhooks to reach a test's receiver. */
export const onLoopback: WaymarkOptions = { environment: { WEBHOOK_ALLOW: '127.0.0.0/8' } }

export interface Received {
  readonly headers: IncomingMessage['headers']
  readonly path: string
  readonly body: string
}

export type Answer = (response: ServerResponse, times: number) => void

export const answerWith =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end()

/** Anything that is done at the end of a test: its own or a suite's. */
type After = (work: () => void) => void

export async function startReceiver(after: After, first: Answer = answerWith(204)) {
  const received: Received[] = []
  const receiver = { url: '', received, answer: first }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, path: request.url ?? '', body })
      return receiver.answer(response, received.length)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}

/** Verification as in a receiver, written from the text of Standard Webhooks and not from our code. */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(signed).digest()
  return String(headers['webhook-signature'])
    .split(' ')
    .some((signature) => {
      const [version, value = ''] = signature.split(',')
      const given = Buffer.from(value, 'base64')
      return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
    })
}

export interface Sent {
  readonly token: string
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** A request below /v2/webhooks. */
export function ask(waymark: Waymark, path: string, { token, method = 'POST', body, headers }: Sent) {
  const json = body === undefined ? {} : { body: JSON.stringify(body) }
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const init = { method, token, headers: { ...type, ...headers }, ...json }
  return waymark.fetch(`/v2/webhooks${path}`, init)
}

/** Creates a webhook, which must succeed. */
export async function addWebhook(
  waymark: Waymark,
  token: string,
  url: string,
  events: readonly string[] = ['*'],
): Promise<MadeWebhook> {
  const answer = await ask(waymark, '', { token, body: { url, events } })
  const made = (await answer.json()) as MadeWebhook
  if (answer.status !== 201) throw new Error(`answered ${answer.status}: ${JSON.stringify(made)}`)
  return made
}
