// The reason for rejecting or unpublishing a photo: the site's reasons, each with its key, or none.
import { Button, Modal, Stack, Text, Textarea } from '@mantine/core'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { common } from '../../../strings/common.ts'
import { keysOfReasons } from '../../../data/reason-keys.ts'
import { useShortcuts } from '../../../ui/keys/shortcuts.tsx'
import styles from './dialogs.module.css'

export interface SheetReason {
  readonly code: string
  readonly label: string
}

interface ReasonSheetProps {
  readonly title: string
  readonly reasons: readonly SheetReason[]
  /** The key that opened it; pressing it again decides without a reason. */
  readonly plainKey: string
  readonly note: string
  readonly onNote: (note: string) => void
  readonly onChoose: (reason: string | undefined) => void
  readonly onClose: () => void
}

export function ReasonSheet({ title, reasons, plainKey, note, onNote, onChoose, onClose }: ReasonSheetProps) {
  const keys = keysOfReasons(reasons.map(({ code }) => code))
  useShortcuts(strings.reasons.group, [
    ...reasons.flatMap(({ code, label }, index) => {
      const key = keys[index]
      return key === undefined ? [] : [{ keys: key, label, run: () => onChoose(code) }]
    }),
    {
      keys: plainKey,
      label: strings.reasons.without,
      // Without this, holding the key that opened the sheet would also decide.
      run: ({ repeat }) => !repeat && onChoose(undefined),
    },
  ])
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': common.close }}
      transitionProps={{ duration: 0 }}
    >
      <Stack gap="xs">
        <ol className={styles.reasons}>
          {reasons.map(({ code, label }, index) => (
            <li key={code}>
              <Button
                variant="default"
                fullWidth
                justify="flex-start"
                className={styles.reason ?? ''}
                leftSection={
                  keys[index] === undefined ? <span className={styles.blank} /> : <kbd>{keys[index]}</kbd>
                }
                onClick={() => onChoose(code)}
                {...(index === 0 ? { 'data-autofocus': true } : {})}
              >
                {label}
              </Button>
            </li>
          ))}
        </ol>
        <Button
          variant="subtle"
          justify="flex-start"
          leftSection={<kbd>{plainKey}</kbd>}
          onClick={() => onChoose(undefined)}
        >
          {strings.reasons.without}
        </Button>
        <Textarea
          label={strings.note}
          rows={2}
          maxLength={2_000}
          value={note}
          onChange={(event) => onNote(event.currentTarget.value)}
        />
        <Text size="sm" c="dimmed">
          {strings.reasons.submitterReads}
        </Text>
      </Stack>
    </Modal>
  )
}
