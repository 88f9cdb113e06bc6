// The review buttons, each with its key; on a phone they are a bar at the bottom, within reach of a thumb.
import { ActionIcon, Button } from '@mantine/core'
import { Check, ListRestart, SkipForward, Undo2, X } from 'lucide-react'
import { reviewStrings as strings } from '../../../strings/review.ts'
import styles from './decision-bar.module.css'
import { useDesk } from '../desk/desk-context.tsx'
import { canDecide, noOf, yesOf } from './decisions-here.ts'
import { hasReports, useActs } from './use-acts.ts'
import type { DeskItem } from './review-session.ts'

/** A clicked button does not keep the focus: Space then selects the photo instead of deciding on the next one. */
const keepFocus = { onMouseDown: (event: { preventDefault: () => void }) => event.preventDefault() }

function yesLabel(item: DeskItem): string {
  const decision = yesOf(item)
  if (decision === undefined) return strings.actions.keep
  if (decision === 'restore') return strings.actions.restore
  return item.edited ? strings.actions.approveEdit : strings.actions.approve
}

export function DecisionBar() {
  const { photo, reviewSession } = useDesk()
  const acts = useActs()
  const { item } = photo
  const no = item && noOf(item)
  const hasYes = item !== undefined && (yesOf(item) !== undefined || hasReports(item))
  return (
    <div className={styles.bar} data-page-foot role="group" aria-label={strings.keys}>
      {hasYes && (
        <Button
          className={styles.yes ?? ''}
          size="md"
          leftSection={<Check size={20} aria-hidden />}
          rightSection={<kbd>a</kbd>}
          onClick={acts.yes}
          {...keepFocus}
        >
          {yesLabel(item)}
        </Button>
      )}
      {no !== undefined && (
        <Button
          className={styles.no ?? ''}
          size="md"
          variant="light"
          color="red"
          leftSection={<X size={20} aria-hidden />}
          rightSection={<kbd>{no === 'reject' ? 'r' : 'x'}</kbd>}
          onClick={acts.no}
          {...keepFocus}
        >
          {strings.actions[no]}
        </Button>
      )}
      {item && canDecide(item, 'reopen') && (
        <Button
          className={styles.more ?? ''}
          variant="default"
          leftSection={<ListRestart size={18} aria-hidden />}
          rightSection={<kbd>o</kbd>}
          onClick={acts.reopen}
          {...keepFocus}
        >
          <span className={styles.word}>{strings.actions.reopen}</span>
        </Button>
      )}
      {item?.queue && (
        <Button
          className={styles.skip ?? ''}
          variant="default"
          leftSection={<SkipForward size={18} aria-hidden />}
          rightSection={<kbd>s</kbd>}
          onClick={acts.skip}
          {...keepFocus}
        >
          <span className={styles.word}>{strings.actions.skip}</span>
        </Button>
      )}
      <ActionIcon
        className={styles.undo ?? ''}
        variant="default"
        size={42}
        aria-label={strings.actions.undo}
        disabled={reviewSession.entries.length === 0}
        onClick={acts.undo}
        {...keepFocus}
      >
        <Undo2 size={20} aria-hidden />
      </ActionIcon>
    </div>
  )
}
