// One public route: a drawing of its line, its name, length, ascent and author.
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { PublicRoute } from '../../../../client/client.ts'
import { publicRouteStrings as strings } from '../../../strings/public-routes.ts'
import { useFormat } from '../../../ui/format.ts'
import { hovering } from '../../../ui/hovering.ts'
import { sketchOfLines } from '../sketch.ts'
import styles from './public-routes.module.css'

interface RouteCardProps {
  readonly route: PublicRoute
  readonly isPointed?: boolean
  readonly onHover?: (routeId: number | undefined) => void
}

export function RouteCard({ route, isPointed = false, onHover }: RouteCardProps) {
  const { routeID, lengthMiles, ascent, displayName, description, line } = route
  const format = useFormat()
  const paths = useMemo(() => sketchOfLines(line), [line])
  const name = route.name.trim() || strings.unnamed
  return (
    <Link
      to="/routes/$routeId"
      params={{ routeId: String(routeID) }}
      className={styles.card ?? ''}
      data-pointed={isPointed || undefined}
      {...hovering((isHovered) => onHover?.(isHovered ? routeID : undefined))}
      onFocus={() => onHover?.(routeID)}
      onBlur={() => onHover?.(undefined)}
    >
      <svg viewBox="0 0 100 70" className={styles.sketch} role="img" aria-label={strings.sketch(name)}>
        {paths.map((path) => (
          <path key={path} d={path} />
        ))}
      </svg>
      <span className={styles.about}>
        <span className={styles.name}>{name}</span>
        <span className={styles.facts}>
          <strong>{format.length(lengthMiles)}</strong>
          {ascent !== null && <span>{strings.ascentOf(format.height(ascent))}</span>}
          <span>{strings.by(displayName)}</span>
        </span>
        {description.trim() !== '' && <span className={styles.description}>{description}</span>}
      </span>
    </Link>
  )
}
