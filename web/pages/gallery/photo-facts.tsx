// The details of a photo, as names and values.
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Image } from '../../../client/client.ts'
import { useSite } from '../../data/site.ts'
import { galleryStrings } from '../../strings/gallery.ts'
import { CopyButton } from '../../ui/fields/copy-button.tsx'
import { formatBytes, formatDateTime, formatDayInUtc, formatPosition, useFormat } from '../../ui/format.ts'
import { useIsInBrowser } from '../../ui/in-browser.ts'
import { formatTakenAgo, formatTakenAt, formatTakenDay } from '../../ui/taken.ts'
import { AlongTrail } from './along-trail.tsx'
import styles from './lightbox.module.css'

function Licence({ code }: { readonly code: string | null }) {
  const { licence } = useSite()
  if (code === null) return galleryStrings.noLicence
  if (licence?.code !== code) return code
  if (licence.url === undefined) return licence.name
  return (
    <a href={licence.url} rel="license noopener" target="_blank">
      {licence.name}
    </a>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

interface PhotoFactsProps {
  readonly image: Image
  /** Omitted: the trail is not linked. */
  readonly slug?: string | undefined
  readonly lengthMiles?: number | null
  /** On the photo's page, which has its title as heading, and the map below. */
  readonly isPage?: boolean
}

export function PhotoFacts({ image, slug, lengthMiles = null, isPage = false }: PhotoFactsProps) {
  const { title, caption, displayName, postedAt, trailName, lat, lon, licence, width, height, bytes } = image
  const { takenOn, takenAt, altitude } = image
  const format = useFormat()
  const isInBrowser = useIsInBrowser()
  const position = lat === null || lon === null ? undefined : formatPosition(lat, lon)
  const trail =
    slug === undefined ? (
      trailName
    ) : (
      <Link to="/t/$slug" params={{ slug }}>
        {trailName}
      </Link>
    )
  return (
    <dl className={styles.facts}>
      {!isPage && <Fact name={galleryStrings.title}>{title || galleryStrings.untitled}</Fact>}
      {caption !== '' && <Fact name={galleryStrings.caption}>{caption}</Fact>}
      <Fact name={galleryStrings.who}>{displayName}</Fact>
      {takenOn !== null && (
        <Fact name={galleryStrings.takenOn}>
          <time dateTime={takenAt ?? takenOn}>
            {galleryStrings.takenOnDay(
              takenAt === null ? formatTakenDay(takenOn) : formatTakenAt(takenAt),
              isInBrowser ? formatTakenAgo(takenOn) : undefined,
            )}
          </time>
        </Fact>
      )}
      <Fact name={galleryStrings.when}>
        <time dateTime={postedAt}>{isInBrowser ? formatDateTime(postedAt) : formatDayInUtc(postedAt)}</time>
      </Fact>
      <Fact name={galleryStrings.trail}>{trail}</Fact>
      <Fact name={galleryStrings.position}>
        {position === undefined ? (
          galleryStrings.noPosition
        ) : (
          <span className={styles.position}>
            {position} <CopyButton text={position} label={`${galleryStrings.position}: ${position}`} />
          </span>
        )}
        {isPage && position !== undefined && (
          <>
            {' '}
            <a href="#map">{galleryStrings.showOnMap}</a>
          </>
        )}
      </Fact>
      {image.milesAlong !== null && lengthMiles !== null && (
        <Fact name={galleryStrings.along}>
          <AlongTrail image={image} lengthMiles={lengthMiles} />
        </Fact>
      )}
      {altitude !== null && <Fact name={galleryStrings.altitude}>{format.height(altitude)}</Fact>}
      <Fact name={galleryStrings.licence}>
        <Licence code={licence} />
      </Fact>
      <Fact name={galleryStrings.size}>{galleryStrings.sizeOf(width, height, formatBytes(bytes))}</Fact>
    </dl>
  )
}
