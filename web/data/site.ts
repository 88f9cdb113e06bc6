// Who is here and what this site offers: asked once, before anything is drawn.
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import type { SiteInfo } from '../../client/client.ts'
import { keys } from './keys.ts'
import { isSomebodyElse, readSite } from './sign-in-again.ts'
import { useSignInAgain, useWaymark } from './waymark.tsx'

export type Viewer = NonNullable<SiteInfo['viewer']>

export function useSite(): SiteInfo {
  const waymark = useWaymark()
  const again = useSignInAgain()
  const queries = useQueryClient()
  return useSuspenseQuery({
    queryKey: keys.site,
    queryFn: async () => {
      const before = queries.getQueryData<SiteInfo>(keys.site)
      const site = await readSite(waymark, again, before)
      if (!before || !isSomebodyElse(before, site)) return site
      location.reload()
      return before
    },
    staleTime: 300_000,
    // Another window of the browser may have signed out, or in as somebody else.
    refetchOnWindowFocus: 'always',
  }).data
}

/** Null where nobody is signed in. */
export const useViewer = (): Viewer | null => useSite().viewer

export const isStaff = (viewer: Viewer | null): boolean => viewer !== null && viewer.role !== 'member'
export const isAdmin = (viewer: Viewer | null): boolean => viewer?.role === 'admin'
