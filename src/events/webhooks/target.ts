// The address of a webhook: parses and checks it, and resolves its name, once per attempt (trust 56).
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { AddressPolicy } from './addresses.ts'

export interface Target {
  readonly url: URL
  /** The name or the IP address, without brackets and without a dot at its end. */
  readonly host: string
}

/** Returns every address of a name. @throws Error if it has none, or the signal is aborted. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>

/**
 * Plain letters, so that no odd name can pass for another in a certificate or a look-up (docs/supply-chain). Names in
 * other scripts are plain here too, since the URL was read by then.
 */
export const isPlainHost = (hostname: string): boolean =>
  /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?|\[[0-9a-f:]+\])$/.test(hostname)

const isLocalName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost')

/** The addresses that are known without resolving. */
function addressesWithin({ host }: Target): readonly string[] | undefined {
  if (isIP(host) !== 0) return [host]
  return isLocalName(host) ? ['127.0.0.1'] : undefined
}

const onlyHttps = 'must be https; plain http is allowed only for addresses in the setting WEBHOOK_ALLOW'

/** Why nothing can be sent there, as the end of a sentence; undefined if it can. */
function whyNot(
  { url }: Target,
  addresses: readonly string[],
  { classify }: AddressPolicy,
): string | undefined {
  const classes = addresses.map(classify)
  if (classes.includes('refused')) return 'is in a private or reserved network'
  if (url.protocol === 'http:' && classes.some((one) => one !== 'allowed')) return onlyHttps
  return classes.length === 0 ? 'has no address' : undefined
}

type Reading = { readonly target: Target } | { readonly whyNot: string }

/**
 * Parses an address as browsers do, so that 0x7f.1 and 2130706433 are recognised, and checks what can be checked
 * without a name server.
 */
export function readTarget(text: string, addressPolicy: AddressPolicy): Reading {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return { whyNot: 'must be an https URL' }
  if (url.username || url.password) return { whyNot: 'must not contain a user or password' }
  if (text.includes('#')) return { whyNot: 'must not contain a fragment' }
  if (!isPlainHost(url.hostname)) {
    return { whyNot: 'must have a host of letters, digits, hyphens and dots, or an IP address' }
  }
  url.hostname = url.hostname.replace(/\.$/, '')
  const target = { url, host: url.hostname.replace(/^\[(.*)\]$/, '$1') }
  if (url.protocol === 'http:' && !addressPolicy.allowsSome) return { whyNot: onlyHttps }
  const known = addressesWithin(target)
  const why = known && whyNot(target, known, addressPolicy)
  return why === undefined ? { target } : { whyNot: why }
}

const queryTimeoutMs = 1_500
const queryTries = 2

/**
 * Queries the machine's name servers directly. The system's resolver would block one of the four threads that read
 * files, for as long as a name server does not respond.
 */
export const resolveName: Resolve = async (host, signal) => {
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: queryTries })
  const cancel = (): void => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0) throw new Error('the name has no address')
    return addresses
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** @returns the addresses to connect to, or why there is none. */
export async function addressesOf(
  target: Target,
  { addressPolicy, resolve, signal }: { addressPolicy: AddressPolicy; resolve: Resolve; signal: AbortSignal },
): Promise<{ readonly addresses: readonly string[] } | { readonly whyNot: string }> {
  const addresses = addressesWithin(target) ?? (await resolve(target.host, signal))
  const why = whyNot(target, addresses, addressPolicy)
  return why === undefined ? { addresses } : { whyNot: why }
}
