// The session and the features of this site: requested once, before anything is rendered.
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import type { SiteInfo } from '../../client/client.ts'
import { useIsInBrowser } from '../ui/in-browser.ts'
import { keys } from './keys.ts'
import { isSomebodyElse, readSite } from './sign-in-again.ts'
import { useSignInAgain, useWaymark, type Data } from './waymark.tsx'

export type Viewer = NonNullable<SiteInfo['viewer']>

export const siteQuery = ({ waymark, again }: Pick<Data, 'waymark' | 'again'>) =>
  queryOptions({
    queryKey: keys.site,
    queryFn: async ({ client }) => {
      const before = client.getQueryData<SiteInfo>(keys.site)
      const site = await readSite(waymark, again, before)
      if (!before || !isSomebodyElse(before, site)) return site
      location.reload()
      return before
    },
    staleTime: 300_000,
    // Another window of the browser may have signed out, or in to another account.
    refetchOnWindowFocus: 'always',
  })

export function useSite(): SiteInfo {
  const waymark = useWaymark()
  const again = useSignInAgain()
  return useSuspenseQuery(siteQuery({ waymark, again })).data
}

/** Null if nobody is signed in, and while React hydrates a page from the server, which is the same for everybody. */
export function useViewer(): Viewer | null {
  const { viewer } = useSite()
  return useIsInBrowser() ? viewer : null
}

export const isStaff = (viewer: Viewer | null): boolean => viewer !== null && viewer.role !== 'member'
export const isAdmin = (viewer: Viewer | null): boolean => viewer?.role === 'admin'
