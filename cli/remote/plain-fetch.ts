// Sends the SDK's requests from the command line: over a connection each, undecoded, to hosts of plain letters only. Not the
// fetch of Node, whose faults docs/supply-chain/advisories.json names; what this stops, that list relies on.
import { request as requestPlain, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestTls } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Fetch } from '../../client/client.ts'
import { wrongUsage } from '../failures.ts'

/** So that the name that is resolved, the one in the certificate and the one that was typed cannot differ. */
export const isPlainHost = (hostname: string): boolean =>
  /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?|\[[0-9a-f:]+\])$/.test(hostname)

/**
 * @param option what the sentence names.
 * @throws one sentence where the address is no server's.
 */
export function serverAddress(text: string, option = '--url'): string {
  const url = URL.parse(text)
  const isServer = url !== null && /^https?:$/.test(url.protocol) && isPlainHost(url.hostname)
  if (!isServer || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw wrongUsage(`${option} must be a server URL, such as https://trails.example, not '${text}'.`)
  return url.href.replace(/\/+$/, '')
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return headers
}

/** The Fetch standard: these answers have no body. */
const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304

async function bodyOf(init: RequestInit, headers: Headers): Promise<Readable | undefined> {
  if (init.body === undefined || init.body === null) return undefined
  // Makes a stream of whatever the SDK hands over, and tells its type where that follows from it.
  const { body, headers: implied } = new Response(init.body)
  const type = implied.get('content-type')
  if (type !== null && !headers.has('content-type')) headers.set('content-type', type)
  if (init.body instanceof Blob) headers.set('content-length', String(init.body.size))
  if (typeof init.body === 'string') headers.set('content-length', String(Buffer.byteLength(init.body)))
  return body === null ? undefined : Readable.fromWeb(body)
}

export const plainFetch: Fetch = async (address, init) => {
  const url = new URL(address)
  const send = url.protocol === 'https:' ? requestTls : requestPlain
  const headers = new Headers(init.headers)
  headers.set('accept-encoding', 'identity')
  const body = await bodyOf(init, headers)
  const options: RequestOptions = {
    method: init.method ?? 'GET',
    headers: Object.fromEntries(headers),
    agent: false,
    ...(init.signal ? { signal: init.signal } : {}),
  }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(url, options, resolve)
    request.once('error', reject)
    if (body === undefined) request.end()
    else void pipeline(body, request).catch(reject)
  })
  const { statusCode: status = 0 } = answer
  if (answer.headers['content-encoding'] !== undefined)
    throw new Error('the response is compressed, although that was not requested')
  const content = hasNoBody(status) ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>)
  if (content === null) answer.resume()
  return new Response(content, { status, headers: headersOf(answer) })
}
