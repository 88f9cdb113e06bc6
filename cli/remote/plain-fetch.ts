// Sends the SDK's requests from the command line: one connection per request, undecoded, to ASCII host names only.
// Not Node's fetch, whose vulnerabilities are listed in docs/supply-chain/advisories.json; that list relies on the
// restrictions here.
import { request as requestPlain, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestTls } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Fetch } from '../../client/client.ts'
import { wrongUsage } from '../failures.ts'

/** So that the resolved name, the name in the certificate and the typed name cannot differ. */
export const isPlainHost = (hostname: string): boolean =>
  /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?|\[[0-9a-f:]+\])$/.test(hostname)

/**
 * @param option the option to name in the error.
 * @throws one sentence if this is not a valid server URL.
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

/** By the Fetch standard, these responses have no body. */
const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304

async function bodyOf(init: RequestInit, headers: Headers): Promise<Readable | undefined> {
  if (init.body === undefined || init.body === null) return undefined
  // Converts any body from the SDK to a stream, and sets the content type if it follows from the body.
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
