// Rate limits per API key, account and address, and the headers that tell of them (contract C38).
import { isIPv6 } from 'node:net'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { refuse } from '../errors.ts'

interface Policy {
  readonly requests: number
  readonly seconds: number
}

/** The figures; RATE_LIMIT_FACTOR multiplies `requests`. */
const policies = {
  /** API calls without a good credential, and failed credentials. */
  address: { requests: 60, seconds: 60 },
  key: { requests: 600, seconds: 60 },
  account: { requests: 600, seconds: 60 },
  /** A day's photos arrive at once. */
  uploads: { requests: 600, seconds: 3_600 },
  /** A gallery is a hundred views. */
  views: { requests: 6_000, seconds: 60 },
  token: { requests: 60, seconds: 60 },
} as const satisfies Record<string, Policy>

export type PolicyName = keyof typeof policies

/** An IPv6 customer holds at least a /64, so the limit counts those four groups and not one address of 2^64. */
export function addressBucket(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1]) return mapped[1]
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

export function createRateLimits(factor: number) {
  const limiters = Object.fromEntries(
    Object.entries(policies).map(([name, { requests, seconds }]) => {
      const points = Math.max(1, Math.round(requests * factor))
      return [name, { points, seconds, limiter: new RateLimiterMemory({ points, duration: seconds }) }]
    }),
  ) as Record<PolicyName, { points: number; seconds: number; limiter: RateLimiterMemory }>

  function headersOf(name: PolicyName, state: RateLimiterRes): Record<string, string> {
    const { points, seconds } = limiters[name]
    const untilReset = Math.ceil(state.msBeforeNext / 1_000)
    return {
      'RateLimit-Policy': `"${name}";q=${points};w=${seconds}`,
      RateLimit: `"${name}";r=${state.remainingPoints};t=${untilReset}`,
    }
  }

  return {
    /**
     * Counts one request.
     * @returns the headers that tell the client where it stands.
     * @throws refusal `too-many-requests`.
     */
    spend: async (name: PolicyName, bucket: string): Promise<Record<string, string>> => {
      try {
        return headersOf(name, await limiters[name].limiter.consume(bucket))
      } catch (state) {
        if (!(state instanceof RateLimiterRes)) throw state
        const seconds = Math.max(1, Math.ceil(state.msBeforeNext / 1_000))
        throw refuse('too-many-requests', {
          detail: `The limit of ${limiters[name].points} requests in ${limiters[name].seconds} seconds is reached; try again in ${seconds} seconds.`,
          headers: { ...headersOf(name, state), 'Retry-After': String(seconds) },
        })
      }
    },
  }
}

export type RateLimits = ReturnType<typeof createRateLimits>
