// Asks a trusted issuer for a JSON document: bounded in bytes and time, nowhere else than where it was sent.
import { request as requestPlain, type IncomingMessage } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIssuerAddress } from './trusted-issuer.ts'

export interface RequestBounds {
  /** Ends the request, however far it got. */
  readonly signal: AbortSignal
  readonly maxBytes: number
}

/**
 * Without an agent that others share, each request has a connection of its own, which no other answer can come from
 * (docs/supply-chain/advisories.json relies on it).
 */
function send(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestSecure : requestPlain
  const headers = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'Waymark' }
  return new Promise((resolve, reject) => {
    request(url, { agent: false, signal, headers })
      .on('response', resolve)
      .on('error', reject)
      // A change of protocol (101) ends in neither: without this nobody would ever hear of it.
      .on('close', () => reject(new Error(`${url.href} did not respond`)))
      .end()
  })
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Error(`the response is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
}

/** @throws Error with what went wrong, for the operator's log. A redirect is not followed: it is no answer. */
export async function getJson(url: URL, { signal, maxBytes }: RequestBounds): Promise<unknown> {
  if (!isIssuerAddress(url)) throw new Error(`${url.href} is neither https nor on loopback`)
  const response = await send(url, signal)
  try {
    if (response.statusCode !== 200) throw new Error(`${url.href} answered ${response.statusCode}`)
    const { 'content-encoding': encoding = 'identity' } = response.headers
    // Nothing is ever decompressed: neither bombs nor a decoder's faults reach us.
    if (encoding !== 'identity') throw new Error(`${url.href} used the encoding ${encoding}`)
    return JSON.parse(await readBody(response, maxBytes)) as unknown
  } finally {
    response.destroy()
  }
}
