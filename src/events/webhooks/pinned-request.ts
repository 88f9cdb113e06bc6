// A request that connects to addresses that were judged, and to nothing else.
import { request as requestPlain, type IncomingMessage } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPlainHost, type Target } from './target.ts'

export interface PinnedMessage {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Gives the connection the addresses that were judged; nobody is asked again. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, options, tell) => {
    const [first] = found
    if (options.all || !first) tell(null, found)
    else tell(null, first.address, first.family)
  }
}

export function requestPinned(
  { url, host }: Target,
  addresses: readonly string[],
  { method, headers, body }: PinnedMessage,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  if (!isPlainHost(url.hostname)) throw new Error('the host has unusual characters') // readTarget saw to it
  const request = url.protocol === 'https:' ? requestSecure : requestPlain
  // A connection of its own for each, so that no other answer can come from it, and no proxy (docs/supply-chain).
  const connection = { agent: false, lookup: pinnedTo(addresses), servername: isIP(host) ? '' : host }
  return new Promise((resolve, reject) => {
    request(url, { method, headers, signal, ...connection })
      .on('response', resolve)
      .on('error', reject)
      // A change of protocol (101) ends in neither: without this nobody would ever hear of it.
      .on('close', () => reject(new Error('the connection closed without a response')))
      .end(body)
  })
}
