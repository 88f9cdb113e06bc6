// Messages above the editor's map: a restored draft, a file being read or refused, an error while saving.
import { Button, CloseButton, Group, Modal, Progress, Stack, Text } from '@mantine/core'
import '@mantine/core/styles/Progress.css'
import { gpxLimits } from '../../../../src/shared/gpx/gpx.ts'
import { common } from '../../../strings/common.ts'
import { editorStrings as strings } from '../../../strings/route-editor.ts'
import { formatBytes, formatCount } from '../../../ui/format.ts'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import styles from './editor.module.css'
import type { useImport } from './use-import.ts'
import type { Save } from './use-save.ts'

type Import = ReturnType<typeof useImport>

export function ImportNotice({ percent, refusal, warnings, stop, dismiss }: Import) {
  if (percent !== undefined) {
    return (
      <div className={styles.notice} data-tone="info" role="status">
        <Text flex={1}>
          {strings.importing(percent)}
          <Progress value={percent} mt={6} aria-label={strings.importing(percent)} />
        </Text>
        <Button size="compact-md" variant="default" onClick={stop}>
          {strings.stopImport}
        </Button>
      </div>
    )
  }
  if (refusal !== undefined) {
    return (
      <div className={styles.notice} data-tone="bad" role="alert">
        <div>
          <strong>{strings.notGpx}</strong>
          <p>{refusal}</p>
        </div>
        <CloseButton aria-label={common.close} onClick={dismiss} />
      </div>
    )
  }
  if (warnings.length === 0) return null
  return (
    <div className={styles.notice} data-tone="info">
      <details>
        <summary>{strings.warnings(warnings.length)}</summary>
        <ul>
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      </details>
      <CloseButton aria-label={common.close} onClick={dismiss} />
    </div>
  )
}

interface SizeNoticeProps {
  /** Undefined if it is short enough. */
  readonly bytes: number | undefined
  readonly onSimplify: () => void
}

export function SizeNotice({ bytes, onSimplify }: SizeNoticeProps) {
  if (bytes === undefined) return null
  return (
    <div className={styles.notice} data-tone="bad" role="alert">
      <Text flex={1}>{strings.tooLarge(formatBytes(bytes), formatBytes(gpxLimits.maxBytes))}</Text>
      <Button size="compact-md" variant="default" onClick={onSimplify}>
        {strings.simplify}
      </Button>
    </div>
  )
}

export function LosingNotice({ count }: { readonly count: number }) {
  if (count === 0) return null
  return (
    <div className={styles.notice} data-tone="info" role="status">
      <Text flex={1}>{strings.losing(count, formatCount(count))}</Text>
    </div>
  )
}

export function SaveNotices({ saveState, save, keepMine, loadTheirs, dismiss }: Save) {
  return (
    <>
      {saveState.is === 'failed' && <ProblemNotice error={saveState.error} onRetry={save} />}
      <Modal
        opened={saveState.is === 'conflict'}
        onClose={dismiss}
        title={strings.conflictTitle}
        closeButtonProps={{ 'aria-label': common.close }}
      >
        <Stack>
          <Text>{strings.conflictDetail}</Text>
          <Group>
            <Button onClick={keepMine}>{strings.keepMine}</Button>
            <Button variant="default" onClick={loadTheirs}>
              {strings.loadTheirs}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}

interface DraftNoticeProps {
  readonly ago: string
  readonly onDiscard: () => void
  readonly onClose: () => void
}

export function DraftNotice({ ago, onDiscard, onClose }: DraftNoticeProps) {
  return (
    <div className={styles.notice} data-tone="info" role="status">
      <Text flex={1}>{strings.draftRestored(ago)}</Text>
      <Button size="compact-md" variant="default" onClick={onDiscard}>
        {strings.draftDiscard}
      </Button>
      <CloseButton aria-label={common.close} onClick={onClose} />
    </div>
  )
}
