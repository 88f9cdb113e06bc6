// The gallery of a trail: its line and photos on a map, all photos in a grid, and one of them large when its address is asked for.
import { Button } from '@mantine/core'
import { Link, Navigate, useParams } from '@tanstack/react-router'
import { Camera, Code, Map as MapIcon } from 'lucide-react'
import { lazy, Suspense, useCallback, useState } from 'react'
import { isWaymarkProblem, type Trail } from '../../../client/client.ts'
import { baseUrl } from '../../data/base.ts'
import { writeBox } from '../../map/box-text.ts'
import { galleryStrings } from '../../strings/gallery.ts'
import { CopyButton } from '../../ui/fields/copy-button.tsx'
import { Empty } from '../../ui/notices/empty.tsx'
import { formatCount, useFormat } from '../../ui/format.ts'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { PagePending } from '../../ui/notices/route-states.tsx'
import { WhenSeen } from '../../ui/when-seen.tsx'
import { useShortcuts } from '../../ui/keys/shortcuts.tsx'
import { GalleryFiltersBar } from './gallery-filters.tsx'
import { GalleryMap, placeOf } from './gallery-map.tsx'
import { Grid } from './grid.tsx'
import { GridPending, NoPhotos } from './no-photos.tsx'
import styles from './gallery.module.css'
import { useGalleryAddress, useListed, useMonths, useTrail } from './use-gallery.ts'
import { ordersOf, useOrdered } from './use-order.ts'
import { keepSearch, useOpenPhoto } from './use-open-photo.ts'

const Lightbox = lazy(async () => ({ default: (await import('./lightbox.tsx')).Lightbox }))
const MonthScrubber = lazy(async () => ({ default: (await import('./month-scrubber.tsx')).MonthScrubber }))
const EmbedDialog = lazy(async () => ({ default: (await import('./embed-dialog.tsx')).EmbedDialog }))

function Gallery({ trail }: { readonly trail: Trail }) {
  const { trailID, name, slug } = trail
  const { filters, box, isFiltered, isMapHidden, openId, change } = useGalleryAddress()
  const listed = useListed({ trailId: trailID, ...filters })
  const { hasNextPage, isFetching, error, isFetchNextPageError, fetchNextPage, refetch } = listed
  const { open, close, revealId } = useOpenPhoto(slug, openId)
  const [hoveredId, setHoveredId] = useState<number>()
  const [isEmbedding, setEmbedding] = useState(false)
  const format = useFormat()

  // What could not be read anew is as old as it was, and can be gone on from.
  const canLoad = hasNextPage && !isFetching && !isFetchNextPageError
  const more = useCallback(() => {
    if (canLoad) void fetchNextPage()
  }, [canLoad, fetchNextPage])
  const { order, from } = filters
  const images = useOrdered(trail, listed.images, { order, hasMore: canLoad, more })
  const hasUndatedOnly = images !== undefined && images.every(({ takenOn }) => takenOn === null)
  const { data: months } = useMonths(trailID, order === 'taken' || hasUndatedOnly)
  const isDated = !hasUndatedOnly || months?.length !== 0
  // Of a map without anything on it nobody would learn anything.
  const hasPlace = images !== undefined && placeOf(trail, images) !== undefined
  const count = isFiltered ? (images?.length ?? 0) : Math.max(trail.images, images?.length ?? 0)
  const length = trail.lengthMiles === null ? undefined : format.length(trail.lengthMiles)
  const counted = galleryStrings.photos(count, formatCount(count))
  const toggleMap = () => change({ map: isMapHidden ? undefined : 'off' })
  const mapLabel = isMapHidden ? galleryStrings.showMap : galleryStrings.hideMap
  useShortcuts(name, openId === undefined && hasPlace ? [{ keys: 'm', label: mapLabel, run: toggleMap }] : [])

  return (
    <Page
      title={name}
      lead={[length, isFiltered ? undefined : counted].filter((part) => part !== undefined).join(' · ')}
      width="full"
      actions={
        <>
          {hasPlace && (
            <Button
              variant="default"
              aria-pressed={!isMapHidden}
              leftSection={<MapIcon size={18} aria-hidden />}
              onClick={toggleMap}
            >
              {mapLabel}
            </Button>
          )}
          <CopyButton
            text={`${baseUrl}/t/${encodeURIComponent(slug)}`}
            label={galleryStrings.share}
            isAmongButtons
          />
          <Button
            variant="default"
            leftSection={<Code size={18} aria-hidden />}
            onClick={() => setEmbedding(true)}
          >
            {galleryStrings.embed}
          </Button>
          <Button
            leftSection={<Camera size={18} aria-hidden />}
            renderRoot={(props) => <Link to="/upload" search={{ trail: String(trailID) }} {...props} />}
          >
            {galleryStrings.addPhotos}
          </Button>
        </>
      }
    >
      {hasPlace && !isMapHidden && (
        <WhenSeen standIn={<div className={styles.map} />}>
          <GalleryMap
            trail={trail}
            images={images}
            hasMore={hasNextPage}
            box={box}
            hoveredId={hoveredId}
            onHover={setHoveredId}
            onOpen={(imageId) => open(imageId, { isStep: true })}
            onSearchHere={(bounds) => change({ bbox: writeBox(bounds) })}
          />
        </WhenSeen>
      )}
      {(isFiltered || count > 0) && (
        <GalleryFiltersBar
          filters={filters}
          orders={ordersOf(trail, isDated)}
          found={
            isFiltered && images ? galleryStrings.found(count, formatCount(count), hasNextPage) : undefined
          }
          onChange={change}
        />
      )}
      {order === 'taken' && months && months.length > 1 && (
        <div className={styles.months}>
          <Suspense>
            <MonthScrubber months={months} from={from} onChange={(month) => change({ from: month })} />
          </Suspense>
        </div>
      )}
      {error && images === undefined && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {images === undefined && !error && <GridPending />}
      {images?.length === 0 && (
        <NoPhotos
          trailId={trailID}
          isFiltered={isFiltered}
          onClear={() => change({ bbox: undefined, since: undefined, from: undefined })}
        />
      )}
      {images && images.length > 0 && (
        <Grid
          slug={slug}
          label={galleryStrings.photosOf(name)}
          images={images}
          total={isFiltered ? undefined : trail.images}
          hasMore={hasNextPage}
          onMore={more}
          pointedId={hoveredId}
          onHover={setHoveredId}
          revealId={revealId}
        />
      )}
      {images && isFetchNextPageError && <ProblemNotice error={error} onRetry={() => void fetchNextPage()} />}
      <Suspense>
        {openId !== undefined && (
          <Lightbox
            trail={trail}
            imageId={openId}
            images={images ?? []}
            total={count}
            hasMore={hasNextPage}
            onMore={more}
            onOpen={(imageId) => open(imageId, { isStep: false })}
            onClose={close}
          />
        )}
        {isEmbedding && <EmbedDialog trail={trail} onClose={() => setEmbedding(false)} />}
      </Suspense>
    </Page>
  )
}

function ToOwnAddress({ trail: { slug } }: { readonly trail: Trail }) {
  const { imageId }: { readonly imageId?: string } = useParams({ strict: false })
  if (imageId === undefined) return <Navigate to="/t/$slug" params={{ slug }} search={keepSearch} replace />
  return <Navigate to="/t/$slug/$imageId" params={{ slug, imageId }} search={keepSearch} replace />
}

export function GalleryPage() {
  const { slug } = useGalleryAddress()
  const { data: trail, error, refetch } = useTrail(slug)
  // It was named by its number: a trail has one address.
  if (trail && trail.slug !== slug) return <ToOwnAddress trail={trail} />
  if (trail) return <Gallery key={trail.trailID} trail={trail} />
  if (!error) return <PagePending />
  if (isWaymarkProblem(error) && error.status === 404) {
    return (
      <Page title={galleryStrings.missing} width="text">
        <Empty title={galleryStrings.missing} detail={galleryStrings.missingDetail}>
          <Link to="/">{galleryStrings.allTrails}</Link>
        </Empty>
      </Page>
    )
  }
  return (
    <Page title={galleryStrings.trail} width="text">
      <ProblemNotice error={error} onRetry={() => void refetch()} />
    </Page>
  )
}
