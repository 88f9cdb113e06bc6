// Edits title, caption and location of a photo; a concurrent change is reported, not overwritten.
import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { isWaymarkProblem, type Image } from '../../../client/client.ts'
import { countCharacters } from '../../../src/shared/text/characters.ts'
import { useSite } from '../../data/site.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { common } from '../../strings/common.ts'
import { photoStrings } from '../../strings/photos.ts'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { readPlace } from '../../upload/typed-place.ts'
import { usePhotoChanges } from './photo-data.ts'
import styles from './photos.module.css'

const { detail: strings } = photoStrings
const maxCharacters = 256

const degreesText = (degrees: number | null): string => (degrees === null ? '' : String(degrees))

function lengthError(text: string): string | undefined {
  const count = countCharacters(text.trim())
  return count > maxCharacters ? strings.tooLong(count) : undefined
}

interface PhotoFormProps {
  readonly image: Image
  readonly etag: string | undefined
  /** Fetches it again; resolves once it is there. */
  readonly onStale: () => Promise<unknown>
}

export function PhotoForm({ image, etag, onStale }: PhotoFormProps) {
  const waymark = useWaymark()
  const { edits } = useSite()
  const { saved } = usePhotoChanges()
  // As it was when the form was opened: only the fields that the user changed are sent, whatever others have changed
  // meanwhile.
  const [first, setFirst] = useState(image)
  const [title, setTitle] = useState(first.title)
  const [caption, setCaption] = useState(first.caption)
  const [lat, setLat] = useState(degreesText(first.lat))
  const [lon, setLon] = useState(degreesText(first.lon))
  const isCleared = lat.trim() === '' && lon.trim() === ''
  const place = readPlace(lat, lon)
  const isPlaceWrong = !isCleared && place === undefined
  const isPlaceSame = lat === degreesText(first.lat) && lon === degreesText(first.lon)
  const isSame = title === first.title && caption === first.caption && isPlaceSame
  const save = useMutation({
    mutationFn: () => {
      const position = isPlaceSame ? {} : (place ?? { lat: null, lon: null })
      return waymark.images.change(
        image.imageID,
        {
          ...(title === first.title ? {} : { title: title.trim() }),
          ...(caption === first.caption ? {} : { caption: caption.trim() }),
          ...position,
        },
        { ifMatch: etag },
      )
    },
    onSuccess: async (stored) => {
      setFirst(stored)
      setTitle(stored.title)
      setCaption(stored.caption)
      setLat(degreesText(stored.lat))
      setLon(degreesText(stored.lon))
      await saved()
    },
    // Only then can it be saved again: with the old version it would be refused again.
    onError: async (error) => {
      if (isWaymarkProblem(error) && error.status === 412) await onStale()
    },
  })
  const isStale = isWaymarkProblem(save.error) && save.error.status === 412
  const isWrong = isPlaceWrong || lengthError(title) !== undefined || lengthError(caption) !== undefined
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!isWrong && !isSame) save.mutate()
      }}
    >
      <Stack gap="sm">
        <TextInput
          label={strings.titleField}
          value={title}
          error={lengthError(title)}
          onChange={({ currentTarget }) => setTitle(currentTarget.value)}
        />
        <Textarea
          label={strings.caption}
          rows={3}
          value={caption}
          error={lengthError(caption)}
          onChange={({ currentTarget }) => setCaption(currentTarget.value)}
        />
        <div className={styles.pair}>
          <TextInput
            label={strings.lat}
            inputMode="decimal"
            value={lat}
            error={isPlaceWrong}
            onChange={({ currentTarget }) => setLat(currentTarget.value)}
          />
          <TextInput
            label={strings.lon}
            inputMode="decimal"
            value={lon}
            error={isPlaceWrong}
            onChange={({ currentTarget }) => setLon(currentTarget.value)}
          />
        </div>
        <Text size="sm" {...(isPlaceWrong ? { c: 'var(--danger)', role: 'alert' } : { c: 'dimmed' })}>
          {isPlaceWrong ? strings.placeWrong : strings.placeHint}
        </Text>
        {image.status === 'approved' && (
          <Text size="sm" c="dimmed">
            {edits === 'pend' ? strings.pendHint : strings.listedHint}
          </Text>
        )}
        {isStale && (
          <p className={styles.changed} role="alert">
            {strings.changed}
          </p>
        )}
        {save.isError && !isStale && <ProblemNotice error={save.error} order={3} />}
        <Group justify="space-between">
          <Button
            variant="default"
            disabled={isCleared}
            onClick={() => {
              setLat('')
              setLon('')
            }}
          >
            {strings.clearPlace}
          </Button>
          <Button type="submit" disabled={isSame || isWrong} loading={save.isPending}>
            {common.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
