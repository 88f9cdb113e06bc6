// Reports a public photo to the reviewers; open to everyone, signed in or not.
import '@mantine/core/styles/Radio.css'
import { Button, Group, Modal, Radio, Stack, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { reportReasons, type ReportReason } from '../../../src/shared/v2/queue-schemas.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { common } from '../../strings/common.ts'
import { galleryStrings } from '../../strings/gallery.ts'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { useToast } from '../../ui/notices/toasts.tsx'

const maxNoteCharacters = 2_000

interface ReportDialogProps {
  readonly imageId: number
  /** Title of the photo, so that it is clear which one is meant. */
  readonly strings: string
  readonly onClose: () => void
}

export function ReportDialog({ imageId, strings, onClose }: ReportDialogProps) {
  const waymark = useWaymark()
  const toast = useToast()
  const [reason, setReason] = useState<ReportReason>()
  const [note, setNote] = useState('')
  const [isTried, setTried] = useState(false)
  const { mutate, isPending, error } = useMutation({
    mutationFn: (chosen: ReportReason) =>
      waymark.images.report(imageId, { reason: chosen, note: note.trim() || undefined }),
    onSuccess: () => {
      toast({ message: galleryStrings.reported, tone: 'good' })
      onClose()
    },
  })
  const isNoteMissing = reason === 'other' && note.trim() === ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (reason !== undefined && !isNoteMissing) mutate(reason)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={galleryStrings.reportTitle}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {strings}
          </Text>
          <Radio.Group
            label={galleryStrings.reportDetail}
            value={reason ?? ''}
            onChange={(value) => setReason(reportReasons.find((known) => known === value))}
            error={isTried && reason === undefined ? galleryStrings.chooseReason : undefined}
          >
            <Stack gap="xs" mt="xs">
              {reportReasons.map((code, at) => (
                <Radio
                  key={code}
                  value={code}
                  label={galleryStrings.reasons[code]}
                  {...(at === 0 && { 'data-autofocus': true })}
                />
              ))}
            </Stack>
          </Radio.Group>
          <Textarea
            label={galleryStrings.note}
            description={galleryStrings.noteOptional}
            value={note}
            maxLength={maxNoteCharacters}
            autosize
            minRows={2}
            onChange={(event) => setNote(event.currentTarget.value)}
            error={isTried && isNoteMissing ? galleryStrings.noteNeeded : undefined}
          />
          {error && <ProblemNotice error={error} />}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              {common.cancel}
            </Button>
            <Button type="submit" loading={isPending}>
              {galleryStrings.sendReport}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
