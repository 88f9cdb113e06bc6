// Sets title, caption and trail for many photos at once, from a pattern.
import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { common } from '../../strings/common.ts'
import { uploadStrings } from '../../strings/upload.ts'
import { useToast } from '../../ui/notices/toasts.tsx'
import { fillPattern, isTooLong } from '../../upload/patterns.ts'
import { isEditable, isOver, type ChosenTrail, type QueuedPhoto } from '../../upload/photo.ts'
import { useUploads, useUploadsState } from '../../upload/use-uploads.ts'
import { TrailSelect } from './trail-select.tsx'

const { bulk: strings } = uploadStrings

interface Filling {
  readonly title: string
  readonly caption: string
  readonly isOnlyEmpty: boolean
}

/** The texts for a photo; an empty pattern changes nothing. */
function textsFor(photo: QueuedPhoto, number: number, { title, caption, isOnlyEmpty }: Filling) {
  const isKept = (text: string): boolean => isOnlyEmpty && text.trim() !== ''
  return {
    title: title.trim() === '' || isKept(photo.title) ? photo.title : fillPattern(title, photo, number),
    caption:
      caption.trim() === '' || isKept(photo.caption) ? photo.caption : fillPattern(caption, photo, number),
  }
}

export function BulkFill({ onClose }: { readonly onClose: () => void }) {
  const uploads = useUploads()
  const toast = useToast()
  const { queue } = useUploadsState()
  const [title, setTitle] = useState('')
  const [caption, setCaption] = useState('')
  const [trail, setTrail] = useState<ChosenTrail>()
  const [isOnlyEmpty, setOnlyEmpty] = useState(true)
  const open = queue.filter((photo) => isEditable(photo) && (!isOver(photo) || photo.state === 'refused'))
  const filling = { title, caption, isOnlyEmpty }
  const filled = open.map((photo, index) => ({ id: photo.id, texts: textsFor(photo, index + 1, filling) }))
  const tooLong = filled.filter(({ texts }) => isTooLong(texts.title) || isTooLong(texts.caption)).length
  const first = filled[0]?.texts.title ?? ''

  function apply(): void {
    const before = open.map(({ id, title, caption, trail, position }) => ({
      id,
      texts: { title, caption, trail, position },
    }))
    for (const { id, texts } of filled)
      uploads.dispatch({ type: 'edited', ids: [id], texts: trail ? { ...texts, trail } : texts })
    onClose()
    toast({
      message: strings.done(filled.length),
      undo: () => {
        for (const { id, texts } of before) uploads.dispatch({ type: 'edited', ids: [id], texts })
      },
    })
  }

  return (
    <Modal opened onClose={onClose} title={strings.title} closeButtonProps={{ 'aria-label': common.close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (tooLong === 0 && filled.length > 0) apply()
        }}
      >
        <Stack gap="sm">
          <Text>{strings.intro}</Text>
          <TextInput
            data-autofocus
            label={strings.pattern}
            description={strings.hint}
            value={title}
            onChange={({ currentTarget }) => setTitle(currentTarget.value)}
          />
          <TextInput
            label={strings.caption}
            value={caption}
            onChange={({ currentTarget }) => setCaption(currentTarget.value)}
          />
          <TrailSelect trail={trail} onChange={setTrail} />
          <Checkbox
            label={strings.onlyEmpty}
            checked={isOnlyEmpty}
            onChange={({ currentTarget }) => setOnlyEmpty(currentTarget.checked)}
          />
          {first !== '' && <Text size="sm">{strings.preview(first)}</Text>}
          {tooLong > 0 && (
            <Text size="sm" c="var(--danger)" role="alert">
              {strings.tooLong(tooLong)}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" disabled={tooLong > 0 || filled.length === 0}>
              {strings.apply(filled.length)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
