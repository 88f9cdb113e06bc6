// The page of one photo, for visitors who open its URL: the photo, its details, its neighbours and its location.
import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useNavigate } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { isWaymarkProblem, type Image, type Trail } from '../../../../client/client.ts'
import { baseUrl } from '../../../data/base.ts'
import { keys } from '../../../data/keys.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { galleryStrings } from '../../../strings/gallery.ts'
import { useShortcuts } from '../../../ui/keys/shortcuts.tsx'
import { Empty } from '../../../ui/notices/empty.tsx'
import { useIsInBrowser } from '../../../ui/in-browser.ts'
import { Page, useTitle } from '../../../ui/page.tsx'
import { ProblemNotice } from '../../../ui/notices/problem-notice.tsx'
import { PagePending } from '../../../ui/notices/route-states.tsx'
import { PhotoFacts } from '../photo-facts.tsx'
import { altOf, heroSourcesOf, largeSourcesOf } from '../sources.ts'
import { keepSearch, viewerOverPhoto } from '../use-open-photo.ts'
import { Neighbours } from './neighbours.tsx'
import { PhotoPlace } from './photo-place.tsx'
import { PhotoTools } from './photo-tools.tsx'
import { useNeighbours } from './use-neighbours.ts'
import styles from './photo.module.css'

const Lightbox = lazy(async () => ({ default: (await import('../lightbox.tsx')).Lightbox }))
const ReportDialog = lazy(async () => ({ default: (await import('../report-dialog.tsx')).ReportDialog }))
const EmbedDialog = lazy(async () => ({ default: (await import('../embed-dialog.tsx')).EmbedDialog }))

interface PhotoPageProps {
  readonly trail: Trail
  /** NaN if the URL has no number. */
  readonly imageId: number
  /** In the lightbox, above the page. */
  readonly isInViewer: boolean
}

function BackToTrail({ trail: { slug, name } }: { readonly trail: Trail }) {
  return (
    <Link to="/t/$slug" params={{ slug }} search={keepSearch} className={styles.back ?? ''}>
      <ArrowLeft size={16} aria-hidden />
      <span>{galleryStrings.toTrail(name)}</span>
    </Link>
  )
}

export function PhotoPage({ trail, imageId, isInViewer }: PhotoPageProps) {
  const waymark = useWaymark()
  const isNumber = Number.isSafeInteger(imageId)
  const query = useQuery({
    queryKey: keys.image(imageId),
    queryFn: ({ signal }) => waymark.images.get(imageId, { signal }),
    enabled: isNumber,
  })
  const { data: image, error, isFetching, refetch } = query
  if (!isNumber || (isWaymarkProblem(error) && error.status === 404)) return <PhotoMissing trail={trail} />
  if (image === undefined) {
    if (!error) return <PagePending />
    return (
      <Page title={galleryStrings.photo} width="text">
        <ProblemNotice error={error} onRetry={() => void refetch()} />
      </Page>
    )
  }
  // Only by fresh data: two pages that each redirect by cached data would redirect in a circle.
  const isElsewhere = image.trailID !== trail.trailID || image.status !== 'approved'
  if (isElsewhere && isFetching) return <PagePending />
  if (isElsewhere) return <Navigate to="/i/$imageId" params={{ imageId: String(imageId) }} replace />
  return <Photo trail={trail} image={image} isInViewer={isInViewer} />
}

function PhotoMissing({ trail }: { readonly trail: Trail }) {
  return (
    <Page title={galleryStrings.notFound} width="text">
      <Empty title={galleryStrings.notFound} detail={galleryStrings.notFoundDetail}>
        <BackToTrail trail={trail} />
      </Empty>
    </Page>
  )
}

/** Escape closes only what is above the page. */
const isInDialog = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest('[aria-modal=true]') !== null

interface PhotoProps {
  readonly trail: Trail
  readonly image: Image
  readonly isInViewer: boolean
}

function Photo({ trail, image, isInViewer }: PhotoProps) {
  const { slug, name } = trail
  const { imageID, urls, width, height } = image
  const navigate = useNavigate()
  const list = useNeighbours(trail, imageID)
  const isInBrowser = useIsInBrowser()
  const [dialog, setDialog] = useState<'report' | 'embed'>()
  const download = useRef<HTMLAnchorElement>(null)
  const title = image.title || galleryStrings.untitledOf(name)
  useTitle(image.title === '' ? title : `${title} · ${name}`)

  const to = (id: number, state: typeof viewerOverPhoto | Record<string, never> = {}, isStep = true): void =>
    void navigate({
      to: '/t/$slug/$imageId',
      params: { slug, imageId: String(id) },
      search: keepSearch,
      state,
      replace: !isStep,
      resetScroll: false,
    })
  const toTrail = (): void => void navigate({ to: '/t/$slug', params: { slug }, search: keepSearch })
  const enlarge = (): void => to(imageID, viewerOverPhoto)
  const go = (id: number | undefined) => (): void => {
    if (id !== undefined) to(id)
  }
  const shortcuts = [
    {
      keys: 'Escape',
      label: galleryStrings.toTrail(name),
      run: (event: KeyboardEvent) => !isInDialog(event) && toTrail(),
    },
    { keys: 'ArrowLeft', label: galleryStrings.previous, run: go(list.previous) },
    { keys: 'ArrowRight', label: galleryStrings.next, run: go(list.next) },
    { keys: 'z', label: galleryStrings.fullScreen, run: enlarge },
    { keys: 'd', label: galleryStrings.download, run: () => download.current?.click() },
    { keys: 'r', label: galleryStrings.report, run: () => setDialog('report') },
    { keys: 'e', label: galleryStrings.embed, run: () => setDialog('embed') },
  ]
  useShortcuts(galleryStrings.photo, isInViewer || dialog !== undefined ? [] : shortcuts)

  return (
    <Page title={title} lead={<BackToTrail trail={trail} />} width="full">
      <div className={styles.photoPage}>
        <div className={styles.both}>
          <figure className={styles.photo} style={{ aspectRatio: `${width} / ${height}` }}>
            <a
              href={urls.lg}
              onClick={(event) => {
                // In a new tab it is the file.
                if (event.ctrlKey || event.metaKey || event.shiftKey) return
                event.preventDefault()
                enlarge()
              }}
            >
              <img
                src={urls[640]}
                // The full photo may have megabytes, so it is loaded after the page.
                srcSet={isInBrowser ? largeSourcesOf(image) : heroSourcesOf(image)}
                sizes="(min-width: 62rem) 66vw, 100vw"
                width={width}
                height={height}
                alt={altOf(image)}
                fetchPriority="high"
              />
            </a>
          </figure>
          <aside className={styles.side} aria-label={galleryStrings.aboutPhoto}>
            <PhotoFacts image={image} slug={slug} lengthMiles={trail.lengthMiles} isPage />
            <PhotoTools
              image={image}
              slug={slug}
              download={download}
              onEnlarge={enlarge}
              onEmbed={() => setDialog('embed')}
              onReport={() => setDialog('report')}
            />
          </aside>
        </div>
        <Neighbours slug={slug} {...list} />
        <PhotoPlace trail={trail} image={image} />
        <p className={styles.address}>{`${baseUrl}/t/${encodeURIComponent(slug)}/${imageID}`}</p>
      </div>
      <Suspense>
        {isInViewer && (
          <Lightbox
            trail={trail}
            imageId={imageID}
            images={list.images}
            total={list.total}
            hasMore={list.hasMore}
            onMore={list.more}
            onOpen={(id) => to(id, viewerOverPhoto, false)}
            onClose={() => to(imageID, {}, false)}
          />
        )}
        {dialog === 'report' && (
          <ReportDialog imageId={imageID} strings={altOf(image)} onClose={() => setDialog(undefined)} />
        )}
        {dialog === 'embed' && (
          <EmbedDialog trail={trail} image={image} onClose={() => setDialog(undefined)} />
        )}
      </Suspense>
    </Page>
  )
}
