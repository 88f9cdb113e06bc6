// The slider over a profile, for pointer, keyboard and screen readers: a native input of which only the cursor is
// visible.
import { VisuallyHidden } from '@mantine/core'
import { useId, useState, type KeyboardEvent, type PointerEvent } from 'react'
import { galleryStrings } from '../../../strings/gallery.ts'
import { useFormat } from '../../../ui/format.ts'
import { nothingPointed, usePointed, type Pointing } from './pointing.ts'
import type { ProfilePhoto } from './profile-photos.ts'
import {
  dotAt,
  dotBeside,
  elevationAt,
  shareOf,
  type PhotoDot,
  type ProfileFrame,
  type ProfilePoint,
} from './profile-shape.ts'
import styles from './profile.module.css'

/** Over the whole length. */
const steps = 200
const sides: Readonly<Record<string, 'before' | 'after'>> = { PageUp: 'after', PageDown: 'before' }

interface ProfileSliderProps {
  readonly frame: ProfileFrame
  readonly points: readonly ProfilePoint[]
  readonly dots: readonly PhotoDot<ProfilePhoto>[]
  readonly pointing: Pointing
  readonly onOpen: (imageId: number) => void
}

export function ProfileSlider({ frame, points, dots, pointing, onOpen }: ProfileSliderProps) {
  const id = useId()
  const format = useFormat()
  // The last position, when nothing is hovered any more.
  const [last, setLast] = useState(0)
  const miles = usePointed(pointing, (pointed) => pointed.miles) ?? last
  const elevation = elevationAt(points, miles)
  const dot = dotAt(dots, miles, frame)
  const place = galleryStrings.placeOn(
    format.distance(miles),
    elevation === undefined ? undefined : format.height(elevation),
  )
  const point = (at: number): void => {
    setLast(at)
    pointing.point({ imageId: dotAt(dots, at, frame)?.photo.imageID, miles: at })
  }
  const leave = (): void => pointing.point(nothingPointed)
  const follow = ({ clientX, currentTarget }: PointerEvent): void => {
    const { left, width } = currentTarget.getBoundingClientRect()
    if (width > 0) point(Math.min(1, Math.max(0, (clientX - left) / width)) * frame.lengthMiles)
  }
  const openNear = (): void => {
    const { imageId } = pointing.read()
    if (imageId !== undefined) onOpen(imageId)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const side = sides[event.key]
    const next = side && dotBeside(dots, miles, side)
    if (event.key === 'Enter') openNear()
    if (next) point(next.miles)
    if (side !== undefined || event.key === 'Enter') event.preventDefault()
    // Arrow keys belong to the slider, not to the page's shortcuts.
    if (event.key !== 'Escape') event.stopPropagation()
  }
  return (
    <>
      <input
        type="range"
        className={styles.slider}
        aria-label={galleryStrings.profileSlider}
        aria-describedby={id}
        aria-valuetext={dot ? galleryStrings.placeWithPhoto(place, dot.photo.label) : place}
        min={0}
        max={steps}
        step={1}
        value={Math.round(shareOf(miles, frame) * steps)}
        onChange={({ currentTarget }) => point((Number(currentTarget.value) / steps) * frame.lengthMiles)}
        onFocus={() => point(miles)}
        onBlur={leave}
        onPointerMove={follow}
        onPointerLeave={leave}
        onClick={openNear}
        onKeyDown={onKeyDown}
      />
      <VisuallyHidden id={id}>{galleryStrings.profileHelp}</VisuallyHidden>
    </>
  )
}
