// Adds a privacy zone: from the map, by coordinates, or at the current position.
import { Button, Group, Text, TextInput } from '@mantine/core'
import { LocateFixed } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { Zone } from '../../../client/client.ts'
import { accountPlaces } from '../../strings/account-places.ts'
import styles from './account.module.css'
import { useFormat } from '../../ui/format.ts'
import { useChange, useHiddenSizes } from './account-data.ts'
import type { Draft } from './drafts.tsx'
import { Card, FormProblem } from './parts.tsx'
import { hiddenIn, latIn, lonIn, placedAt, radiusIn, zoneIn, type ZoneFields } from './zone-fields.ts'

const strings = accountPlaces.zones

/** @returns a function that asks the browser for the position, and whether that is pending or has failed. */
function useHere(onPlace: (at: { lat: number; lon: number }) => void) {
  const [state, setState] = useState<'asked' | 'failed'>()
  // This may take a while: what is typed in the meantime stays.
  const latest = useRef(onPlace)
  useEffect(() => {
    latest.current = onPlace
  })
  const ask = () => {
    setState('asked')
    navigator.geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude } }) => {
        setState(undefined)
        latest.current({ lat: latitude, lon: longitude })
      },
      () => setState('failed'),
      { enableHighAccuracy: true, timeout: 15_000 },
    )
  }
  return { ask, isAsked: state === 'asked', hasFailed: state === 'failed' }
}

interface ZoneFormProps {
  readonly draft: Draft<ZoneFields>
  /** Set from the current position, so the map has to move there. */
  readonly onPlaced: (fields: ZoneFields) => void
  readonly onAdded: (zone: Zone) => void
}

export function ZoneForm({ draft, onPlaced, onAdded }: ZoneFormProps) {
  const { value: fields, set } = draft
  const [isTried, setTried] = useState(false)
  const { metres } = useFormat()
  const hidden = hiddenIn(fields, useHiddenSizes().data)
  const here = useHere((at) => {
    const placed = placedAt(fields, at)
    set(placed)
    onPlaced(placed)
  })
  const add = useChange<NonNullable<ReturnType<typeof zoneIn>>, Zone>({
    act: (waymark, zone) => waymark.me.zones.create(zone),
    stale: 'zones',
    successText: () => strings.added,
    onDone: (zone) => {
      draft.drop()
      setTried(false)
      onAdded(zone)
    },
  })
  const wrong = (value: number | undefined, sentence: string) =>
    isTried && value === undefined ? sentence : undefined
  return (
    <Card title={strings.add}>
      <form
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          setTried(true)
          const zone = zoneIn(fields)
          if (zone) add.mutate(zone)
        }}
      >
        <Group grow align="flex-start" gap="sm">
          <TextInput
            label={strings.lat}
            value={fields.lat}
            onChange={({ currentTarget }) => set({ ...fields, lat: currentTarget.value })}
            inputMode="decimal"
            autoComplete="off"
            error={wrong(latIn(fields), strings.latWrong)}
            required
          />
          <TextInput
            label={strings.lon}
            value={fields.lon}
            onChange={({ currentTarget }) => set({ ...fields, lon: currentTarget.value })}
            inputMode="decimal"
            autoComplete="off"
            error={wrong(lonIn(fields), strings.lonWrong)}
            required
          />
        </Group>
        <div>
          <Button
            variant="default"
            leftSection={<LocateFixed size={18} aria-hidden />}
            loading={here.isAsked}
            onClick={here.ask}
          >
            {strings.here}
          </Button>
        </div>
        {here.hasFailed && (
          <p role="alert" className={styles.refused}>
            {strings.hereFailed}
          </p>
        )}
        <TextInput
          label={strings.radius}
          description={strings.radiusHint}
          value={fields.radius}
          onChange={({ currentTarget }) => set({ ...fields, radius: currentTarget.value })}
          inputMode="numeric"
          autoComplete="off"
          error={wrong(radiusIn(fields), strings.radiusHint)}
          required
        />
        <Text size="sm" role="status">
          {hidden && strings.wouldHide(metres(hidden.radiusMetres), metres(hidden.maxOffsetMetres))}
        </Text>
        <TextInput
          label={strings.name}
          description={strings.nameHint}
          value={fields.name}
          onChange={({ currentTarget }) => set({ ...fields, name: currentTarget.value })}
          autoComplete="off"
          maxLength={200}
        />
        <FormProblem error={add.error} />
        <div>
          <Button type="submit" loading={add.isPending}>
            {strings.add}
          </Button>
        </div>
      </form>
    </Card>
  )
}
