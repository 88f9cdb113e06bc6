// Whether a redirect leads from the internet into this machine's own network, where a remote server has no business.
import { lookup } from 'node:dns/promises'
import { createAddressPolicy } from '../../src/events/webhooks/addresses.ts'
import { isPlainHost } from '../remote/plain-fetch.ts'

const { classify } = createAddressPolicy([])

/**
 * Is any address of the host private or reserved? Unresolvable hosts cannot be reached; unusual names are not tried.
 */
async function isInside({ hostname }: URL): Promise<boolean> {
  if (!isPlainHost(hostname)) return true
  const addresses = await lookup(hostname.replace(/^\[(.*)\]$/, '$1'), { all: true }).catch(() => [])
  return addresses.some(({ address }) => classify(address) === 'refused')
}

/** A server in the local network may redirect within it, for example to its photo storage. */
export const leadsInside = async (next: URL, asked: URL): Promise<boolean> =>
  (await isInside(next)) && !(await isInside(asked))
