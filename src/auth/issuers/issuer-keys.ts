// The keys of one trusted issuer: found by discovery, cached, refreshed when they rotate, never fetched in a flood.
import { refuse, type Refusal } from '../../errors.ts'
import { singleFlight } from '../../shared/single-flight.ts'
import { getJson, type RequestBounds } from './issuer-request.ts'
import { isIssuerAddress } from './trusted-issuer.ts'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** For discovery and keys together. */
const maxWaitMs = 5 * second
const maxBytes = 256 * 1024
const maxKeys = 100

/** The keys are then fetched again, so that a withdrawn key stops working. */
const freshMs = 10 * minute
/** How long cached keys are used while the issuer does not respond. */
const staleMs = hour
/** The minimum time between fetches for an unknown key id: anyone can send one. */
const pauseMs = 30 * second
/** How long a failure is cached before the issuer is asked again. */
const failureMs = 10 * second
const addressMs = 24 * hour

export interface IssuerKeysDependencies<Keys> {
  readonly issuer: string
  /** Parses the key set of the issuer. @throws if it is not one. */
  readonly read: (document: { keys: Record<string, unknown>[] }) => Keys
  readonly now: () => number
  readonly waitMs?: number
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** OpenID Connect Discovery, then RFC 8414, which puts the path of the issuer last. */
function metadataAddresses(issuer: string): readonly [URL, URL] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    new URL(`${origin}${path}/.well-known/openid-configuration`),
    new URL(`${origin}/.well-known/oauth-authorization-server${path}`),
  ]
}

/**
 * The URL of the keys according to the metadata. @throws Error if the metadata is of another issuer, or the URL is not
 * safe.
 */
export function keysAddressIn(document: unknown, issuer: string): URL {
  // Mix-up attack: the metadata of another issuer would give us its keys.
  if (!isObject(document) || document['issuer'] !== issuer)
    throw new Error(`the metadata belongs to another issuer than ${issuer}`)
  const { jwks_uri: uri } = document
  const url = typeof uri === 'string' ? URL.parse(uri) : null
  if (!url || !isIssuerAddress(url) || (issuer.startsWith('https:') && url.protocol !== 'https:'))
    throw new Error(`the metadata of ${issuer} has no https jwks_uri`)
  return url
}

async function keysAddress(issuer: string, bounds: RequestBounds): Promise<URL> {
  const [first, second] = metadataAddresses(issuer)
  const document = await getJson(first, bounds).catch((error: unknown) => {
    bounds.signal.throwIfAborted()
    return getJson(second, bounds).catch(() => {
      throw error
    })
  })
  return keysAddressIn(document, issuer)
}

function readKeySet(document: unknown): { keys: Record<string, unknown>[] } {
  const keys = isObject(document) ? document['keys'] : undefined
  if (!Array.isArray(keys) || keys.length > maxKeys || !keys.every(isObject))
    throw new Error(`the key set is not a list of at most ${maxKeys} keys`)
  return { keys }
}

export function createIssuerKeys<Keys>(dependencies: IssuerKeysDependencies<Keys>) {
  const { issuer, read, now, waitMs = maxWaitMs } = dependencies
  let known: { readonly keys: Keys; readonly at: number } | undefined
  let address: { readonly url: URL; readonly at: number } | undefined
  let failure: { readonly error: unknown; readonly at: number } | undefined

  /** Keys from the future (a clock was set back) count as old. */
  function isYounger(at: number, ageMs: number): boolean {
    const age = now() - at
    return age >= 0 && age < ageMs
  }

  // 503 and not 401: the token may be valid, and fetching a new one would not help the client.
  const unavailable = (cause: unknown): Refusal =>
    refuse('issuer-unavailable', {
      detail: `The keys of the issuer ${issuer} cannot be fetched, so its tokens cannot be verified at the moment.`,
      headers: { 'Retry-After': String(failureMs / second) },
      cause,
    })

  async function load(): Promise<Keys> {
    const bounds = { signal: AbortSignal.timeout(waitMs), maxBytes }
    try {
      if (!address || !isYounger(address.at, addressMs))
        address = { url: await keysAddress(issuer, bounds), at: now() }
      const keys = read(readKeySet(await getJson(address.url, bounds)))
      known = { keys, at: now() }
      failure = undefined
      return keys
    } catch (error) {
      address = undefined // it may have moved
      failure = { error, at: now() }
      throw error
    }
  }

  const loadOnce = singleFlight(load)

  /** One fetch at a time, shared by all that wait for it. */
  async function reload(): Promise<Keys> {
    if (failure && isYounger(failure.at, failureMs)) throw failure.error
    return loadOnce()
  }

  return {
    /** @throws refusal `issuer-unavailable`. */
    current: async (): Promise<Keys> => {
      if (known && isYounger(known.at, freshMs)) return known.keys
      try {
        return await reload()
      } catch (error) {
        if (known && isYounger(known.at, staleMs)) return known.keys
        throw unavailable(error)
      }
    },

    /**
     * For a token with an unknown key id. Undefined if there are no newer keys, or it is too early to ask again.
     * @throws refusal `issuer-unavailable`.
     */
    newerThan: async (keys: Keys): Promise<Keys | undefined> => {
      if (known && known.keys !== keys) return known.keys
      if (known && isYounger(known.at, pauseMs)) return undefined
      return reload().catch((error: unknown) => {
        throw unavailable(error)
      })
    },
  }
}

export type IssuerKeys<Keys> = ReturnType<typeof createIssuerKeys<Keys>>
