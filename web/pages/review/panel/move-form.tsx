// Changes the photo's location: dragged or clicked on the map, or typed, for keyboard users.
import { Button, Group, Text, TextInput } from '@mantine/core'
import { useEffect, useRef, useState, type FormEvent, type KeyboardEvent, type ReactNode } from 'react'
import { common } from '../../../strings/common.ts'
import { placeStrings as strings } from '../../../strings/review-place.ts'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { readPlace, type TypedPlace } from '../../../upload/typed-place.ts'
import { titleOf } from '../decisions/refusals.ts'
import type { DeskItem } from '../decisions/review-session.ts'
import { useDesk } from '../desk/desk-context.tsx'
import styles from './panel.module.css'

/** A tenth of a metre. */
const decimals = 6

interface MoveFormProps {
  readonly item: DeskItem
  readonly onClose: () => void
  /** The map, with the location as typed and the handlers for clicks and drags. */
  readonly children: (typed: TypedPlace | undefined, onChoose: (at: TypedPlace) => void) => ReactNode
}

export function MoveForm({ item, onClose, children }: MoveFormProps) {
  const { decisions, photo } = useDesk()
  const [lat, setLat] = useState(item.lat === null ? '' : String(item.lat))
  const [lon, setLon] = useState(item.lon === null ? '' : String(item.lon))
  // The version of the photo when the form was opened: later changes must not be overwritten unseen.
  const [etag] = useState(photo.etag)
  const [isTried, setTried] = useState(false)
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly error?: unknown }>({
    isBusy: false,
  })
  const first = useRef<HTMLInputElement>(null)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    first.current?.focus({ preventScroll: true })
    form.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const typed = readPlace(lat, lon)
  const isWrong = isTried && typed === undefined

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault()
    setTried(true)
    if (typed === undefined) return
    setState({ isBusy: true })
    try {
      await decisions.move(item, typed, etag)
      onClose()
    } catch (error) {
      setState({ isBusy: false, error })
    }
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    onClose()
  }
  return (
    <form
      ref={form}
      className={styles.move}
      aria-label={strings.moveOf(titleOf(item))}
      onSubmit={(event) => void save(event)}
    >
      <div className={styles.pair}>
        <TextInput
          ref={first}
          label={strings.lat}
          inputMode="decimal"
          onKeyDown={onKeyDown}
          value={lat}
          error={isWrong}
          onChange={({ currentTarget }) => setLat(currentTarget.value)}
        />
        <TextInput
          label={strings.lon}
          inputMode="decimal"
          onKeyDown={onKeyDown}
          value={lon}
          error={isWrong}
          onChange={({ currentTarget }) => setLon(currentTarget.value)}
        />
      </div>
      <Text size="sm" {...(isWrong ? { c: 'var(--danger)', role: 'alert' } : { c: 'dimmed' })}>
        {isWrong ? strings.wrong : strings.moveHint}
      </Text>
      {children(typed, (at) => {
        setLat(at.lat.toFixed(decimals))
        setLon(at.lon.toFixed(decimals))
      })}
      {state.error !== undefined && <ProblemNotice error={state.error} order={3} />}
      <Group gap="xs">
        <Button type="submit" loading={state.isBusy}>
          {common.save}
        </Button>
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
      </Group>
    </form>
  )
}
