// The data of a server-rendered page: embedded in it, so that the browser can continue from it.
import type { Query, QueryClient, QueryKey } from '@tanstack/react-query'

/** Query keys and their data. */
export type PageState = readonly (readonly [key: QueryKey, data: unknown])[]

/** For example an error of an app chunk, which a page must not be sent with. */
export const ofBrowser = { isOfBrowser: true } as const

export const isOfBrowser = ({ meta }: Query): boolean => meta?.['isOfBrowser'] === true

export const stateOf = (queries: QueryClient): PageState =>
  queries
    .getQueryCache()
    .getAll()
    .filter((query) => !isOfBrowser(query) && query.state.data !== undefined)
    .map(({ queryKey, state }) => [queryKey, state.data] as const)

/** As JSON that cannot end the script element around it. */
export const writeState = (state: PageState): string =>
  JSON.stringify(state).replaceAll('<', String.raw`\u003c`)

/** JSON has no undefined, by which a query key says that there is no filter. */
const nameOf = (key: QueryKey): QueryKey => key.map((part) => part ?? undefined)

export function fill(queries: QueryClient, text: string): void {
  for (const [key, data] of JSON.parse(text) as PageState) queries.setQueryData(nameOf(key), data)
}
