// One photo by ID: a public one is shown in its gallery; any other is shown here to its submitter and staff, with its
// status.
import { Badge, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useParams } from '@tanstack/react-router'
import { isWaymarkProblem, type Image } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { isStaff, useViewer } from '../../data/site.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { galleryStrings } from '../../strings/gallery.ts'
import { Empty } from '../../ui/notices/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { PagePending } from '../../ui/notices/route-states.tsx'
import styles from './image-page.module.css'
import { PhotoFacts } from './photo-facts.tsx'
import { altOf, largeSourcesOf } from './sources.ts'

const colours = { pending: 'blue', approved: 'forest', rejected: 'red', removed: 'red' } as const

function UnlistedPhoto({ image, slug }: { readonly image: Image; readonly slug: string }) {
  const viewer = useViewer()
  const { imageID, status, title, urls, width, height } = image
  return (
    <Page
      title={title || galleryStrings.untitled}
      lead={
        <>
          <Badge variant="light" color={colours[status]}>
            {galleryStrings.state[status]}
          </Badge>{' '}
          {galleryStrings.stateDetail[status]}
        </>
      }
      actions={
        <>
          {viewer?.acctID === image.submitterID && (
            <Button variant="default" renderRoot={(props) => <Link to="/photos" {...props} />}>
              {galleryStrings.toPhotos}
            </Button>
          )}
          {isStaff(viewer) && (
            <Button
              renderRoot={(props) => (
                <Link to="/review/$imageId" params={{ imageId: String(imageID) }} {...props} />
              )}
            >
              {galleryStrings.toReview}
            </Button>
          )}
        </>
      }
    >
      <div className={styles.both}>
        <img
          className={styles.photo}
          src={urls[640]}
          srcSet={largeSourcesOf(image)}
          sizes="(min-width: 60rem) 52rem, 95vw"
          width={width}
          height={height}
          alt={altOf(image)}
        />
        <PhotoFacts image={image} slug={slug} />
      </div>
    </Page>
  )
}

export function ImagePage() {
  const { imageId = '' }: { readonly imageId?: string } = useParams({ strict: false })
  const id = /^\d{1,16}$/.test(imageId) ? Number(imageId) : NaN
  const waymark = useWaymark()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [...keys.image(id), 'with trail'],
    enabled: Number.isSafeInteger(id),
    queryFn: async ({ signal }) => {
      const image = await waymark.images.get(id, { signal })
      const { slug } = await waymark.trails.get(image.trailID, { signal })
      return { image, slug }
    },
  })
  const isListed = data?.image.status === 'approved'
  // Cached data may be outdated, and the gallery would send the user back here.
  if (isListed && isFetching) return <PagePending />
  if (isListed)
    return <Navigate to="/t/$slug/$imageId" params={{ slug: data.slug, imageId: String(id) }} replace />
  if (data) return <UnlistedPhoto {...data} />
  const isMissing = !Number.isSafeInteger(id) || (isWaymarkProblem(error) && error.status === 404)
  if (isMissing) {
    return (
      <Page title={galleryStrings.notFound} width="text">
        <Empty title={galleryStrings.notFound} detail={galleryStrings.notFoundDetail}>
          <Link to="/">{galleryStrings.allTrails}</Link>
        </Empty>
      </Page>
    )
  }
  if (!error) return <PagePending />
  return (
    <Page title={galleryStrings.photo} width="text">
      <ProblemNotice error={error} onRetry={() => void refetch()} />
    </Page>
  )
}
