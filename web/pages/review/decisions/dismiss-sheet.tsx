// Closes the reports of a photo that stays published; asks first, since it cannot be undone.
import { Button, Group, Modal, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { common } from '../../../strings/common.ts'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { useDesk } from '../desk/desk-context.tsx'
import { requireOnline } from './sending.ts'
import type { DeskItem } from './review-session.ts'

export function DismissSheet({ item }: { readonly item: DeskItem }) {
  const { decisions, setDialog, reviewSession } = useDesk()
  const toast = useToast()
  const [note, setNote] = useState(reviewSession.drafts.get(item.imageID) ?? '')
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly error?: unknown }>({
    isBusy: false,
  })

  async function dismiss(): Promise<void> {
    if (!requireOnline(toast)) return
    setState({ isBusy: true })
    try {
      await decisions.dismissReports(item, note)
      setDialog(undefined)
    } catch (error) {
      setState({ isBusy: false, error })
    }
  }
  return (
    <Modal
      opened
      onClose={() => setDialog(undefined)}
      title={strings.reports.dismissTitle}
      closeButtonProps={{ 'aria-label': common.close }}
      transitionProps={{ duration: 0 }}
    >
      <Text>{strings.reports.dismissDetail}</Text>
      <Textarea
        mt="sm"
        label={strings.note}
        rows={2}
        maxLength={2_000}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      {state.error !== undefined && <ProblemNotice error={state.error} order={3} />}
      <Group mt="md" gap="sm">
        <Button data-autofocus loading={state.isBusy} onClick={() => void dismiss()}>
          {strings.reports.dismiss}
        </Button>
        <Button variant="default" onClick={() => setDialog(undefined)}>
          {common.cancel}
        </Button>
      </Group>
    </Modal>
  )
}
