// The header of a trail's page: its cover, its facts, and its actions.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Code, Printer, Share2 } from 'lucide-react'
import type { Image, Trail } from '../../../../client/client.ts'
import { baseUrl, href } from '../../../data/base.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { galleryStrings } from '../../../strings/gallery.ts'
import { useShare } from '../../../ui/fields/use-share.ts'
import { formatCount, useFormat } from '../../../ui/format.ts'
import { altOf, heroSourcesOf } from '../sources.ts'
import { keepSearch, viewerState } from '../use-open-photo.ts'
import { coverOf } from './trail-data.ts'
import styles from './trail.module.css'

/** A smaller photo would look pixelated at this size. */
const minPictureWidth = 640

interface PictureProps {
  readonly trail: Trail
  readonly images: readonly Image[]
}

/** The newest photo, or another loaded one if that is too small. */
function Picture({ trail, images }: PictureProps) {
  const waymark = useWaymark()
  const { data: newest } = useQuery(coverOf(waymark, trail.cover))
  if (trail.cover === null) return null
  const isLarge = ({ width }: Image): boolean => width >= minPictureWidth
  const image = newest && (isLarge(newest) ? newest : (images.findLast(isLarge) ?? newest))
  // Its space is reserved before the picture is known.
  if (image === undefined) return <div className={styles.picture} />
  const alt = altOf(image)
  return (
    <figure className={styles.picture}>
      <Link
        to="/t/$slug/$imageId"
        params={{ slug: trail.slug, imageId: String(image.imageID) }}
        search={keepSearch}
        state={viewerState}
        resetScroll={false}
        preload={false}
        aria-label={galleryStrings.picture(alt)}
      >
        <picture>
          <source
            type="image/webp"
            srcSet={heroSourcesOf(image, 'webp')}
            sizes="(min-width: 62rem) 62vw, 100vw"
          />
          <img
            src={image.urls[640]}
            srcSet={heroSourcesOf(image)}
            sizes="(min-width: 62rem) 62vw, 100vw"
            width={image.width}
            height={image.height}
            alt=""
            fetchPriority="high"
          />
        </picture>
      </Link>
      <figcaption>
        {image.title && <strong>{image.title} </strong>}
        {galleryStrings.by(image.displayName)}
      </figcaption>
    </figure>
  )
}

function Facts({ trail }: { readonly trail: Trail }) {
  const format = useFormat()
  const height = (metres: number | null) => (metres === null ? undefined : format.height(metres))
  const strings = galleryStrings.facts
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    [strings.length, trail.lengthMiles === null ? undefined : format.length(trail.lengthMiles)],
    [strings.ascent, height(trail.ascent)],
    [strings.descent, height(trail.descent)],
    [strings.highest, height(trail.highest)],
    [strings.lowest, height(trail.lowest)],
    [galleryStrings.photosTitle, formatCount(trail.images)],
  ]
  return (
    <dl className={styles.facts} aria-label={strings.title}>
      {facts.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

const kinds = [
  ['gpx', 'GPX'],
  ['kml', 'KML'],
  ['geojson', 'GeoJSON'],
] as const

function Downloads({ trail: { slug } }: { readonly trail: Trail }) {
  return (
    <div className={styles.downloads}>
      <span>{galleryStrings.downloads}</span>
      {kinds.map(([kind, name]) => (
        <a
          key={kind}
          href={href(`/t/${encodeURIComponent(slug)}/trail.${kind}`)}
          download={`${slug}.${kind}`}
        >
          {name}
        </a>
      ))}
    </div>
  )
}

interface TrailHeadProps {
  readonly trail: Trail
  /** The loaded ones. */
  readonly images: readonly Image[]
  readonly onEmbed: () => void
}

export function TrailHead({ trail, images, onEmbed }: TrailHeadProps) {
  const share = useShare()
  const { name, slug, cover, geometry } = trail
  const button = { variant: 'default', size: 'compact-md' } as const
  return (
    <div className={styles.head} data-picture={cover !== null}>
      <Picture trail={trail} images={images} />
      <div className={styles.about}>
        <Facts trail={trail} />
        {geometry !== null && <Downloads trail={trail} />}
        <div className={styles.tools} data-needs-script>
          <Button
            {...button}
            leftSection={<Share2 size={16} aria-hidden />}
            onClick={() => void share({ url: `${baseUrl}/t/${encodeURIComponent(slug)}`, title: name })}
          >
            {galleryStrings.share}
          </Button>
          <Button {...button} leftSection={<Code size={16} aria-hidden />} onClick={onEmbed}>
            {galleryStrings.embed}
          </Button>
          <Button {...button} leftSection={<Printer size={16} aria-hidden />} onClick={() => window.print()}>
            {galleryStrings.print}
          </Button>
        </div>
      </div>
    </div>
  )
}
