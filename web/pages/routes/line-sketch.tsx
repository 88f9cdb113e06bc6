// The line of a route as a small drawing, so that it can be recognized in a list.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { RouteSummary } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { routeStrings as strings } from '../../strings/routes.ts'
import styles from './routes.module.css'
import { sketchOf } from './sketch.ts'

/** A longer one would be megabytes for a thumbnail. */
const maxSketchedPoints = 20_000

/** Whether the element has been near the viewport. */
function useSeen() {
  const place = useRef<HTMLDivElement>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const element = place.current
    if (!element) return undefined
    const watcher = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: '200px' },
    )
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])
  return { place, isSeen }
}

export function LineSketch({ route }: { readonly route: RouteSummary }) {
  const waymark = useWaymark()
  const { place, isSeen } = useSeen()
  const { routeID, pointCount, updatedAt = '', name } = route
  const { data } = useQuery({
    queryKey: [...keys.route(routeID), 'sketch', updatedAt],
    queryFn: async () => sketchOf(await waymark.routes.geojson(routeID)),
    enabled: isSeen && pointCount > 1 && pointCount <= maxSketchedPoints,
    staleTime: Infinity,
  })
  return (
    <div ref={place} className={styles.sketch}>
      <svg viewBox="0 0 100 70" role="img" aria-label={strings.sketch(name || strings.unnamed)}>
        {data?.map((path) => (
          <path key={path} d={path} />
        ))}
      </svg>
    </div>
  )
}
