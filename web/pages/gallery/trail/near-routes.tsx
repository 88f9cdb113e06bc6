// Public routes that use the trail: a card for each, with its line as a drawing; nothing if there are none.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { PublicRoute, Trail } from '../../../../client/client.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import type { Position } from '../../../map/kinds.ts'
import { sketchOf } from '../../../map/line-sketch.ts'
import { galleryStrings } from '../../../strings/gallery.ts'
import { useFormat } from '../../../ui/format.ts'
import { nearRoutesOf } from './trail-data.ts'
import styles from './trail.module.css'

const frame = { width: 100, height: 70, margin: 7 } as const

function Card({ route }: { readonly route: PublicRoute }) {
  const format = useFormat()
  const { routeID, name, displayName, lengthMiles, ascent, line } = route
  // The server documents positions of two numbers.
  const { paths } = sketchOf(line as unknown as readonly (readonly Position[])[], [], frame)
  const up = ascent === null ? undefined : format.height(ascent)
  return (
    <Link to="/routes/$routeId" params={{ routeId: String(routeID) }} preload={false}>
      <svg viewBox={`0 0 ${frame.width} ${frame.height}`} aria-hidden focusable="false">
        {paths.map((path) => (
          <path key={path} d={path} />
        ))}
      </svg>
      <span>
        <strong>{name.trim() || galleryStrings.routeUnnamed}</strong>
        <small>{galleryStrings.routeBy(format.length(lengthMiles), up, displayName)}</small>
      </span>
    </Link>
  )
}

export function NearRoutes({ trail: { trailID, slug, geometry } }: { readonly trail: Trail }) {
  const waymark = useWaymark()
  const { data } = useQuery({ ...nearRoutesOf(waymark, trailID), enabled: geometry !== null })
  if (data === undefined || data.items.length === 0) return null
  return (
    <section className={styles.section} aria-labelledby="trail-routes">
      <div className={styles.sectionHead}>
        <h2 id="trail-routes">{galleryStrings.nearRoutes}</h2>
        {data.next !== null && (
          <Link to="/routes" search={{ near: slug }}>
            {galleryStrings.allRoutes}
          </Link>
        )}
      </div>
      <ul className={styles.routes}>
        {data.items.map((route) => (
          <li key={route.routeID}>
            <Card route={route} />
          </li>
        ))}
      </ul>
    </section>
  )
}
