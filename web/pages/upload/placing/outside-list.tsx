// The photos that a track does not locate, each with the reason.
import { placingStrings } from '../../../strings/placing.ts'
import type { TrackPlacing } from '../../../../src/shared/placing/by-track.ts'
import type { Queue } from '../../../upload/queue.ts'
import { formatDuration } from '../duration.ts'
import styles from './placing.module.css'

const { track: strings } = placingStrings

function reasonOf(placing: Exclude<TrackPlacing, { kind: 'placed' }>): string {
  if (placing.kind === 'no-time') return strings.noTime
  const time = formatDuration(placing.seconds * 1_000)
  return { before: strings.tooEarly, after: strings.tooLate, pause: strings.inGap }[placing.where](time)
}

interface OutsideListProps {
  readonly photos: Queue
  /** One per photo. */
  readonly placings: readonly TrackPlacing[]
}

export function OutsideList({ photos, placings }: OutsideListProps) {
  const outside = photos.flatMap(({ id, name }, at) => {
    const placing = placings[at]
    return placing === undefined || placing.kind === 'placed' ? [] : [{ id, name, reason: reasonOf(placing) }]
  })
  if (outside.length === 0) return null
  return (
    <details className={styles.outside}>
      <summary>{strings.outside(outside.length)}</summary>
      <ul>
        {outside.map(({ id, name, reason }) => (
          <li key={id}>
            <strong>{name}</strong> {reason}
          </li>
        ))}
      </ul>
    </details>
  )
}
