// A trail's page: header, text, elevations, map and photos, with shared hovering.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Camera } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import type { Image, Trail } from '../../../../client/client.ts'
import { baseUrl } from '../../../data/base.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { writeBox } from '../../../map/box-text.ts'
import { galleryStrings } from '../../../strings/gallery.ts'
import { useShortcuts } from '../../../ui/keys/shortcuts.tsx'
import { Page } from '../../../ui/page.tsx'
import { placeOf } from '../gallery-map.tsx'
import { useGalleryAddress, useListed, useMonths } from '../use-gallery.ts'
import { useOpenPhoto } from '../use-open-photo.ts'
import { NearRoutes } from './near-routes.tsx'
import { nothingPointed, usePointing } from './pointing.ts'
import { Profile } from './profile.tsx'
import { useProfilePhotos } from './profile-photos.ts'
import { profileOf } from './trail-data.ts'
import { TrailHead } from './trail-head.tsx'
import { TrailMap } from './trail-map.tsx'
import { TrailPhotos } from './trail-photos.tsx'
import styles from './trail.module.css'

const Lightbox = lazy(async () => ({ default: (await import('../lightbox.tsx')).Lightbox }))
const EmbedDialog = lazy(async () => ({ default: (await import('../embed-dialog.tsx')).EmbedDialog }))
const Description = lazy(async () => ({ default: (await import('./description.tsx')).Description }))

const none: readonly Image[] = []

/** Elevations of the line; not requested for a trail without one. */
function useProfile({ trailID, geometry }: Trail) {
  const waymark = useWaymark()
  const { data } = useQuery({ ...profileOf(waymark, trailID), enabled: geometry !== null })
  return data ?? { points: [], ascent: null, descent: null }
}

/** A photo hovered in the gallery or on the map, with its position along the line. */
function usePointAtPhotos(images: readonly Image[]) {
  const pointing = usePointing()
  const latest = useRef(images)
  useEffect(() => {
    latest.current = images
  })
  const onHover = useCallback(
    (imageId: number | undefined) => {
      const image = latest.current.find(({ imageID }) => imageID === imageId)
      pointing.point(image ? { imageId, miles: image.milesAlong ?? undefined } : nothingPointed)
    },
    [pointing],
  )
  return { pointing, onHover }
}

interface TrailPageProps {
  readonly trail: Trail
  /** A photo in the lightbox, above the page. */
  readonly openId: number | undefined
}

export function TrailPage({ trail, openId }: TrailPageProps) {
  const { trailID, name, slug, description } = trail
  const { filters, box, isFiltered, isMapHidden, change } = useGalleryAddress()
  const listed = useListed({ trailId: trailID, ...filters })
  const { images, hasNextPage, isFetching, error, isFetchNextPageError, fetchNextPage, refetch } = listed
  const { open, close, revealId } = useOpenPhoto(slug, openId)
  const { data: months } = useMonths(trailID)
  const profile = useProfile(trail)
  // A filter also applies to the photos of the profile.
  const hasOthers = trail.geometry !== null && !isFiltered && (hasNextPage || filters.cursor !== undefined)
  const photos = useProfilePhotos(trailID, images ?? none, hasOthers)
  const { pointing, onHover } = usePointAtPhotos(images ?? none)
  const [isEmbedding, setEmbedding] = useState(false)

  // If fetching again fails, the old data is still usable.
  const canLoad = hasNextPage && !isFetching && !isFetchNextPageError
  const more = useCallback(() => {
    if (canLoad) void fetchNextPage()
  }, [canLoad, fetchNextPage])
  // An empty map would show nothing useful.
  const hasPlace = images !== undefined && placeOf(trail, images) !== undefined
  const count = isFiltered ? (images?.length ?? 0) : Math.max(trail.images, images?.length ?? 0)
  const toggleMap = () => change({ map: isMapHidden ? undefined : 'off' })
  const mapLabel = isMapHidden ? galleryStrings.showMap : galleryStrings.hideMap
  useShortcuts(name, openId === undefined && hasPlace ? [{ keys: 'm', label: mapLabel, run: toggleMap }] : [])
  const openInViewer = (imageId: number) => open(imageId, { isStep: true })

  return (
    <Page
      title={name}
      width="full"
      actions={
        <Button
          leftSection={<Camera size={18} aria-hidden />}
          renderRoot={(props) => <Link to="/upload" search={{ trail: String(trailID) }} {...props} />}
        >
          {galleryStrings.addPhotos}
        </Button>
      }
    >
      <TrailHead trail={trail} images={images ?? none} onEmbed={() => setEmbedding(true)} />
      {description !== '' && (
        <Suspense>
          <Description text={description} />
        </Suspense>
      )}
      <Profile trail={trail} {...profile} photos={photos} pointing={pointing} onOpen={openInViewer} />
      {hasPlace && (
        <TrailMap
          trail={trail}
          images={images}
          hasMore={hasNextPage}
          box={box}
          isHidden={isMapHidden}
          pointing={pointing}
          onHover={onHover}
          onToggle={toggleMap}
          onOpen={openInViewer}
          onSearchHere={(bounds) => change({ bbox: writeBox(bounds) })}
        />
      )}
      <TrailPhotos
        {...{ trail, filters, isFiltered, images, months, count, pointing, onHover, revealId }}
        hasMore={hasNextPage}
        next={listed.data?.pages.at(-1)?.next ?? null}
        error={error}
        onRetry={() => void (images && isFetchNextPageError ? fetchNextPage() : refetch())}
        onMore={more}
        onChange={change}
      />
      <NearRoutes trail={trail} />
      <p className={styles.address}>{`${baseUrl}/t/${encodeURIComponent(slug)}`}</p>
      <Suspense>
        {openId !== undefined && (
          <Lightbox
            trail={trail}
            imageId={openId}
            images={images ?? none}
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
