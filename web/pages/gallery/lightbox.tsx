// One photo, large, above its gallery: with neighbours, details, location, and actions.
import { ModalBase, ModalBaseBody, ModalBaseContent } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Navigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { Image, Trail } from '../../../client/client.ts'
import { keys } from '../../data/keys.ts'
import { useWaymark } from '../../data/waymark.tsx'
import { galleryStrings } from '../../strings/gallery.ts'
import { useTitle } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/notices/problem-notice.tsx'
import { useShortcuts } from '../../ui/keys/shortcuts.tsx'
import { LightboxBar, LightboxSides } from './lightbox-bar.tsx'
import styles from './lightbox.module.css'
import { PhotoPanel, type PanelKind } from './photo-panel.tsx'
import { altOf } from './sources.ts'
import { Stage, type StageHandle } from './stage.tsx'

const ReportDialog = lazy(async () => ({ default: (await import('./report-dialog.tsx')).ReportDialog }))
const EmbedDialog = lazy(async () => ({ default: (await import('./embed-dialog.tsx')).EmbedDialog }))

interface LightboxProps {
  readonly trail: Trail
  readonly imageId: number
  /** The loaded photos, in the order of the grid. */
  readonly images: readonly Image[]
  readonly total: number
  readonly hasMore: boolean
  readonly onMore: () => void
  readonly onOpen: (imageId: number) => void
  readonly onClose: () => void
}

/** How many photos before the end more are requested. */
const photosAhead = 10

/** Escape closes only the topmost layer: a sheet or dialog above has already handled it. */
function isForUs({ target }: KeyboardEvent): boolean {
  const dialog = target instanceof Element ? target.closest('[aria-modal=true]') : null
  return dialog === null || dialog.hasAttribute('data-lightbox')
}

/** A deep link may lead to a photo far down the list: it is fetched on its own, while the list continues to load. */
function useShown({ imageId, images, hasMore, onMore }: LightboxProps) {
  const waymark = useWaymark()
  const index = images.findIndex(({ imageID }) => imageID === imageId)
  const query = useQuery({
    queryKey: keys.image(imageId),
    queryFn: ({ signal }) => waymark.images.get(imageId, { signal }),
    enabled: index === -1 && Number.isSafeInteger(imageId),
  })
  useEffect(() => {
    if (hasMore && (index === -1 || index >= images.length - photosAhead)) onMore()
  }, [hasMore, index, images.length, onMore])
  const { data, error, isFetching, refetch } = query
  return { index, image: images[index] ?? data, isOld: index === -1 && isFetching, error, refetch }
}

export function Lightbox(props: LightboxProps) {
  const { trail, imageId, images, total, onOpen, onClose } = props
  const { index, image, isOld, error, refetch } = useShown(props)
  const [panel, setPanel] = useState<PanelKind>()
  const [dialog, setDialog] = useState<'report' | 'embed'>()
  const [isBare, setBare] = useState(false)
  const stage = useRef<StageHandle>(null)
  const download = useRef<HTMLAnchorElement>(null)
  const strings = image ? image.title || galleryStrings.untitled : galleryStrings.photo
  useTitle(`${strings} · ${trail.name}`)

  const isListed = index !== -1
  const go = (to: number) => {
    const next = isListed ? images[to] : undefined
    if (next) onOpen(next.imageID)
  }
  const toggle = (kind: PanelKind) => setPanel((shown) => (shown === kind ? undefined : kind))
  // An open dialog handles the keys: arrows choose among its reasons, and its photo stays.
  const shortcuts = [
    {
      keys: 'Escape',
      label: galleryStrings.close,
      run: (event: KeyboardEvent) => isForUs(event) && onClose(),
    },
    { keys: 'ArrowLeft', label: galleryStrings.previous, run: () => go(index - 1) },
    { keys: 'ArrowRight', label: galleryStrings.next, run: () => go(index + 1) },
    { keys: 'i', label: galleryStrings.details, run: () => toggle('details') },
    { keys: 'm', label: galleryStrings.map, run: () => toggle('map') },
    { keys: 'd', label: galleryStrings.download, run: () => download.current?.click() },
    { keys: 'z', label: galleryStrings.zoom, run: () => stage.current?.zoom() },
    { keys: 'r', label: galleryStrings.report, run: () => setDialog('report') },
    { keys: 'e', label: galleryStrings.embed, run: () => setDialog('embed') },
  ]
  useShortcuts(galleryStrings.photo, dialog === undefined ? shortcuts : [])

  // Only by fresh data: two pages that each redirect by cached data would redirect in a circle.
  const isElsewhere =
    image !== undefined && !isOld && (image.trailID !== trail.trailID || image.status !== 'approved')
  if (isElsewhere) return <Navigate to="/i/$imageId" params={{ imageId: String(imageId) }} replace />

  return (
    // The base of Mantine's Modal: the complete one adds scroll bars and floating parts, 20 kB that are not needed
    // here.
    <ModalBase
      opened
      onClose={onClose}
      closeOnEscape={false}
      closeOnClickOutside={false}
      trapFocus
      returnFocus
      lockScroll
      withinPortal
      transitionProps={{ duration: 0 }}
    >
      <ModalBaseContent
        className={styles.content ?? ''}
        innerProps={{}}
        radius={0}
        aria-label={strings}
        data-lightbox
      >
        <ModalBaseBody className={styles.body ?? ''} data-panel={panel} data-bare={isBare || undefined}>
          <LightboxBar
            image={image}
            place={isListed ? { at: index + 1, all: Math.max(total, images.length) } : undefined}
            slug={trail.slug}
            lengthMiles={trail.lengthMiles}
            panel={panel}
            download={download}
            onPanel={toggle}
            onReport={() => setDialog('report')}
            onEmbed={() => setDialog('embed')}
            onClose={onClose}
          />
          <div className={styles.photo}>
            {error || !Number.isSafeInteger(imageId) ? (
              <NotShown error={error} onRetry={() => void refetch()} onClose={onClose} />
            ) : (
              image && (
                <Stage
                  key={isListed ? 'list' : 'one'}
                  ref={stage}
                  images={isListed ? images : [image]}
                  index={Math.max(0, index)}
                  onIndex={go}
                  onClose={onClose}
                  onTap={() => setBare((before) => !before)}
                />
              )
            )}
            <LightboxSides
              onPrevious={isListed && index > 0 ? () => go(index - 1) : undefined}
              onNext={isListed && index < images.length - 1 ? () => go(index + 1) : undefined}
            />
          </div>
          {panel && image && (
            <PhotoPanel kind={panel} image={image} trail={trail} onClose={() => setPanel(undefined)} />
          )}
        </ModalBaseBody>
      </ModalBaseContent>
      <Suspense>
        {dialog === 'report' && image && (
          <ReportDialog imageId={imageId} strings={altOf(image)} onClose={() => setDialog(undefined)} />
        )}
        {dialog === 'embed' && image && (
          <EmbedDialog trail={trail} image={image} onClose={() => setDialog(undefined)} />
        )}
      </Suspense>
    </ModalBase>
  )
}

interface NotShownProps {
  readonly error: unknown
  readonly onRetry: () => void
  readonly onClose: () => void
}

function NotShown({ error, onRetry, onClose }: NotShownProps) {
  return (
    <div className={styles.notShown}>
      {error ? (
        <ProblemNotice error={error} onRetry={onRetry} />
      ) : (
        <div role="alert">
          <h2>{galleryStrings.notFound}</h2>
          <p>{galleryStrings.notFoundDetail}</p>
        </div>
      )}
      <button type="button" className={styles.wordButton} onClick={onClose}>
        {galleryStrings.toGallery}
      </button>
    </div>
  )
}
