// The photos of a trail's page: filters, the scrubber over months, and the grid.
import { lazy, Suspense } from 'react'
import type { Image, TakenMonth, Trail } from '../../../../client/client.ts'
import { galleryStrings } from '../../../strings/gallery.ts'
import { formatCount } from '../../../ui/format.ts'
import { ListPlaces } from '../../../ui/list-places.tsx'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { GalleryFiltersBar } from '../gallery-filters.tsx'
import gallery from '../gallery.module.css'
import { ordersOf } from '../gallery-orders.ts'
import { Grid } from '../grid.tsx'
import { GridPending, NoPhotos } from '../no-photos.tsx'
import type { GalleryFilters } from '../use-gallery.ts'
import { usePointed, type Pointing } from './pointing.ts'
import { TakenFilter } from './taken-filter.tsx'
import styles from './trail.module.css'

const MonthScrubber = lazy(async () => ({ default: (await import('../month-scrubber.tsx')).MonthScrubber }))

interface TrailPhotosProps {
  readonly trail: Trail
  readonly filters: GalleryFilters
  readonly isFiltered: boolean
  readonly images: readonly Image[] | undefined
  readonly months: readonly TakenMonth[] | undefined
  readonly count: number
  readonly hasMore: boolean
  /** The cursor of the next photos. */
  readonly next: string | null
  readonly error: unknown
  /** Above the first photos, or below the loaded ones. */
  readonly onRetry: () => void
  readonly onMore: () => void
  readonly onChange: (next: Readonly<Record<string, string | undefined>>) => void
  readonly pointing: Pointing
  readonly onHover: (imageId: number | undefined) => void
  readonly revealId: number | undefined
}

export function TrailPhotos(props: TrailPhotosProps) {
  const { trail, filters, isFiltered, images, months, count, hasMore, error, pointing, onChange } = props
  const { trailID, name, slug } = trail
  const { order, from, taken } = filters
  const pointedId = usePointed(pointing, ({ imageId }) => imageId)
  const hasUndatedOnly = images !== undefined && images.every(({ takenOn }) => takenOn === null)
  const isDated = !hasUndatedOnly || months === undefined || months.length > 0
  const counted = galleryStrings.found(count, formatCount(count), hasMore)
  return (
    <section className={styles.section} aria-labelledby="trail-photos">
      <h2 id="trail-photos">{galleryStrings.photosTitle}</h2>
      {(isFiltered || count > 0) && (
        <GalleryFiltersBar
          slug={slug}
          filters={filters}
          orders={ordersOf(trail, isDated)}
          found={isFiltered && images ? counted : undefined}
          onChange={onChange}
        />
      )}
      {months && <TakenFilter slug={slug} months={months} taken={taken} />}
      {order === 'taken' && taken === undefined && months && months.length > 1 && (
        <div className={gallery.months}>
          <Suspense>
            <MonthScrubber months={months} from={from} onChange={(month) => onChange({ from: month })} />
          </Suspense>
        </div>
      )}
      {Boolean(error) && images === undefined && <ProblemNotice error={error} onRetry={props.onRetry} />}
      {images === undefined && !error && <GridPending />}
      {images?.length === 0 && <NoPhotos trailId={trailID} slug={slug} isFiltered={isFiltered} />}
      {images && images.length > 0 && (
        <Grid
          slug={slug}
          label={galleryStrings.photosOf(name)}
          images={images}
          total={isFiltered || filters.cursor !== undefined ? undefined : trail.images}
          hasMore={hasMore}
          onMore={props.onMore}
          pointedId={pointedId}
          onHover={props.onHover}
          revealId={props.revealId}
        />
      )}
      {images && (
        <ListPlaces
          next={props.next}
          more={galleryStrings.more}
          isFurther={filters.cursor !== undefined}
          toFirst={galleryStrings.toFirst}
        />
      )}
      {images && Boolean(error) && <ProblemNotice error={error} onRetry={props.onRetry} />}
    </section>
  )
}
