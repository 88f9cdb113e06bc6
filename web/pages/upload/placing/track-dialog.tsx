// Locates photos with a track, by their time according to the corrected clock.
import { Button, Group, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import {
  placeByTrack,
  type PlacedByTrack,
  type TrackPlacing,
} from '../../../../src/shared/placing/by-track.ts'
import { correctedTimestamp, type CameraTime } from '../../../../src/shared/placing/camera-time.ts'
import { suggestOffsets } from '../../../../src/shared/placing/offsets.ts'
import { boundsOf, roomy } from '../../../map/geometry.ts'
import type { MapPoint } from '../../../map/kinds.ts'
import { MapView } from '../../../map/map-view.tsx'
import { common } from '../../../strings/common.ts'
import { locale } from '../../../strings/language.ts'
import { placingStrings } from '../../../strings/placing.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import type { Placement } from '../../../upload/photo.ts'
import { cameraTimeOf } from '../../../upload/placeless.ts'
import type { Queue } from '../../../upload/queue.ts'
import type { NamedTrack } from '../../../upload/read-track-file.ts'
import { ClockCorrection, noCorrection, secondsOf } from './clock-correction.tsx'
import { OutsideList } from './outside-list.tsx'
import styles from './placing.module.css'
import { positionsOf } from './track-lines.ts'
import { TrackSource } from './track-source.tsx'
import { usePlace } from './use-place.ts'
import { useTrackZone } from './use-track-zone.ts'
import type { TrackState } from './use-track.ts'

const { track: strings } = placingStrings

/** More labels than this would overlap. */
const maxNamed = 12

function spanOf({ track: { times, count } }: NamedTrack, zone: string): string {
  // If every photo states its own offset, no zone was looked up: then the browser's is the most readable.
  const timeZone = zone === 'UTC' ? undefined : zone
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone })
  return format.formatRange(times[0] ?? 0, times[count - 1] ?? 0)
}

const pointsOf = (photos: Queue, placings: readonly TrackPlacing[]): readonly MapPoint[] =>
  photos.flatMap(({ id, name }, at): readonly MapPoint[] => {
    const placing = placings[at]
    if (placing?.kind !== 'placed') return []
    const label = photos.length <= maxNamed ? name : undefined
    return [{ id, lat: placing.lat, lon: placing.lon, tone: 'photo', label }]
  })

/** With the elevation of the track, and with the time if the file's is wrong. */
function placementOf(time: CameraTime, placing: PlacedByTrack, offsetSeconds: number): Placement {
  const { lat, lon, altitude, timeMs } = placing
  return {
    lat,
    lon,
    by: 'track',
    ...(altitude !== undefined && { altitude: Math.round(altitude * 10) / 10 }),
    ...(offsetSeconds !== 0 && { takenAt: correctedTimestamp(time, timeMs, offsetSeconds) }),
  }
}

interface OnTrackProps {
  readonly photos: Queue
  readonly named: NamedTrack
  readonly zone: string
  readonly onAnother: () => void
  readonly onClose: () => void
}

function OnTrack({ photos, named, zone, onAnother, onClose }: OnTrackProps) {
  const place = usePlace()
  const { track, name } = named
  const [correction, setCorrection] = useState(noCorrection)
  const offsetSeconds = secondsOf(correction)
  const times = useMemo(() => photos.map(cameraTimeOf), [photos])
  const suggestions = useMemo(() => suggestOffsets(times, track, { timeZone: zone }), [times, track, zone])
  const placings = useMemo(
    () => placeByTrack(times, track, { offsetSeconds, timeZone: zone }),
    [times, track, offsetSeconds, zone],
  )
  const points = useMemo(() => pointsOf(photos, placings), [photos, placings])
  const positions = useMemo(() => positionsOf(track), [track])
  const bounds = useMemo(() => boundsOf(positions), [positions])

  const apply = (): void => {
    const placed = photos.flatMap(({ id }, at) => {
      const placing = placings[at]
      if (placing?.kind !== 'placed') return []
      return [{ id, placement: placementOf(times[at] ?? {}, placing, offsetSeconds) }]
    })
    place(placed)
    onClose()
  }
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (points.length > 0) apply()
      }}
    >
      <div className={styles.chosen}>
        <div>
          <Text fw={600}>{name}</Text>
          <p className={styles.hint}>
            {spanOf(named, zone)}
            {zone === 'UTC' ? '' : `. ${strings.zone(zone.replaceAll('_', ' '))}`}
          </p>
        </div>
        <Button size="compact-sm" variant="default" onClick={onAnother}>
          {strings.another}
        </Button>
      </div>
      <MapView
        label={strings.mapLabel}
        className={styles.trackMap}
        lines={useMemo(() => [{ id: 'track', coordinates: [positions], tone: 'route' }], [positions])}
        points={points}
        neighbours="none"
        initialBounds={bounds && roomy(bounds)}
        fitTo={bounds && { key: bounds.join(), bounds: roomy(bounds) }}
      />
      {photos.length === 0 ? (
        <Text>{strings.noPhotos}</Text>
      ) : (
        <>
          <Text fw={600} role="status">
            {strings.result(points.length, photos.length)}
          </Text>
          <ClockCorrection
            value={correction}
            suggestions={suggestions.filter(({ placed }) => placed > points.length)}
            onChange={setCorrection}
          />
          <OutsideList photos={photos} placings={placings} />
        </>
      )}
      <Group justify="flex-end" className={styles.foot ?? ''}>
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button type="submit" data-autofocus disabled={points.length === 0}>
          {strings.apply(points.length)}
        </Button>
      </Group>
    </form>
  )
}

function WithZone(props: Omit<OnTrackProps, 'zone'>) {
  const zone = useTrackZone(props.named.track, props.photos)
  return zone === undefined ? (
    <Text role="status">{strings.reading}</Text>
  ) : (
    <OnTrack {...props} zone={zone} />
  )
}

interface TrackDialogProps {
  /** The photos to locate. */
  readonly photos: Queue
  readonly state: TrackState
  readonly onClose: () => void
}

export function TrackDialog({ photos, state, onClose }: TrackDialogProps) {
  const { track, isReading, faults, read, readFiles, forget } = state
  return (
    <Dialog title={strings.title} size="xl" onClose={onClose}>
      <div className={styles.dialog}>
        {!track && <Text size="sm">{strings.intro}</Text>}
        {faults.map((fault) => (
          <Text key={fault} role="alert" c="var(--danger)">
            {fault}
          </Text>
        ))}
        {track ? (
          <WithZone photos={photos} named={track} onAnother={forget} onClose={onClose} />
        ) : (
          <TrackSource isReading={isReading} onFiles={readFiles} onRoute={read} />
        )}
        {isReading && <Text role="status">{strings.reading}</Text>}
      </div>
    </Dialog>
  )
}
