// The review page: the queue of pending photos, one large photo, and everything needed to decide on it.
import { Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { keys } from '../../data/keys.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { reviewStrings as strings } from '../../strings/review.ts'
import { formatCount } from '../../ui/format.ts'
import { Gate } from '../../ui/frame/gate.tsx'
import { useTitle } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { BulkBar, BulkReport } from './decisions/bulk-bar.tsx'
import { DeskProvider, useDesk } from './desk/desk-context.tsx'
import styles from './desk/desk.module.css'
import { Dialogs } from './decisions/dialogs.tsx'
import { Done } from './desk/done.tsx'
import { Filters, LimitNotice } from './desk/filters.tsx'
import { listTotal } from './desk/list-total.ts'
import { Panel } from './panel/panel.tsx'
import { Stage } from './photo/stage.tsx'
import { Strip } from './desk/strip.tsx'
import { useDeskKeys } from './desk/use-desk-keys.ts'

function Pending() {
  return (
    <div className={styles.work} aria-busy="true">
      <div className={styles.middle}>
        <Skeleton className={styles.blank ?? ''} />
        <Skeleton height={72} />
      </div>
      <Skeleton className={styles.blank ?? ''} />
    </div>
  )
}

function Work() {
  const { list, photo, view } = useDesk()
  if (list.error) return <ProblemNotice error={list.error} onRetry={list.refetch} />
  if (list.isLoading && !photo.item) return <Pending />
  if (view.at === undefined && list.shown.length === 0) return <Done />
  return (
    <div className={styles.work}>
      <div className={styles.middle}>
        <Stage />
        <BulkReport />
        <BulkBar />
        <Strip />
      </div>
      <Panel />
    </div>
  )
}

function DeskPage() {
  const { list, index, view } = useDesk()
  useTitle(strings.title)
  useDeskKeys()
  const waymark = useWaymark()
  const { data: counts } = useQuery({ queryKey: keys.queueSummary, queryFn: () => waymark.review.summary() })
  const total = listTotal(view, list, counts)
  const of = total === undefined ? `${formatCount(list.shown.length)}+` : formatCount(total)
  return (
    <div className={styles.desk}>
      <div className={styles.top}>
        <Title order={1} size="h3">
          {strings.title}
        </Title>
        {index !== -1 && (
          <Text size="sm" c="dimmed" className={styles.number ?? ''}>
            {strings.position(index + 1, of)}
          </Text>
        )}
        <Filters />
      </div>
      <LimitNotice />
      <Work />
      <Dialogs />
    </div>
  )
}

export function ReviewPage() {
  return (
    <Gate title={strings.title} who="staff">
      <DeskProvider>
        <DeskPage />
      </DeskProvider>
    </Gate>
  )
}
