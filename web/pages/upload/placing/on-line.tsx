// Photos on a line: one at a position, several spread between two, by taps on the map or with sliders.
import { Button, Group, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { measureLine, nearestOnLine, type MeasuredLine } from '../../../../src/shared/geo/along.ts'
import { lineOf } from '../../../../src/shared/geo/points.ts'
import { spreadAlongLine } from '../../../../src/shared/placing/along-line.ts'
import type { LineGeometry } from '../../../../client/client.ts'
import { boundsOf, roomy } from '../../../map/geometry.ts'
import type { MapLine, MapPoint } from '../../../map/kinds.ts'
import { MapView } from '../../../map/map-view.tsx'
import { partsOf } from '../../../map/trail-lines.ts'
import { common } from '../../../strings/common.ts'
import { placingStrings } from '../../../strings/placing.ts'
import { cameraTimeOf, inOrderOfTime } from '../../../upload/placeless.ts'
import type { Queue } from '../../../upload/queue.ts'
import { LineSlider } from './line-slider.tsx'
import styles from './placing.module.css'
import { usePlace } from './use-place.ts'

const { line: strings } = placingStrings

type End = 'from' | 'to'

interface Span {
  readonly from: number
  readonly to: number
}

interface Touched {
  readonly isOne: boolean
  readonly span: Span
}

const other: Readonly<Record<End, End>> = { from: 'to', to: 'from' }

/** The whole line for several, its middle for one. */
const firstSpan = (isOne: boolean, { lengthMiles }: MeasuredLine): Span =>
  isOne ? { from: lengthMiles / 2, to: lengthMiles / 2 } : { from: 0, to: lengthMiles }

interface OnLineProps {
  /** At least one. */
  readonly photos: Queue
  readonly geometry: LineGeometry
  /** How many photos belong to another trail. */
  readonly otherCount: number
  readonly onClose: () => void
}

export function OnLine({ photos, geometry, otherCount, onClose }: OnLineProps) {
  const place = usePlace()
  const isOne = photos.length === 1
  const parts = useMemo(() => partsOf(geometry), [geometry])
  const measured = useMemo(
    () => measureLine(parts.map((part) => lineOf(part.map(([lon, lat]) => ({ lat, lon }))))),
    [parts],
  )
  const lines = useMemo<readonly MapLine[]>(
    () => [{ id: 'trail', coordinates: parts, tone: 'trail' }],
    [parts],
  )
  const bounds = useMemo(() => boundsOf(parts.flat()), [parts])
  /** The user's input, and whether that was for one photo: photos come and go while this is open. */
  const [touched, setTouched] = useState<Touched>()
  const span = useMemo(
    () => (touched?.isOne === isOne ? touched.span : firstSpan(isOne, measured)),
    [touched, isOne, measured],
  )
  /** Which end the next tap sets. */
  const [next, setNext] = useState<End>('from')
  const ordered = useMemo(() => inOrderOfTime(photos), [photos])
  const spread = useMemo(
    () => spreadAlongLine(ordered.map(cameraTimeOf), measured, span.from, span.to),
    [ordered, measured, span],
  )
  const points = useMemo<readonly MapPoint[]>(
    () =>
      spread.map(({ lat, lon }, at) => {
        const isEnd = at === 0 || at === spread.length - 1
        const label = isOne ? ordered[0]?.name : at === 0 ? strings.from : isEnd ? strings.to : undefined
        return { id: ordered[at]?.id ?? '', lat, lon, tone: isEnd ? 'you' : 'photo', label }
      }),
    [spread, ordered, isOne],
  )

  const set = (end: End, miles: number): void =>
    setTouched({ isOne, span: isOne ? { from: miles, to: miles } : { ...span, [end]: miles } })
  const tap = (at: { readonly lat: number; readonly lon: number }): void => {
    const nearest = nearestOnLine(measured, at)
    if (!nearest) return
    set(next, nearest.miles)
    setNext(other[next])
  }
  const apply = (): void => {
    place(
      ordered.flatMap(({ id }, at) => {
        const found = spread[at]
        return found ? [{ id, placement: { lat: found.lat, lon: found.lon, by: 'line' } as const }] : []
      }),
    )
    onClose()
  }
  const slider = (end: End, label: string) => (
    <LineSlider
      label={label}
      miles={span[end]}
      lengthMiles={measured.lengthMiles}
      isFirst={end === 'from'}
      onChange={(miles) => set(end, miles)}
      onFocus={() => setNext(end)}
    />
  )
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <Text size="sm">{isOne ? strings.introOne : strings.introMany}</Text>
      <MapView
        label={strings.mapLabel}
        className={styles.map}
        lines={lines}
        points={points}
        neighbours="none"
        initialBounds={bounds && roomy(bounds)}
        onClickAt={tap}
      />
      {isOne ? (
        slider('from', strings.at)
      ) : (
        <>
          {slider('from', strings.from)}
          {slider('to', strings.to)}
        </>
      )}
      {otherCount > 0 && <p className={styles.hint}>{strings.others(otherCount)}</p>}
      <Group justify="flex-end" className={styles.foot ?? ''}>
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button type="submit">{strings.apply(photos.length)}</Button>
      </Group>
    </form>
  )
}
