// The open dialog of the review page, if any.
import type { Decision } from '../../../../client/client.ts'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { Compare } from '../photo/compare.tsx'
import { useDesk } from '../desk/desk-context.tsx'
import { DismissSheet } from './dismiss-sheet.tsx'
import { ReasonSheet } from './reason-sheet.tsx'
import { changeReviewSession } from './review-session-store.ts'
import { draft, type DeskItem } from './review-session.ts'

/** The key of its note among those of photos, none of which has this ID. */
const ofSelection = 0

function useReasonsFor(decision: Decision) {
  return useDesk().reasons.filter(({ decisions }) => decisions.includes(decision))
}

function DecideSheet({
  item,
  decision,
}: {
  readonly item: DeskItem
  readonly decision: 'reject' | 'remove'
}) {
  const { reviewSession, setDialog, decisions, photo } = useDesk()
  return (
    <ReasonSheet
      title={strings.reasons.title[decision]}
      reasons={useReasonsFor(decision)}
      plainKey={decision === 'reject' ? 'r' : 'x'}
      note={reviewSession.drafts.get(item.imageID) ?? ''}
      onNote={(note) => changeReviewSession((before) => draft(before, item.imageID, note))}
      onClose={() => setDialog(undefined)}
      onChoose={(reason) => {
        setDialog(undefined)
        decisions.decide(item, decision, { reason, etag: photo.etag })
      }}
    />
  )
}

/** Pending photos are rejected and published ones unpublished, for the same reason. */
function SelectionSheet() {
  const { reviewSession, setDialog, bulk } = useDesk()
  const note = reviewSession.drafts.get(ofSelection) ?? ''
  return (
    <ReasonSheet
      title={strings.reasons.titleMany(reviewSession.selected.size)}
      reasons={useReasonsFor('reject')}
      plainKey="r"
      note={note}
      onNote={(typed) => changeReviewSession((before) => draft(before, ofSelection, typed))}
      onClose={() => setDialog(undefined)}
      onChoose={(reason) => {
        setDialog(undefined)
        const requests = [
          { decision: 'remove', reason, note },
          { decision: 'reject', reason, note },
        ] as const
        const decide = async (): Promise<void> => {
          const isDone = await bulk.decideSelected(requests)
          if (isDone) changeReviewSession((before) => draft(before, ofSelection, ''))
        }
        void decide()
      }}
    />
  )
}

export function Dialogs() {
  const { dialog, photo } = useDesk()
  const { item } = photo
  if (dialog === 'reject-selected') return <SelectionSheet />
  if (!item || dialog === undefined) return null
  switch (dialog) {
    case 'reject':
    case 'remove':
      return <DecideSheet item={item} decision={dialog} />
    case 'dismiss':
      return <DismissSheet item={item} />
    case 'compare':
      return <Compare item={item} />
  }
}
