// Addresses of a route for people: its page, the link of one that is shared by link, and the snippet for other sites.
import type { RouteSummary } from '../../../client/client.ts'

type Linked = Pick<RouteSummary, 'routeID' | 'visibility' | 'link' | 'urls'>

/** What opens it beyond its address; undefined where nothing is needed, or nothing helps. */
export function tokenOf({ visibility, link, urls }: Linked): string | undefined {
  if (visibility !== 'link') return undefined
  // Its owner is told the link; whoever came by the link finds the token in the addresses of the exports.
  return new URL(link ?? urls.gpx).searchParams.get('token') ?? undefined
}

/** Its link opens it, and nobody can show it any more: it was made before links were stored as hashes. */
export const isLinkUnknown = (route: Linked): boolean =>
  route.visibility === 'link' && tokenOf(route) === undefined

const withToken = (address: string, token: string | undefined): string =>
  token === undefined ? address : `${address}?token=${encodeURIComponent(token)}`

export const pageAddress = (baseUrl: string, route: Linked): string =>
  withToken(`${baseUrl}/routes/${route.routeID}`, tokenOf(route))

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** HTML to put into another page. */
export function embedSnippet(baseUrl: string, route: Linked & Pick<RouteSummary, 'name'>): string {
  const address = withToken(`${baseUrl}/embed/routes/${route.routeID}`, tokenOf(route))
  return `<iframe src="${escaped(address)}" title="${escaped(route.name)}" width="480" height="360" loading="lazy" style="border:0"></iframe>`
}
