// The cursor on a profile: a line at the hovered position, with distance, elevation, and its photo.
import { useFormat } from '../../../ui/format.ts'
import { usePointed, type Pointing } from './pointing.ts'
import type { ProfilePhoto } from './profile-photos.ts'
import {
  depthOf,
  elevationAt,
  shareOf,
  type PhotoDot,
  type ProfileFrame,
  type ProfilePoint,
} from './profile-shape.ts'
import styles from './profile.module.css'

interface ProfileCursorProps {
  readonly dots: readonly PhotoDot<ProfilePhoto>[]
  readonly points: readonly ProfilePoint[]
  readonly frame: ProfileFrame
  readonly pointing: Pointing
}

/** Screen readers get all of it from the slider. */
export function ProfileCursor({ dots, points, frame, pointing }: ProfileCursorProps) {
  const { imageId, miles } = usePointed(pointing, (pointed) => pointed)
  const format = useFormat()
  if (miles === undefined) return null
  const share = shareOf(miles, frame)
  const elevation = elevationAt(points, miles)
  const photo =
    imageId === undefined ? undefined : dots.find(({ imageIds }) => imageIds.includes(imageId))?.photo
  return (
    <div className={styles.cursor} style={{ left: `${(share * 100).toFixed(2)}%` }} aria-hidden>
      {elevation !== undefined && <i style={{ top: `${(depthOf(elevation, frame) * 100).toFixed(2)}%` }} />}
      <div className={styles.readout} style={{ transform: `translateX(${(-share * 100).toFixed(1)}%)` }}>
        {photo && <img src={photo.picture} alt="" />}
        <span>
          <strong>{format.distance(miles)}</strong>
          {elevation !== undefined && ` ${format.height(elevation)}`}
          {photo && <small>{photo.label}</small>}
        </span>
      </div>
    </div>
  )
}
