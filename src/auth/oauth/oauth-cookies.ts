// The provider's cookies. Over https each has the prefix __Host-, which browsers accept only from this very host: no
// other host of the domain can plant a sign-in here.
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'

type Cookies = KoaContextWithOIDC['cookies']

/** Plain http has no such prefix; there the provider's own names and paths are used. */
export const hostCookieNames = {
  session: '__Host-waymark-provider',
  interaction: '__Host-waymark-interaction',
  resume: '__Host-waymark-resume',
} as const

export const cookieNamesOf = (publicUrl: string) =>
  publicUrl.startsWith('https:') ? { names: hostCookieNames } : {}

/**
 * How many authorization requests a browser may have open at a time. Because of the prefix, every request carries all
 * of these cookies: with more of them, links to this site could make the browser's requests too large to be accepted.
 */
const maxOpen = 6

const lastSegment = (address: string): string => address.split('?', 1)[0]?.split('/').at(-1) ?? ''

/**
 * The provider distinguishes requests in progress by the path of their cookies, but the prefix requires `/`. So the
 * last path segment, the id of the request, becomes part of the name: two tabs never answer each other's prompt.
 */
function namedByRequest(cookies: Cookies, names: readonly string[]): void {
  const { get, set } = cookies
  const { url = '', headers } = cookies.request

  /** The oldest come first in the header. */
  function forgetOldest(name: string): void {
    const open = (headers.cookie ?? '')
      .split(';')
      .map((pair) => pair.split('=', 1)[0]?.trim() ?? '')
      .filter((known) => known.startsWith(`${name}-`) && !known.endsWith('.sig'))
    for (const known of open.slice(0, Math.max(0, open.length + 1 - maxOpen)))
      set.call(cookies, known, null, { path: '/' })
  }

  cookies.get = (name, options) =>
    get.call(cookies, names.includes(name) ? `${name}-${lastSegment(url)}` : name, options)
  cookies.set = (name, value, options = {}) => {
    if (!names.includes(name)) return set.call(cookies, name, value, options)
    if (value) forgetOldest(name)
    return set.call(cookies, `${name}-${lastSegment(options.path ?? '')}`, value, { ...options, path: '/' })
  }
}

/** Call it once, before the provider handles a request. */
export function nameCookiesByRequest(provider: Provider): void {
  const { interaction, resume } = hostCookieNames
  if (provider.cookieName('interaction') !== interaction) return
  const known = new WeakSet<Cookies>()
  const { context } = provider
  const read = (owner: object): Cookies =>
    Reflect.get(Object.getPrototypeOf(context) as object, 'cookies', owner) as Cookies
  Object.defineProperty(context, 'cookies', {
    get(this: object) {
      const cookies = read(this)
      if (!known.has(cookies)) namedByRequest(cookies, [interaction, resume])
      known.add(cookies)
      return cookies
    },
  })
}
