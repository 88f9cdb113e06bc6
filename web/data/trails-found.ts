// Trails by name, while the user types: the result is always for the current text, never for an older one.
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { keys } from './keys.ts'
import { useWaymark } from './waymark.tsx'

export interface TrailRef {
  readonly trailID: number
  readonly name: string
  readonly slug: string
}

/** The server refuses a longer search. */
export const maxTypedTrail = 200

const quietMs = 150
/** Up to this many are fetched one by one; above that, the server's search finds the allowed ones. */
const maxOneByOne = 50
const maxSearched = 500

interface Search {
  readonly max: number
  /** Whether an empty text finds the first trails, or none. */
  readonly isEmptyAll: boolean
  readonly isOff?: boolean
  /** Only these may be chosen; null for any. */
  readonly among?: readonly number[] | null
}

export interface TrailsFound {
  /** Undefined until the answer for this very text is there. */
  readonly trails: readonly TrailRef[] | undefined
  readonly error: Error | null
  readonly isOffline: boolean
}

export function useTrailsFound(
  typed: string,
  { max, isEmptyAll, isOff = false, among = null }: Search,
): TrailsFound {
  const waymark = useWaymark()
  const text = typed.trim()
  const [asked] = useDebouncedValue(text, quietMs)
  const isFew = among !== null && among.length <= maxOneByOne
  const q = isFew || asked === '' ? undefined : asked
  const { data, error, fetchStatus } = useQuery({
    queryKey: [...keys.trails, 'found', among?.join() ?? '', max, q ?? ''],
    queryFn: async ({ signal }): Promise<readonly TrailRef[]> => {
      if (isFew) return Promise.all(among.map((id) => waymark.trails.get(id, { signal })))
      const { items } = await waymark.trails.page({ q, limit: among ? maxSearched : max }, { signal })
      return among ? items.filter(({ trailID }) => among.includes(trailID)) : items
    },
    enabled: !isOff && (isEmptyAll || asked !== ''),
  })
  if (isOff || asked !== text) return { trails: undefined, error: null, isOffline: false }
  if (text === '' && !isEmptyAll) return { trails: [], error: null, isOffline: false }
  const folded = text.toLowerCase()
  const trails = isFew ? data?.filter(({ name }) => name.toLowerCase().includes(folded)) : data
  return {
    trails: trails?.slice(0, max),
    error,
    // A search without a connection waits for it, and is not sent before.
    isOffline: data === undefined && fetchStatus === 'paused',
  }
}
