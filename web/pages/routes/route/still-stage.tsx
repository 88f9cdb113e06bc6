// The line of a route and its elevations as drawings: on the server, on paper, and until the map has loaded.
import { Skeleton } from '@mantine/core'
import type { RouteOverview } from '../../../../client/client.ts'
import { routeStrings as strings } from '../../../strings/routes.ts'
import { useFormat } from '../../../ui/format.ts'
import { sketchOfLines } from '../sketch.ts'
import styles from '../routes.module.css'

const [width, height] = [300, 60] as const

/** A path over the full width, with the lowest point at the bottom; empty without elevations. */
function heightsPath(profile: RouteOverview['profile']): string {
  const elevations = profile.map(({ elevation }) => elevation)
  const [low, high] = [Math.min(...elevations), Math.max(...elevations)]
  const miles = profile.at(-1)?.miles ?? 0
  return profile
    .map((point, at) => {
      const x = (point.miles / Math.max(miles, 1e-9)) * width
      const y = height - 3 - ((point.elevation - low) / Math.max(high - low, 1)) * (height - 6)
      return `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
    })
    .join('')
}

function Heights({ profile, climb }: Pick<RouteOverview, 'profile' | 'climb'>) {
  const format = useFormat()
  if (profile.length < 2) return <p className={styles.quiet}>{strings.noProfile}</p>
  const elevations = profile.map(({ elevation }) => elevation)
  const [low, high] = [Math.min(...elevations), Math.max(...elevations)].map((metres) =>
    format.height(metres),
  )
  const label = strings.profileLabel(low ?? '', high ?? '', climb === null ? '' : format.height(climb))
  return (
    <div>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        className={styles.heights}
        role="img"
        aria-label={label}
      >
        <path d={heightsPath(profile)} vectorEffect="non-scaling-stroke" />
      </svg>
      <p className={styles.stillFigures} aria-hidden>
        {label}
      </p>
    </div>
  )
}

/** @param overview undefined if only the whole route will do: then its space is reserved. */
export function StillStage({ overview }: { readonly overview: RouteOverview | undefined }) {
  if (overview === undefined) {
    return (
      <div className={styles.stage} aria-busy="true">
        <Skeleton className={styles.map ?? ''} />
        <Skeleton height={150} />
      </div>
    )
  }
  const { line, profile, climb, name } = overview
  if (line.length === 0) return <p className={styles.quiet}>{strings.noLine}</p>
  return (
    <div className={styles.stage}>
      <div className={styles.map}>
        <svg
          viewBox="0 0 100 70"
          className={styles.still}
          role="img"
          aria-label={strings.sketch(name.trim() || strings.unnamed)}
        >
          {sketchOfLines(line).map((path) => (
            <path key={path} d={path} vectorEffect="non-scaling-stroke" />
          ))}
        </svg>
      </div>
      <Heights profile={profile} climb={climb} />
    </div>
  )
}
