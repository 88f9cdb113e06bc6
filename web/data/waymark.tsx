// The SDK of the app: with the session cookie, and a new sign-in if the session has expired.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createContext, useContext, type ReactNode } from 'react'
import { createWaymark, type Fetch, type SiteInfo, type Waymark } from '../../client/client.ts'
import { baseUrl } from './base.ts'
import { createFetch, createSignInAgain, type SignInAgain } from './sign-in-again.ts'
import { keys } from './keys.ts'

interface Connection {
  readonly waymark: Waymark
  readonly again: SignInAgain
}

const Context = createContext<Connection | undefined>(undefined)

function useConnection(): Connection {
  const connection = useContext(Context)
  if (!connection) throw new Error('no WaymarkProvider above')
  return connection
}

export const useWaymark = (): Waymark => useConnection().waymark
export const useSignInAgain = (): SignInAgain => useConnection().again

export interface Data extends Connection {
  readonly queries: QueryClient
}

/** The SDK retries what may be retried; twice would be too often. */
const newQueries = () =>
  new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: 30_000 }, mutations: { retry: false } },
  })

/** In a browser, with its session. */
export function createData(): Data {
  const queries = newQueries()
  const again = createSignInAgain()
  const wasSignedIn = (): boolean => {
    const site = queries.getQueryData<SiteInfo>(keys.site)
    return site !== undefined && site.viewer !== null
  }
  const waymark = createWaymark({ baseUrl, credential: 'session', fetch: createFetch(again, wasSignedIn) })
  return { queries, waymark, again }
}

/** On the server: public data, requested once. What is missing is rendered as missing, not as loading. */
export function createVisitorsData(fetch: Fetch): Data {
  const queries = newQueries()
  queries.setDefaultOptions({ queries: { ...queries.getDefaultOptions().queries, retryOnMount: false } })
  return { queries, waymark: createWaymark({ baseUrl, fetch, retries: 0 }), again: createSignInAgain() }
}

export function WaymarkProvider({ data, children }: { readonly data: Data; readonly children: ReactNode }) {
  return (
    <QueryClientProvider client={data.queries}>
      <Context value={data}>{children}</Context>
    </QueryClientProvider>
  )
}
