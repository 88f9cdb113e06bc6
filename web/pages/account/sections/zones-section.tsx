// Privacy zones: a list, a map of their circles, and a form that the map fills in.
import { Button, Text } from '@mantine/core'
import { useMemo, useRef, useState } from 'react'
import type { MapCircle, MapPoint } from '../../../map/kinds.ts'
import { MapView } from '../../../map/map-view.tsx'
import { account } from '../../../strings/account.ts'
import { accountPlaces } from '../../../strings/account-places.ts'
import { Empty } from '../../../ui/notices/empty.tsx'
import { formatPosition, useFormat } from '../../../ui/format.ts'
import { useShortcuts } from '../../../ui/keys/shortcuts.tsx'
import styles from '../account.module.css'
import { useChange, useHiddenSizes, useSet, type ItemOf } from '../account-data.ts'
import { useDraft } from '../drafts.tsx'
import { Danger, Row, Rows, Section, SetView, When } from '../parts.tsx'
import { boundsAround, hiddenIn, noZone, placedAt, zoneIn, type ZoneFields } from '../zone-fields.ts'
import { ZoneForm } from '../zone-form.tsx'

const strings = accountPlaces.zones
type Zone = ItemOf<'zones'>
const draftId = 'new'

const nameOf = ({ name }: Zone): string => (name === '' ? strings.unnamed : name)

function RemoveDialog({ zone, onClose }: { readonly zone: Zone; readonly onClose: () => void }) {
  const remove = useChange({
    act: (waymark) => waymark.me.zones.remove(zone.zoneID),
    stale: 'zones',
    successText: () => strings.removed,
    onDone: onClose,
  })
  return (
    <Danger
      title={strings.removeTitle(nameOf(zone))}
      detail={strings.removeDetail}
      label={strings.remove}
      change={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}

interface ZoneMapProps {
  readonly zones: readonly Zone[]
  readonly fields: ZoneFields
  /** The zone to show on the map, with a key: the same zone again moves the map again. */
  readonly looked: { readonly key: string; readonly circles: Parameters<typeof boundsAround>[0] }
  readonly onPlace: (at: { readonly lat: number; readonly lon: number }) => void
}

function ZoneMap({ zones, fields, looked, onPlace }: ZoneMapProps) {
  const draft = useMemo(() => zoneIn(fields), [fields])
  const hidden = hiddenIn(fields, useHiddenSizes().data)?.radiusMetres
  const circles = useMemo<readonly MapCircle[]>(
    () => [
      ...zones.map(({ zoneID, lat, lon, radius }) => ({
        id: String(zoneID),
        lat,
        lon,
        radiusMetres: radius,
      })),
      ...(draft ? [{ id: draftId, lat: draft.lat, lon: draft.lon, radiusMetres: draft.radius }] : []),
      ...(draft && hidden !== undefined
        ? [{ id: `${draftId}-hidden`, lat: draft.lat, lon: draft.lon, radiusMetres: hidden }]
        : []),
    ],
    [zones, draft, hidden],
  )
  const points = useMemo<readonly MapPoint[]>(
    () => (draft ? [{ id: draftId, lat: draft.lat, lon: draft.lon, tone: 'you' }] : []),
    [draft],
  )
  const bounds = boundsAround(looked.circles)
  return (
    <div>
      <MapView
        label={strings.map}
        className={styles.map}
        circles={circles}
        points={points}
        neighbours="trails"
        letsPageScroll
        onClickAt={onPlace}
        fitTo={bounds && { key: looked.key, bounds }}
      />
      <Text size="sm" c="dimmed" mt={4}>
        {strings.mapHint}
      </Text>
    </div>
  )
}

export function ZonesSection() {
  const query = useSet('zones')
  const draft = useDraft('zones', 'new', noZone)
  const [removed, setRemoved] = useState<Zone>()
  const [looked, setLooked] = useState<ZoneMapProps['looked']>()
  const looks = useRef(0)
  const { metres } = useFormat()
  const form = useRef<HTMLDivElement>(null)
  useShortcuts(account.sections.zones, [
    { keys: 'n', label: strings.add, run: () => form.current?.querySelector('input')?.focus() },
  ])
  const lookAt = (circles: Parameters<typeof boundsAround>[0]) => {
    looks.current += 1
    setLooked({ key: `look-${looks.current}`, circles })
  }
  const zones = query.data ?? []
  return (
    <Section title={account.sections.zones} lead={strings.lead}>
      <Text c="dimmed" maw="42rem">
        {strings.note}
      </Text>
      <ZoneMap
        zones={zones}
        fields={draft.value}
        looked={looked ?? { key: `all-${zones.length > 0}`, circles: zones }}
        onPlace={(at) => draft.set(placedAt(draft.value, at))}
      />
      <SetView query={query} empty={<Empty title={strings.empty} detail={strings.emptyDetail} order={3} />}>
        {(items) => (
          <Rows label={account.sections.zones}>
            {items.map((zone) => (
              <Row
                key={zone.zoneID}
                title={nameOf(zone)}
                facts={[
                  [strings.place, `${strings.at(metres(zone.radius))} ${formatPosition(zone.lat, zone.lon)}`],
                  [strings.hidden, strings.hiddenRadius(metres(zone.hiddenRadius))],
                  [account.keys.madeAt, <When key="made" at={zone.createdAt} />],
                ]}
                actions={
                  <>
                    <Button
                      variant="default"
                      size="compact-sm"
                      aria-label={strings.showOf(nameOf(zone))}
                      onClick={() => lookAt([zone])}
                    >
                      {strings.show}
                    </Button>
                    <Button
                      variant="default"
                      size="compact-sm"
                      aria-label={`${strings.remove}: ${nameOf(zone)}`}
                      onClick={() => setRemoved(zone)}
                    >
                      {strings.remove}
                    </Button>
                  </>
                }
              />
            ))}
          </Rows>
        )}
      </SetView>
      <div ref={form}>
        <ZoneForm
          draft={draft}
          onPlaced={(placed) => {
            const zone = zoneIn(placed)
            if (zone) lookAt([zone])
          }}
          onAdded={(zone) => lookAt([zone])}
        />
      </div>
      {removed && <RemoveDialog zone={removed} onClose={() => setRemoved(undefined)} />}
    </Section>
  )
}
