// Beside the photo: who has claimed it, the buttons, and everything needed for a decision.
import { Skeleton, Stack, Textarea } from '@mantine/core'
import { useEffect, useRef, type KeyboardEvent } from 'react'
import { isWaymarkProblem } from '../../../../client/client.ts'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { Empty } from '../../../ui/notices/empty.tsx'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { FlagsPart, ReportsPart, SubmitterPart } from './context-parts.tsx'
import { DecisionBar } from '../decisions/decision-bar.tsx'
import { useDesk } from '../desk/desk-context.tsx'
import { FactsPart } from './facts-part.tsx'
import { HistoryPart } from './history-part.tsx'
import { ClaimNotice, ElsewhereNotice } from '../desk/notices.tsx'
import styles from './panel.module.css'
import { PlacePart } from './place-part.tsx'
import { changeReviewSession } from '../decisions/review-session-store.ts'
import { draft } from '../decisions/review-session.ts'
import { WordsPart } from './words-part.tsx'

/** The server's limit. */
const maxCharacters = 2_000

function NoteField({ imageId }: { readonly imageId: number }) {
  const { noteField, reviewSession } = useDesk()
  const leave = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === 'Escape') event.currentTarget.blur()
  }
  return (
    <Textarea
      ref={noteField}
      label={strings.note}
      description={strings.noteHint}
      rows={2}
      maxLength={maxCharacters}
      value={reviewSession.drafts.get(imageId) ?? ''}
      onChange={({ currentTarget: { value } }) =>
        changeReviewSession((before) => draft(before, imageId, value))
      }
      onKeyDown={leave}
    />
  )
}

/** Each photo starts scrolled to the top, where its flags are. */
function useFromTop(at: number | undefined) {
  const place = useRef<HTMLElement>(null)
  useEffect(() => {
    if (at === undefined) return
    if (place.current) place.current.scrollTop = 0
    window.scrollTo({ top: 0 })
  }, [at])
  return place
}

export function Panel() {
  const { photo, view } = useDesk()
  const place = useFromTop(view.at)
  const { item, error, isLoading } = photo
  if (!item) {
    const isMissing = isWaymarkProblem(error) && error.status === 404
    return (
      <section ref={place} className={styles.panel} aria-label={strings.desk}>
        {isLoading && <Skeleton height={200} />}
        {isMissing && <Empty title={strings.elsewhere.missing} detail={strings.elsewhere.missingDetail} />}
        {error !== null && !isMissing && <ProblemNotice error={error} />}
      </section>
    )
  }
  return (
    <section ref={place} className={styles.panel} aria-label={strings.desk}>
      <div className={styles.head}>
        <DecisionBar />
        <ClaimNotice />
        <ElsewhereNotice />
      </div>
      <Stack gap="md">
        <WordsPart key={item.imageID} item={item} />
        <ReportsPart item={item} />
        <FlagsPart item={item} />
        <SubmitterPart item={item} />
        <NoteField imageId={item.imageID} />
        <PlacePart key={`place-${item.imageID}`} item={item} />
        <FactsPart item={item} />
        <HistoryPart imageId={item.imageID} />
      </Stack>
    </section>
  )
}
