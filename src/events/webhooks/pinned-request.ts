// A request that connects only to addresses that were checked.
import { request as requestPlain, type IncomingMessage } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPlainHost, type Target } from './target.ts'

export interface PinnedMessage {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Gives the connection the checked addresses; the name is not resolved again. */
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
  // A separate connection each, so that no other response can arrive on it, and no proxy is used (docs/supply-chain).
  const connection = { agent: false, lookup: pinnedTo(addresses), servername: isIP(host) ? '' : host }
  return new Promise((resolve, reject) => {
    request(url, { method, headers, signal, ...connection })
      .on('response', resolve)
      .on('error', reject)
      // A protocol upgrade (101) emits neither event: without this, the promise would never settle.
      .on('close', () => reject(new Error('the connection closed without a response')))
      .end(body)
  })
}
