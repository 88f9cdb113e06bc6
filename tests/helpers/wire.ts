// Raw requests: URLs are not normalised, and a socket can send any bytes.
import http from 'node:http'
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { settled } from './settling.ts'

export interface WireRequest {
  readonly method?: string
  /** Path and query exactly as sent in the request line. */
  readonly path: string
  readonly headers?: http.OutgoingHttpHeaders
  /** Bytes are sent with their Content-Length, a stream chunked, unless a header says otherwise. */
  readonly body?: Uint8Array | string | Readable
}

const bodiless: ReadonlySet<number> = new Set([101, 204, 205, 304])

function asResponse(status: number, statusText: string, pairs: [string, string][], body: Buffer): Response {
  const headers = new Headers()
  for (const [name, value] of pairs) headers.append(name, value)
  const content = bodiless.has(status) ? null : Uint8Array.from(body)
  return new Response(content, { status, statusText, headers })
}

const pairsOf = (rawHeaders: readonly string[]): [string, string][] =>
  rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  )

/** One request through node:http, which, unlike fetch, does not change `..`, `%2e` or the method. */
export async function send(url: string, request: WireRequest): Promise<Response> {
  const answer = await exchange(url, request)
  await settled(url, request.method ?? 'GET')
  return answer
}

function exchange(url: string, { method = 'GET', path, headers, body }: WireRequest): Promise<Response> {
  const { hostname, port } = new URL(url)
  const isStream = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
  // node:http sets it for most methods, but not for DELETE.
  const length = body === undefined || isStream ? {} : { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const options = { hostname, port, method, path, headers: { ...length, ...headers } }
    const request = http.request(options, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const { statusCode = 0, statusMessage = '', rawHeaders } = answer
        resolve(asResponse(statusCode, statusMessage, pairsOf(rawHeaders), Buffer.concat(chunks)))
      })
    })
    request.on('error', reject)
    if (isStream) body.pipe(request)
    else request.end(body)
  })
}

/** The first response in raw text from a socket. */
export function parseAnswer(text: string): Response {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const [, status = '0', statusText = ''] = /^HTTP\/1\.1 (\d{3}) ?(.*)$/.exec(statusLine) ?? []
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  return asResponse(Number(status), statusText, pairs, Buffer.from(text.slice(end + 4), 'latin1'))
}

/**
 * Sends bytes on a new connection. With `isHalfClosed`, it ends its side afterwards.
 * @returns everything received until the server closed the connection, or until the text contains `until`.
 */
export function say(
  url: string,
  bytes: Uint8Array | string,
  { isHalfClosed = false, until }: { readonly isHalfClosed?: boolean; readonly until?: RegExp } = {},
): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let said = ''
    const finish = (): void => {
      socket.destroy()
      resolve(said)
    }
    socket.setTimeout(10_000, () => {
      socket.destroy()
      reject(new Error(`the server said nothing for 10 s after: ${said}`))
    })
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1')
      if (until?.test(said) === true) finish()
    })
    // A server that has responded may close the connection while we are still sending. The response counts.
    socket.on('error', () => finish())
    socket.on('close', () => finish())
    if (isHalfClosed) socket.end(bytes)
    else socket.write(bytes)
  })
}
