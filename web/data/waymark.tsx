// The SDK as the app uses it: with the session's cookie, and asking for a new sign-in where that has ended.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createContext, useContext, useMemo, type ReactNode } from 'react'
import { createWaymark, type SiteInfo, type Waymark } from '../../client/client.ts'
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

export function WaymarkProvider({ children }: { readonly children: ReactNode }) {
  const { queries, connection } = useMemo(() => {
    // The SDK tries again by itself what may be tried again; twice would be too often.
    const queries = new QueryClient({
      defaultOptions: { queries: { retry: false, staleTime: 30_000 }, mutations: { retry: false } },
    })
    const again = createSignInAgain()
    const wasSignedIn = (): boolean => {
      const site = queries.getQueryData<SiteInfo>(keys.site)
      return site !== undefined && site.viewer !== null
    }
    const waymark = createWaymark({
      baseUrl,
      credential: 'session',
      fetch: createFetch(again, wasSignedIn),
    })
    return { queries, connection: { waymark, again } }
  }, [])
  return (
    <QueryClientProvider client={queries}>
      <Context value={connection}>{children}</Context>
    </QueryClientProvider>
  )
}
