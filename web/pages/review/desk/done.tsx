// The empty queue: thanks, and what was done in this session.
import { Button } from '@mantine/core'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { Empty } from '../../../ui/notices/empty.tsx'
import { useDesk } from './desk-context.tsx'
import { countDecided, type ReviewSession } from '../decisions/review-session.ts'
import { locale } from '../../../strings/language.ts'

const list = new Intl.ListFormat(locale, { type: 'conjunction' })

/** `12 approved and 2 rejected`; empty if nothing was decided. */
function reportReviewSession(reviewSession: ReviewSession): string {
  const counts = countDecided(reviewSession)
  const { counts: tell } = strings.empty
  return list.format(
    (['approve', 'reject', 'remove', 'restore', 'reopen'] as const).flatMap((decision) => {
      const count = counts[decision]
      return count === undefined ? [] : [tell[decision](count)]
    }),
  )
}

export function Done() {
  const { reviewSession, view, choose, decisions } = useDesk()
  const report = reportReviewSession(reviewSession)
  const isFiltered = view.show !== 'all' || view.trailId !== undefined || view.submitterId !== undefined
  const undo = reviewSession.entries.length > 0 && (
    <Button variant="default" rightSection={<kbd>u</kbd>} onClick={() => decisions.undo()}>
      {strings.actions.undo}
    </Button>
  )
  if (isFiltered) {
    return (
      <Empty
        title={strings.empty.filteredTitle}
        detail={view.show === 'sitting' ? strings.empty.sitting : strings.empty.filtered}
      >
        <Button onClick={() => choose({ show: 'all', trailId: null, submitterId: null })}>
          {strings.empty.clear}
        </Button>
        {undo}
      </Empty>
    )
  }
  return (
    <Empty
      title={strings.empty.title}
      detail={report === '' ? strings.empty.first : strings.empty.after(report)}
    >
      <Button variant="default" onClick={() => choose({ show: report === '' ? 'approved' : 'sitting' })}>
        {strings.empty.decided}
      </Button>
      {undo}
    </Empty>
  )
}
