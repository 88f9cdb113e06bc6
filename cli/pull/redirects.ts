// Whether a redirect leads from the internet into the network of this machine, where a server elsewhere has no business.
import { lookup } from 'node:dns/promises'
import { createAddressJudge } from '../../src/events/webhooks/addresses.ts'
import { isPlainHost } from '../remote/plain-fetch.ts'

const { judge } = createAddressJudge([])

/** Is any address of the host private or reserved? One that cannot be resolved cannot be reached; an odd name is not tried. */
async function isInside({ hostname }: URL): Promise<boolean> {
  if (!isPlainHost(hostname)) return true
  const addresses = await lookup(hostname.replace(/^\[(.*)\]$/, '$1'), { all: true }).catch(() => [])
  return addresses.some(({ address }) => judge(address) === 'refused')
}

/** A server of the own network may redirect within it, as to the store of its photos. */
export const leadsInside = async (next: URL, asked: URL): Promise<boolean> =>
  (await isInside(next)) && !(await isInside(asked))
