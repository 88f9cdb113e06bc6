// Rate limits per API key, account and address, and their headers (contract C38, decision 0090).
import { isIPv6 } from 'node:net'
import type { Jobs } from '../../jobs/runner.ts'
import { refuse, type Refusal } from '../../errors.ts'
import { inEach } from '../../texts/texts.ts'
import { createRateWindows, type Counted } from './rate-windows.ts'
import { createSharedRates, type SharedCounts } from './shared-rates.ts'

/** The figures, as the settings give them (limit-settings.ts). */
export interface RateFigures {
  /** Multiplies every limit; costs stay the same. */
  readonly rateLimitFactor: number
  readonly ratePerAddress: number
  readonly ratePerKey: number
  readonly ratePerAccount: number
  readonly rateUploads: number
  readonly rateViews: number
  readonly rateVisitors: number
  readonly rateTokens: number
  readonly rateSignIn: number
  readonly rateSignInAccount: number
}

interface Policy {
  readonly requests: number
  readonly seconds: number
}

const policiesFrom = (figures: RateFigures) =>
  ({
    /** API calls without a valid credential, failed credentials, and input that is not a request. */
    address: { requests: figures.ratePerAddress, seconds: 60 },
    key: { requests: figures.ratePerKey, seconds: 60 },
    account: { requests: figures.ratePerAccount, seconds: 60 },
    uploads: { requests: figures.rateUploads, seconds: 3_600 },
    views: { requests: figures.rateViews, seconds: 60 },
    /** Reads of public content without a credential, by any page or program. */
    visitors: { requests: figures.rateVisitors, seconds: 60 },
    token: { requests: figures.rateTokens, seconds: 60 },
    /** Failed links and passkeys, and requested emails, from one address. Passwords: attempts.ts. */
    'sign-in': { requests: figures.rateSignIn, seconds: 900 },
  }) satisfies Record<string, Policy>

/** Whether a request may count more than once in it (decision 0090). */
const isByCost = (name: PolicyName): boolean => !['token', 'sign-in', 'uploads'].includes(name)

export type PolicyName = keyof ReturnType<typeof policiesFrom>

/** The eight groups of an IPv6 address in any notation. */
function groupsOf(address: string): number[] {
  // The last two may be written as an IPv4 address.
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_all, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number)
    return `${(256 * a + b).toString(16)}:${(256 * c + d).toString(16)}`
  })
  const [head = '', tail] = plain.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  return [...left, ...Array<string>(zeros).fill('0'), ...right].map((group) => Number.parseInt(group, 16))
}

/**
 * The unit for limits by address: an IPv4 address, also if mapped into IPv6; for any other IPv6 address the /64, since
 * each customer has at least that many.
 */
export function addressBucket(address: string | undefined): string {
  // A connection that is gone has none any more.
  if (address === undefined || !address.includes(':') || !isIPv6(address)) return address ?? ''
  const groups = groupsOf(address.split('%')[0] ?? address)
  const [sixth, seventh = 0, eighth = 0] = groups.slice(5)
  if (sixth === 0xffff && groups.slice(0, 5).every((group) => group === 0)) {
    return [seventh >> 8, seventh & 255, eighth >> 8, eighth & 255].join('.')
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}

const bytesOfUnit = 2 * 1024 ** 2

/** The cost of sending this many bytes, besides the request itself: the kernel copies each of them. */
export const costOfBytes = (bytes: number): number => Math.floor(bytes / bytesOfUnit)

/** Guesses, each of which counts on all nodes. */
const countedAtOnce: ReadonlySet<PolicyName> = new Set(['sign-in'])

export interface Sharing {
  /** The shared counts of several nodes. */
  readonly counts: SharedCounts
  readonly jobs: Jobs
}

export function createRateLimits(figures: RateFigures, sharing?: Sharing) {
  const limiters = Object.fromEntries(
    Object.entries(policiesFrom(figures)).map(([name, { requests, seconds }]) => {
      const points = Math.max(1, Math.round(requests * figures.rateLimitFactor))
      const windows = createRateWindows(points, seconds)
      return [name, { points, seconds, windows, policyHeader: `"${name}";q=${points};w=${seconds}` }]
    }),
  ) as Record<
    PolicyName,
    { points: number; seconds: number; windows: ReturnType<typeof createRateWindows>; policyHeader: string }
  >

  const shared =
    sharing &&
    createSharedRates({
      ...sharing,
      learn: (name, bucket, counted) => limiters[name as PolicyName].windows.learn(bucket, counted),
    })

  function count(name: PolicyName, bucket: string): Counted {
    const { windows, seconds } = limiters[name]
    shared?.note(name, bucket, { count: 1, lengthMs: seconds * 1_000 })
    return windows.count(bucket)
  }

  async function countAtOnce(name: PolicyName, bucket: string): Promise<Counted> {
    const { windows, seconds } = limiters[name]
    const counted = windows.count(bucket)
    if (shared === undefined) return counted
    await shared.addNow(name, bucket, seconds * 1_000)
    return windows.look(bucket)
  }

  const rateLimitHeader = (name: PolicyName, { left, secondsLeft }: Counted): string =>
    `"${name}";r=${left};t=${secondsLeft}`

  const headersOf = (name: PolicyName, counted: Counted): Record<string, string> => ({
    'RateLimit-Policy': limiters[name].policyHeader,
    RateLimit: rateLimitHeader(name, counted),
  })

  const refusalOf = (name: PolicyName, counted: Counted): Refusal => {
    const { points, seconds } = limiters[name]
    const reached = { points, seconds, secondsLeft: counted.secondsLeft, isByCost: isByCost(name) }
    return refuse('too-many-requests', {
      detail: inEach(({ limits }) => limits.rate(reached)),
      headers: { ...headersOf(name, counted), 'Retry-After': String(counted.secondsLeft) },
    })
  }

  return {
    /**
     * Counts one request and its extra cost, if the limit allows it.
     * @returns the headers, each name followed by its value; undefined if the limit is exceeded, and nothing is
     * counted.
     */
    spendIfLeft: (name: PolicyName, bucket: string, more = 0): readonly string[] | undefined => {
      const { windows, policyHeader, seconds } = limiters[name]
      const one = count(name, bucket)
      const counted = one.isWithin && more > 0 ? windows.countMore(bucket, more) : one
      if (counted.isWithin && more > 0) shared?.note(name, bucket, { count: more, lengthMs: seconds * 1_000 })
      if (counted.isWithin)
        return ['ratelimit-policy', policyHeader, 'ratelimit', rateLimitHeader(name, counted)]
      windows.takeBack(bucket)
      shared?.note(name, bucket, { count: -1, lengthMs: seconds * 1_000 })
      return undefined
    },

    /**
     * Counts one request; guesses must be counted by all nodes at once (`spend`).
     * @returns the rate limit headers.
     * @throws refusal `too-many-requests`.
     */
    spendHere: (name: Exclude<PolicyName, 'sign-in'>, bucket: string): Record<string, string> => {
      const counted = count(name, bucket)
      if (counted.isWithin) return headersOf(name, counted)
      throw refusalOf(name, counted)
    },

    /**
     * Counts one request.
     * @returns the rate limit headers.
     * @throws refusal `too-many-requests`.
     */
    spend: async (name: PolicyName, bucket: string): Promise<Record<string, string>> => {
      const counted = countedAtOnce.has(name) ? await countAtOnce(name, bucket) : count(name, bucket)
      if (counted.isWithin) return headersOf(name, counted)
      throw refusalOf(name, counted)
    },

    /**
     * Counts the extra cost of a request that was already counted; call it before the work is done.
     * @returns the rate limit headers.
     * @throws refusal `too-many-requests` if the limit was exceeded meanwhile.
     */
    spendMore: (name: PolicyName, bucket: string, cost: number): Record<string, string> => {
      const { windows, seconds } = limiters[name]
      const counted = windows.countMore(bucket, cost)
      if (!counted.isWithin) throw refusalOf(name, counted)
      shared?.note(name, bucket, { count: cost, lengthMs: seconds * 1_000 })
      return headersOf(name, counted)
    },

    /** Stops adding to the counts of all nodes. */
    close: async (): Promise<void> => shared?.close(),
  }
}

export type RateLimits = ReturnType<typeof createRateLimits>
