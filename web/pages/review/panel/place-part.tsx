// Where the photo was taken, relative to its trail's line: on a map and as text, with actions if that is wrong.
import { Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { MapPin, MessageCircleQuestion } from 'lucide-react'
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useWaymark } from '../../../data/waymark.tsx'
import { keys } from '../../../data/keys.ts'
import { boxOf, partsOf } from '../../../map/trail-lines.ts'
import { placeStrings as strings } from '../../../strings/review-place.ts'
import { useFormat } from '../../../ui/format.ts'
import { canDecide } from '../decisions/decisions-here.ts'
import { placeReason, useActs } from '../decisions/use-acts.ts'
import { useDesk } from '../desk/desk-context.tsx'
import { metresToLines } from './line-distance.ts'
import { MoveForm } from './move-form.tsx'
import styles from './panel.module.css'
import type { Bounds, MapViewProps } from '../../../map/kinds.ts'
import { titleOf } from '../decisions/refusals.ts'
import type { DeskItem } from '../decisions/review-session.ts'

const MapView = lazy(async () => ({ default: (await import('../../../map/map-view.tsx')).MapView }))

interface ItemProps {
  readonly item: DeskItem
}

/** Smaller than the accuracy of a phone's location. */
const onLineMetres = 15
const marginDegrees = 0.004

/** The photo and the nearest part of the trail: with all of a long trail the photo would be a dot. */
function boundsAround(
  { lat, lon }: { readonly lat: number; readonly lon: number },
  metres: number | undefined,
): Bounds {
  const margin = Math.max(marginDegrees, ((metres ?? 0) * 1.6) / 111_320)
  return [lon - margin * 1.5, lat - margin, lon + margin * 1.5, lat + margin]
}

function usePlace({ imageID, trailID, lat, lon, queue, positionAccuracy }: DeskItem) {
  const waymark = useWaymark()
  const { data: trail } = useQuery({
    queryKey: [...keys.trails, 'one', trailID],
    queryFn: () => waymark.trails.get(trailID),
    staleTime: 300_000,
  })
  const lines = useMemo(() => partsOf(trail?.geometry ?? null), [trail])
  const at = useMemo(() => (lat === null || lon === null ? undefined : { lat, lon }), [lat, lon])
  const measured = at && metresToLines(at, lines)
  const metres = queue?.flags.find(({ code }) => code === 'far-from-trail')?.metres ?? measured
  const bounds = at ? boundsAround(at, Math.max(metres ?? 0, positionAccuracy ?? 0)) : trail && boxOf(trail)
  return { trail, lines, at, metres, bounds, key: `${imageID} ${lat} ${lon}` }
}

type Place = ReturnType<typeof usePlace>

function PlaceMap({
  item,
  place: { lines, at, bounds, key },
  ...moving
}: ItemProps & { readonly place: Place } & Pick<MapViewProps, 'handle' | 'onClickAt'>) {
  const { trailID, imageID, status, positionAccuracy, direction } = item
  const isMoving = moving.onClickAt !== undefined
  const content = useMemo(
    () => ({
      lines: [{ id: `trail-${trailID}`, coordinates: lines, tone: 'trail' }] as const,
      points: at
        ? ([{ id: String(imageID), ...at, tone: status === 'approved' ? 'photo' : 'pending' }] as const)
        : [],
      circles:
        at && positionAccuracy !== null && positionAccuracy > 0
          ? ([{ id: 'accuracy', ...at, radiusMetres: positionAccuracy, tone: 'accuracy' }] as const)
          : [],
      cone: at && direction !== null ? { ...at, direction } : undefined,
    }),
    [trailID, imageID, lines, at, status, positionAccuracy, direction],
  )
  return (
    <Suspense fallback={<div className={styles.map} />}>
      <MapView
        className={styles.map}
        label={isMoving ? strings.moveMap : strings.map(titleOf(item))}
        initialBounds={bounds}
        fitTo={bounds && { key, bounds }}
        letsPageScroll
        {...content}
        {...moving}
      />
    </Suspense>
  )
}

/** "From a track, ± 8 m". */
function SourceLine({ item: { positionSource, positionAccuracy } }: ItemProps) {
  const format = useFormat()
  const parts = [
    ...(positionSource === null ? [] : [strings.sources[positionSource]]),
    ...(positionAccuracy === null ? [] : [strings.accuracy(format.metres(positionAccuracy))]),
  ]
  return parts.length === 0 ? null : <Text size="sm">{parts.join(', ')}</Text>
}

function DistanceLine({ item, place: { at, metres } }: ItemProps & { readonly place: Place }) {
  const format = useFormat()
  if (!at || metres === undefined) return null
  const { positionAccuracy } = item
  const isFlagged = item.queue?.flags.some(({ code }) => code === 'far-from-trail') ?? false
  const isUncertain = !isFlagged && metres >= onLineMetres && metres <= (positionAccuracy ?? 0)
  return (
    <>
      <Text size="sm">
        {metres < onLineMetres ? strings.onLine : strings.fromLine(format.metres(metres))}
      </Text>
      {isUncertain && positionAccuracy !== null && (
        <Text size="sm" c="dimmed">
          {strings.isUncertain(format.metres(positionAccuracy))}
        </Text>
      )}
    </>
  )
}

/** For a photo without a location or far from the trail: only the submitter knows. */
function AskSubmitter({ item }: ItemProps) {
  const { reasons } = useDesk()
  const acts = useActs()
  const reason = reasons.find(({ code }) => code === placeReason)
  const isOdd =
    item.lat === null || (item.queue?.flags.some(({ code }) => code === 'far-from-trail') ?? false)
  if (!isOdd || !reason || !canDecide(item, 'reject')) return null
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<MessageCircleQuestion size={16} aria-hidden />}
        aria-describedby="ask-submitter"
        onClick={acts.askPlace}
      >
        {strings.ask}
      </Button>
      <Text size="sm" c="dimmed" id="ask-submitter">
        {strings.askHint(reason.label)}
      </Text>
    </>
  )
}

export function PlacePart({ item }: ItemProps) {
  const { photo } = useDesk()
  const place = usePlace(item)
  const [isMoving, setMoving] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const wasMoving = useRef(false)
  useEffect(() => {
    if (wasMoving.current && !isMoving) opener.current?.focus()
    wasMoving.current = isMoving
  }, [isMoving])
  const { trail, lines, at, bounds } = place
  return (
    <section className={styles.part}>
      <h2>{strings.heading}</h2>
      {!at && <Text size="sm">{strings.none}</Text>}
      <SourceLine item={item} />
      <DistanceLine item={item} place={place} />
      {trail && lines.length === 0 && <Text size="sm">{strings.noLine}</Text>}
      {isMoving ? (
        <MoveForm item={item} onClose={() => setMoving(false)}>
          {(typed, onChoose) => (
            <PlaceMap
              item={item}
              place={place}
              handle={typed && { ...typed, onDragged: onChoose }}
              onClickAt={onChoose}
            />
          )}
        </MoveForm>
      ) : (
        <>
          {bounds && <PlaceMap item={item} place={place} />}
          <Group gap="xs">
            {/* Without the photo's ETag, other people's changes would be overwritten. */}
            <Button
              ref={opener}
              variant="default"
              size="compact-sm"
              leftSection={<MapPin size={16} aria-hidden />}
              disabled={photo.etag === undefined}
              onClick={() => setMoving(true)}
            >
              {at ? strings.move : strings.set}
            </Button>
          </Group>
          <AskSubmitter item={item} />
        </>
      )}
    </section>
  )
}
