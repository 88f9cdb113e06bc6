// One caption for all selected photos.
import { Button, Group, Modal, Stack, Textarea } from '@mantine/core'
import { useState } from 'react'
import { countCharacters } from '../../../src/shared/text/characters.ts'
import { common } from '../../strings/common.ts'
import { photoStrings } from '../../strings/photos.ts'

const maxCharacters = 256

interface CaptionDialogProps {
  readonly count: number
  readonly onClose: () => void
  readonly onApply: (caption: string) => void
}

export function CaptionDialog({ count, onClose, onApply }: CaptionDialogProps) {
  const [caption, setCaption] = useState('')
  const length = countCharacters(caption.trim())
  const isTooLong = length > maxCharacters
  return (
    <Modal
      opened
      onClose={onClose}
      title={photoStrings.bulk.captionTitle(count)}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isTooLong) onApply(caption.trim())
        }}
      >
        <Stack>
          <Textarea
            data-autofocus
            label={photoStrings.detail.caption}
            description={photoStrings.bulk.captionHint}
            rows={3}
            value={caption}
            error={isTooLong ? photoStrings.detail.tooLong(length) : undefined}
            onChange={({ currentTarget }) => setCaption(currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" disabled={isTooLong}>
              {photoStrings.bulk.apply(count)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
