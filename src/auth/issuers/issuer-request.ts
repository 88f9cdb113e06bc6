// Fetches a JSON document from a trusted issuer, with limits on bytes and time, and without following redirects.
import { request as requestPlain, type IncomingMessage } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIssuerAddress } from './trusted-issuer.ts'

export interface RequestBounds {
  /** Ends the request at any stage. */
  readonly signal: AbortSignal
  readonly maxBytes: number
}

/**
 * Without a shared agent, each request has its own connection, on which no other response can arrive
 * (docs/supply-chain/advisories.json relies on it).
 */
function send(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? requestSecure : requestPlain
  const headers = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'Waymark' }
  return new Promise((resolve, reject) => {
    request(url, { agent: false, signal, headers })
      .on('response', resolve)
      .on('error', reject)
      // A protocol upgrade (101) emits neither event: without this, the promise would never settle.
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

/** @throws Error with the reason, for the operator's log. A redirect counts as a failure. */
export async function getJson(url: URL, { signal, maxBytes }: RequestBounds): Promise<unknown> {
  if (!isIssuerAddress(url)) throw new Error(`${url.href} is neither https nor on loopback`)
  const response = await send(url, signal)
  try {
    if (response.statusCode !== 200) throw new Error(`${url.href} answered ${response.statusCode}`)
    const { 'content-encoding': encoding = 'identity' } = response.headers
    // Nothing is decompressed, so neither compression bombs nor bugs of a decoder matter.
    if (encoding !== 'identity') throw new Error(`${url.href} used the encoding ${encoding}`)
    return JSON.parse(await readBody(response, maxBytes)) as unknown
  } finally {
    response.destroy()
  }
}
