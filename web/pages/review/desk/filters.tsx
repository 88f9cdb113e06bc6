// The filters of the list: pending photos by kind, decided photos, one trail, or one submitter.
import { Button, CloseButton, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { keys } from '../../../data/keys.ts'
import { useViewer } from '../../../data/site.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { reviewStrings as strings } from '../../../strings/review.ts'
import { formatCount } from '../../../ui/format.ts'
import { TrailCombobox } from '../../../ui/fields/trail-combobox.tsx'
import { useDesk } from './desk-context.tsx'
import { decidedViews, waitingViews, type DeskViewName } from './desk-view.ts'
import styles from './desk.module.css'
import { decidedPhotos } from '../decisions/review-session.ts'

function ViewButton({ show, count }: { readonly show: DeskViewName; readonly count?: number | undefined }) {
  const { view, choose } = useDesk()
  return (
    <button
      type="button"
      className={styles.view}
      aria-pressed={view.show === show}
      data-view={show}
      onClick={() => choose({ show })}
    >
      {strings.views[show]}
      {count !== undefined && <span className={styles.count}>{formatCount(count)}</span>}
    </button>
  )
}

function Views() {
  const waymark = useWaymark()
  const { reviewSession } = useDesk()
  const { data } = useQuery({ queryKey: keys.queueSummary, queryFn: () => waymark.review.summary() })
  return (
    <div className={styles.views} role="group" aria-label={strings.lists}>
      {waitingViews.map((show) => (
        <ViewButton key={show} show={show} count={show === 'all' ? undefined : data?.[show]} />
      ))}
      <span className={styles.divider} aria-hidden />
      {decidedViews.map((show) => (
        <ViewButton key={show} show={show} />
      ))}
      <ViewButton show="sitting" count={decidedPhotos(reviewSession).length} />
    </div>
  )
}

function TrailFilter() {
  const waymark = useWaymark()
  const { view, choose } = useDesk()
  const viewer = useViewer()
  const { trailId } = view
  const { data: chosen } = useQuery({
    queryKey: [...keys.trails, 'one', trailId ?? 0],
    queryFn: () => waymark.trails.get(trailId ?? 0),
    enabled: trailId !== undefined,
    staleTime: 300_000,
  })
  return (
    <Group gap="xs">
      <TrailCombobox
        className={styles.trail ?? ''}
        ariaLabel={strings.filters.trail}
        placeholder={strings.filters.anyTrail}
        trail={trailId === undefined ? undefined : chosen}
        onChange={(trail) => choose({ trailId: trail?.trailID ?? null })}
        // Reviewers of certain trails can choose only among these.
        among={viewer?.trails ?? null}
      />
      {trailId !== undefined && (
        <CloseButton aria-label={strings.filters.anyTrail} onClick={() => choose({ trailId: null })} />
      )}
    </Group>
  )
}

export function Filters() {
  const { view, choose, list, photo } = useDesk()
  const { submitterId } = view
  const known = [...list.shown, ...(photo.item ? [photo.item] : [])]
  const submitter = known.find(({ submitterID }) => submitterID === submitterId)
  return (
    <Group gap="sm" className={styles.filters ?? ''}>
      <Views />
      <TrailFilter />
      {submitterId !== undefined && (
        <Button
          variant="light"
          size="compact-sm"
          rightSection={<X size={16} aria-hidden />}
          title={strings.filters.clear}
          onClick={() => choose({ submitterId: null })}
        >
          {strings.filters.submitter(submitter?.displayName ?? String(submitterId))}
        </Button>
      )}
    </Group>
  )
}

/** Tells reviewers that they see only certain trails, or a short list would look like a quiet day. */
export function LimitNotice() {
  const viewer = useViewer()
  if (!viewer?.trails) return null
  return (
    <Text size="sm" c="dimmed">
      {strings.filters.limited}
    </Text>
  )
}
