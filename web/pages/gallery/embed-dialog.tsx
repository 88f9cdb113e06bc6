// HTML snippets for other sites: a photo as an image or in a frame, or a trail's newest photos in a frame.
import { Modal, Stack, Text, Textarea } from '@mantine/core'
import type { Image, Trail } from '../../../client/client.ts'
import { baseUrl } from '../../data/base.ts'
import { common } from '../../strings/common.ts'
import { galleryStrings } from '../../strings/gallery.ts'
import { CopyButton } from '../../ui/fields/copy-button.tsx'
import { frameSnippet, pictureSnippet } from './snippets.ts'

interface EmbedDialogProps {
  readonly trail: Pick<Trail, 'name' | 'slug'>
  /** Omitted: the trail itself. */
  readonly image?: Image
  readonly onClose: () => void
}

interface SnippetProps {
  readonly label: string
  readonly copyLabel: string
  readonly text: string
}

function Snippet({ label, copyLabel, text }: SnippetProps) {
  return (
    <Stack gap="xs" align="start">
      <Textarea
        label={label}
        value={text}
        readOnly
        rows={4}
        w="100%"
        styles={{ input: { fontFamily: 'var(--mono)', fontSize: '0.82rem' } }}
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton text={text} label={copyLabel} hasWords />
    </Stack>
  )
}

export function EmbedDialog({ trail, image, onClose }: EmbedDialogProps) {
  const page = `${baseUrl}/t/${encodeURIComponent(trail.slug)}`
  const title = image ? image.title || trail.name : trail.name
  const frame = image ? `/embed/images/${image.imageID}` : `/embed/t/${encodeURIComponent(trail.slug)}`
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={galleryStrings.embedTitle}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <Stack gap="lg">
        <Text c="dimmed">{image ? galleryStrings.embedDetail : galleryStrings.embedTrailDetail}</Text>
        {image && (
          <Snippet
            label={galleryStrings.embedPicture}
            copyLabel={galleryStrings.copyPicture}
            text={pictureSnippet({ image, title, address: `${page}/${image.imageID}` })}
          />
        )}
        <Snippet
          label={galleryStrings.embedFrame}
          copyLabel={galleryStrings.copyFrame}
          text={frameSnippet({ address: baseUrl + frame, title })}
        />
      </Stack>
    </Modal>
  )
}
