// Why a photo is rejected or removed: the reasons of the site, each with its number, or none.
import { Button, Modal, Stack, Text, Textarea } from '@mantine/core'
import { reviewStrings as words } from '../../../strings/review.ts'
import { common } from '../../../strings/common.ts'
import { useShortcuts } from '../../../ui/keys/shortcuts.tsx'
import styles from './dialogs.module.css'

export interface SheetReason {
  readonly code: string
  readonly label: string
}

interface ReasonSheetProps {
  readonly title: string
  readonly reasons: readonly SheetReason[]
  /** The key that opened it: pressed again, it decides without a reason. */
  readonly plainKey: string
  readonly note: string
  readonly onNote: (note: string) => void
  readonly onChoose: (reason: string | undefined) => void
  readonly onClose: () => void
}

/** Keys 1 to 9; the reasons after these are chosen by hand. */
const numbered = 9

export function ReasonSheet({ title, reasons, plainKey, note, onNote, onChoose, onClose }: ReasonSheetProps) {
  useShortcuts(words.reasons.group, [
    ...reasons.slice(0, numbered).map(({ code, label }, index) => ({
      keys: String(index + 1),
      label,
      run: () => onChoose(code),
    })),
    {
      keys: plainKey,
      label: words.reasons.without,
      // Held, the key that opened the sheet would decide as well.
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
                leftSection={index < numbered ? <kbd>{index + 1}</kbd> : <span className={styles.blank} />}
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
          {words.reasons.without}
        </Button>
        <Textarea
          label={words.note}
          rows={2}
          maxLength={2_000}
          value={note}
          onChange={(event) => onNote(event.currentTarget.value)}
        />
        <Text size="sm" c="dimmed">
          {words.reasons.submitterReads}
        </Text>
      </Stack>
    </Modal>
  )
}
