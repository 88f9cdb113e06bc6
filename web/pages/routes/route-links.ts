// URLs of a route for people: its page, the share link, and the snippet for other sites.
import type { RouteSummary } from '../../../client/client.ts'

type Linked = Pick<RouteSummary, 'routeID' | 'visibility' | 'link' | 'urls'>

/** The link token; undefined if none is needed or known. */
export function tokenOf({ visibility, link, urls }: Linked): string | undefined {
  if (visibility !== 'link') return undefined
  // The API tells the owner the link; for other users, the token is in the URLs of the exports.
  return new URL(link ?? urls.gpx).searchParams.get('token') ?? undefined
}

/** Its link works, but can no longer be shown: it was created before links were stored as hashes. */
export const isLinkUnknown = (route: Linked): boolean =>
  route.visibility === 'link' && tokenOf(route) === undefined

const withToken = (address: string, token: string | undefined): string =>
  token === undefined ? address : `${address}?token=${encodeURIComponent(token)}`

export const pageAddress = (baseUrl: string, route: Linked): string =>
  withToken(`${baseUrl}/routes/${route.routeID}`, tokenOf(route))

const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** HTML to paste into another page. */
export function embedSnippet(baseUrl: string, route: Linked & Pick<RouteSummary, 'name'>): string {
  const address = withToken(`${baseUrl}/embed/routes/${route.routeID}`, tokenOf(route))
  return `<iframe src="${escaped(address)}" title="${escaped(route.name)}" width="480" height="360" loading="lazy" style="border:0"></iframe>`
}
