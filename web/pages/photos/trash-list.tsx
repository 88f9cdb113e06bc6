// Photos deleted within the last 30 days: no longer visible to anyone, but they can be restored.
import { Button, Skeleton } from '@mantine/core'
import { ArchiveRestore } from 'lucide-react'
import { photoStrings } from '../../strings/photos.ts'
import { Empty } from '../../ui/notices/empty.tsx'
import { formatAgo } from '../../ui/format.ts'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { useOwnTrash, usePhotoChanges } from './photo-data.ts'
import { titleOf } from './photo-filters.ts'
import styles from './photos.module.css'

const { trash: strings } = photoStrings

export function TrashList() {
  const trash = useOwnTrash()
  const { restore } = usePhotoChanges()
  if (!trash.data)
    return trash.isError ? (
      <ProblemNotice error={trash.error} onRetry={() => void trash.refetch()} />
    ) : (
      <Skeleton height={160} data-skeleton />
    )
  if (trash.data.length === 0) return <Empty {...photoStrings.empty.trash} />
  return (
    <ul className={styles.trash} aria-label={photoStrings.tabs.trash}>
      {trash.data.map((item) => {
        const title = titleOf(item)
        return (
          <li key={item.imageID}>
            <div>
              <span className={styles.title}>{title}</span>
              <p className={styles.about}>
                {item.trailName} · {strings.deleted(formatAgo(item.deletedAt))}
                {item.deletedBy === null && ` ${strings.byStaff}`} · {strings.gone(formatAgo(item.goneAt))}
              </p>
            </div>
            <Button
              variant="default"
              leftSection={<ArchiveRestore size={16} aria-hidden />}
              aria-label={strings.restoreOf(title)}
              onClick={() => restore([item.imageID])}
            >
              {strings.restore}
            </Button>
          </li>
        )
      })}
    </ul>
  )
}
