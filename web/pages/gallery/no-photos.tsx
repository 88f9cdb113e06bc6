// The placeholder of the photos: while they are loading, and if there are none.
import { Button, Skeleton, VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { galleryStrings } from '../../strings/gallery.ts'
import { Empty } from '../../ui/notices/empty.tsx'
import styles from './gallery.module.css'

export function GridPending() {
  return (
    <div className={styles.pending} role="status">
      <VisuallyHidden>{galleryStrings.loading}</VisuallyHidden>
      {Array.from({ length: 12 }, (_, at) => (
        <Skeleton key={at} height={200} width={180 + ((at * 67) % 140)} aria-hidden />
      ))}
    </div>
  )
}

interface NoPhotosProps {
  readonly trailId: number
  readonly slug: string
  readonly isFiltered: boolean
}

/** The sort order stays. */
const withoutFilters = (before: Record<string, unknown>) => ({
  ...before,
  bbox: undefined,
  since: undefined,
  from: undefined,
  taken: undefined,
  cursor: undefined,
})

export function NoPhotos({ trailId, slug, isFiltered }: NoPhotosProps) {
  if (isFiltered) {
    return (
      <Empty title={galleryStrings.noMatch} detail={galleryStrings.noMatchDetail}>
        <Button
          variant="default"
          renderRoot={(props) => (
            <Link to="/t/$slug" params={{ slug }} search={withoutFilters} resetScroll={false} {...props} />
          )}
        >
          {galleryStrings.clear}
        </Button>
      </Empty>
    )
  }
  return (
    <Empty title={galleryStrings.noPhotos} detail={galleryStrings.noPhotosDetail}>
      <Button renderRoot={(props) => <Link to="/upload" search={{ trail: String(trailId) }} {...props} />}>
        {galleryStrings.addPhotos}
      </Button>
    </Empty>
  )
}
