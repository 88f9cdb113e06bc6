// A trail as an address names it: by its slug, else by its number.
import { queryOptions } from '@tanstack/react-query'
import { isWaymarkProblem, type Waymark } from '../../client/client.ts'
import { keys } from './keys.ts'

/** @throws WaymarkProblem `invalid-trail-id` with status 404 if there is none. */
export const trailNamed = (waymark: Waymark, named: string) =>
  queryOptions({
    queryKey: keys.trail(named),
    queryFn: async ({ signal, client }) => {
      try {
        return await waymark.trails.bySlug(named, { signal })
      } catch (error) {
        if (!isWaymarkProblem(error) || error.status !== 404 || !/^\d{1,15}$/.test(named)) throw error
      }
      const trail = await waymark.trails.get(Number(named), { signal })
      // Cached under its own address, too, so that its page need not fetch it again.
      client.setQueryData(keys.trail(trail.slug), trail)
      return trail
    },
  })
