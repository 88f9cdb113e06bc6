// The URLs of a trail: its page, one of its photos as a page, and the lightbox above either.
import { Link, Navigate, useParams } from '@tanstack/react-router'
import { isWaymarkProblem, type Trail } from '../../../client/client.ts'
import { galleryStrings } from '../../strings/gallery.ts'
import { Empty } from '../../ui/notices/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { PagePending } from '../../ui/notices/route-states.tsx'
import { PhotoPage } from './photo/photo-page.tsx'
import { TrailPage } from './trail/trail-page.tsx'
import { useGalleryAddress, useTrail } from './use-gallery.ts'
import { keepSearch, usePhotoView } from './use-open-photo.ts'

function ToOwnAddress({ trail: { slug } }: { readonly trail: Trail }) {
  const { imageId }: { readonly imageId?: string } = useParams({ strict: false })
  if (imageId === undefined) return <Navigate to="/t/$slug" params={{ slug }} search={keepSearch} replace />
  return <Navigate to="/t/$slug/$imageId" params={{ slug, imageId }} search={keepSearch} replace />
}

export function GalleryPage() {
  const { slug, openId: matched } = useGalleryAddress()
  const { openId, isViewer, isPage } = usePhotoView(matched)
  const { data: trail, error, refetch } = useTrail(slug)
  // The URL had the trail's ID: redirect to its canonical URL.
  if (trail && trail.slug !== slug) return <ToOwnAddress trail={trail} />
  if (trail && openId !== undefined && isPage)
    return <PhotoPage trail={trail} imageId={openId} isInViewer={isViewer} />
  if (trail) return <TrailPage key={trail.trailID} trail={trail} openId={openId} />
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
