// The lightbox toolbar above the photo, and the arrows at its sides.
import { VisuallyHidden } from '@mantine/core'
import { ChevronLeft, ChevronRight, Code, Download, Flag, Info, Link2, Map as MapIcon, X } from 'lucide-react'
import type { ReactNode, RefObject } from 'react'
import type { Image } from '../../../client/client.ts'
import { baseUrl } from '../../data/base.ts'
import { common } from '../../strings/common.ts'
import { galleryStrings } from '../../strings/gallery.ts'
import { useShare } from '../../ui/fields/use-share.ts'
import { formatCount } from '../../ui/format.ts'
import { AlongTrail } from './along-trail.tsx'
import styles from './lightbox.module.css'
import type { PanelKind } from './photo-panel.tsx'
import { fileNameOf } from './sources.ts'
import { TakenAgo } from './taken-time.tsx'

interface ToolProps {
  readonly label: string
  readonly isPressed?: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

function Tool({ label, isPressed, onClick, children }: ToolProps) {
  return (
    <button
      type="button"
      className={styles.tool}
      aria-label={label}
      aria-pressed={isPressed}
      data-tip={label}
      onClick={onClick}
    >
      {children}
    </button>
  )
}

interface LightboxBarProps {
  readonly image: Image | undefined
  readonly slug: string
  readonly lengthMiles: number | null
  /** Undefined while its position in the list is unknown. */
  readonly place: { readonly at: number; readonly all: number } | undefined
  readonly panel: PanelKind | undefined
  readonly download: RefObject<HTMLAnchorElement | null>
  readonly onPanel: (kind: PanelKind) => void
  readonly onReport: () => void
  readonly onEmbed: () => void
  readonly onClose: () => void
}

export function LightboxBar(props: LightboxBarProps) {
  const { image, slug, lengthMiles, place, panel, download, onPanel, onReport, onEmbed, onClose } = props
  const share = useShare()
  const shareIt = ({ imageID, title }: Image) =>
    void share({ url: `${baseUrl}/t/${encodeURIComponent(slug)}/${imageID}`, title })
  return (
    <div className={styles.bar}>
      <p className={styles.title} role="status">
        <strong>{image ? image.title || galleryStrings.untitled : common.loading}</strong>
        {image && <span>{galleryStrings.by(image.displayName)}</span>}
        {image?.takenOn != null && (
          <span>
            <TakenAgo takenOn={image.takenOn} />
          </span>
        )}
        {image && <AlongTrail image={image} lengthMiles={lengthMiles} />}
        {place && <span>{galleryStrings.of(formatCount(place.at), formatCount(place.all))}</span>}
      </p>
      {image && (
        <>
          <Tool
            label={galleryStrings.details}
            isPressed={panel === 'details'}
            onClick={() => onPanel('details')}
          >
            <Info size={20} aria-hidden />
          </Tool>
          <Tool label={galleryStrings.map} isPressed={panel === 'map'} onClick={() => onPanel('map')}>
            <MapIcon size={20} aria-hidden />
          </Tool>
          <a
            ref={download}
            className={styles.tool}
            href={image.urls.lg}
            download={fileNameOf(image)}
            data-tip={galleryStrings.download}
          >
            <Download size={20} aria-hidden />
            <VisuallyHidden>{galleryStrings.download}</VisuallyHidden>
          </a>
          <Tool label={galleryStrings.share} onClick={() => shareIt(image)}>
            <Link2 size={20} aria-hidden />
          </Tool>
          <Tool label={galleryStrings.embed} onClick={onEmbed}>
            <Code size={20} aria-hidden />
          </Tool>
          <Tool label={galleryStrings.report} onClick={onReport}>
            <Flag size={20} aria-hidden />
          </Tool>
        </>
      )}
      <Tool label={galleryStrings.close} onClick={onClose}>
        <X size={22} aria-hidden />
      </Tool>
    </div>
  )
}

interface LightboxSidesProps {
  readonly onPrevious: (() => void) | undefined
  readonly onNext: (() => void) | undefined
}

export function LightboxSides({ onPrevious, onNext }: LightboxSidesProps) {
  return (
    <>
      {onPrevious && (
        <button
          type="button"
          className={styles.side}
          data-side="left"
          aria-label={galleryStrings.previous}
          onClick={onPrevious}
        >
          <ChevronLeft size={28} aria-hidden />
        </button>
      )}
      {onNext && (
        <button
          type="button"
          className={styles.side}
          data-side="right"
          aria-label={galleryStrings.next}
          onClick={onNext}
        >
          <ChevronRight size={28} aria-hidden />
        </button>
      )}
    </>
  )
}
