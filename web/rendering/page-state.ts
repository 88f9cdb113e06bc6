// What a page that was rendered on the server was made of: sent along in a block of data, from which the browser goes on.
import type { Query, QueryClient, QueryKey } from '@tanstack/react-query'

/** Names and what was fetched by them. */
export type PageState = readonly (readonly [key: QueryKey, data: unknown])[]

/** Of a chunk of the app, say: nothing that a page could be sent with. */
export const ofBrowser = { isOfBrowser: true } as const

export const isOfBrowser = ({ meta }: Query): boolean => meta?.['isOfBrowser'] === true

export const stateOf = (queries: QueryClient): PageState =>
  queries
    .getQueryCache()
    .getAll()
    .filter((query) => !isOfBrowser(query) && query.state.data !== undefined)
    .map(({ queryKey, state }) => [queryKey, state.data] as const)

/** As JSON that nothing in it can end, wherever it stands in a page. */
export const writeState = (state: PageState): string =>
  JSON.stringify(state).replaceAll('<', String.raw`\u003c`)

/** JSON has no undefined, which is how a name says that there is no filter. */
const nameOf = (key: QueryKey): QueryKey => key.map((part) => part ?? undefined)

export function fill(queries: QueryClient, text: string): void {
  for (const [key, data] of JSON.parse(text) as PageState) queries.setQueryData(nameOf(key), data)
}
