// Location and trail of one photo: by default the location from the file.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { MapView } from '../../map/map-view.tsx'
import { common } from '../../strings/common.ts'
import { uploadStrings } from '../../strings/upload.ts'
import { formatPosition } from '../../ui/format.ts'
import { isEditable, type ChosenPosition, type QueuedPhoto } from '../../upload/photo.ts'
import { placeOf } from '../../upload/queue-view.ts'
import { useUploads } from '../../upload/use-uploads.ts'
import { readPlace } from '../../upload/typed-place.ts'
import { TrailSelect } from './trail-select.tsx'
import styles from './upload.module.css'

const { place: strings } = uploadStrings

interface PlaceDialogProps {
  readonly photo: QueuedPhoto
  readonly onClose: () => void
}

function PlaceFields({
  photo,
  onChoose,
}: {
  readonly photo: QueuedPhoto
  readonly onChoose: (to: ChosenPosition) => void
}) {
  const known = placeOf(photo)
  const [lat, setLat] = useState(known ? String(known.lat) : '')
  const [lon, setLon] = useState(known ? String(known.lon) : '')
  const [isTried, setTried] = useState(false)
  const typed = readPlace(lat, lon)
  const bounds =
    known && ([known.lon - 0.02, known.lat - 0.015, known.lon + 0.02, known.lat + 0.015] as const)
  return (
    <Stack gap="sm">
      <div className={styles.pair}>
        <TextInput
          label={strings.lat}
          inputMode="decimal"
          value={lat}
          error={isTried && !typed}
          onChange={({ currentTarget }) => setLat(currentTarget.value)}
        />
        <TextInput
          label={strings.lon}
          inputMode="decimal"
          value={lon}
          error={isTried && !typed}
          onChange={({ currentTarget }) => setLon(currentTarget.value)}
        />
      </div>
      <Text size="sm" {...(isTried && !typed ? { c: 'var(--danger)', role: 'alert' } : { c: 'dimmed' })}>
        {isTried && !typed ? strings.wrong : strings.hint}
      </Text>
      <MapView
        label={strings.mapLabel}
        className={styles.placeMap}
        initialBounds={bounds}
        points={typed ? [{ id: 'here', ...typed, tone: 'you' }] : []}
        onClickAt={(at) => {
          setLat(at.lat.toFixed(6))
          setLon(at.lon.toFixed(6))
        }}
      />
      <Group justify="flex-end">
        {photo.facts?.position && (
          <Button variant="default" onClick={() => onChoose({ from: 'nobody' })}>
            {strings.hide}
          </Button>
        )}
        <Button onClick={() => (typed ? onChoose({ from: 'person', ...typed }) : setTried(true))}>
          {strings.apply}
        </Button>
      </Group>
    </Stack>
  )
}

export function PlaceDialog({ photo, onClose }: PlaceDialogProps) {
  const uploads = useUploads()
  const [isOpen, setOpen] = useState(photo.position.from === 'person')
  const { id, name, trail, facts, position } = photo
  const choose = (to: ChosenPosition): void => {
    uploads.dispatch({ type: 'edited', ids: [id], texts: { position: to } })
    onClose()
  }
  const found = facts?.position
  const frame = {
    opened: true,
    onClose,
    size: 'lg',
    title: uploadStrings.row.changeOf(name),
    closeButtonProps: { 'aria-label': common.close },
  } as const
  // Its upload may have started while the dialog was open.
  if (!isEditable(photo)) {
    return (
      <Modal {...frame}>
        <Text role="alert">{uploadStrings.row.locked}</Text>
      </Modal>
    )
  }
  return (
    <Modal {...frame}>
      <Stack>
        <TrailSelect
          trail={trail}
          onChange={(chosen) => uploads.dispatch({ type: 'edited', ids: [id], texts: { trail: chosen } })}
        />
        <Text>
          {found ? `${strings.locked} ${formatPosition(Number(found.lat), Number(found.lon))}` : strings.none}
        </Text>
        <Group gap="sm">
          {!isOpen && (
            <Button variant="default" onClick={() => setOpen(true)}>
              {found ? strings.override : strings.set}
            </Button>
          )}
          {position.from !== 'file' && (
            <Button variant="default" onClick={() => choose({ from: 'file' })}>
              {strings.back}
            </Button>
          )}
        </Group>
        {isOpen && <PlaceFields photo={photo} onChoose={choose} />}
      </Stack>
    </Modal>
  )
}
