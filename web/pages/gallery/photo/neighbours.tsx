// Links to the previous and the next photo, with the position of this one among all.
import { Link } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { galleryStrings } from '../../../strings/gallery.ts'
import { formatCount } from '../../../ui/format.ts'
import { keepSearch } from '../use-open-photo.ts'
import type { NeighbourPhotos } from './use-neighbours.ts'
import styles from './photo.module.css'

interface ToPhotoProps {
  readonly slug: string
  readonly imageId: number
  readonly rel: 'prev' | 'next'
  readonly children: ReactNode
}

function ToPhoto({ slug, imageId, rel, children }: ToPhotoProps) {
  return (
    <Link
      to="/t/$slug/$imageId"
      params={{ slug, imageId: String(imageId) }}
      search={keepSearch}
      resetScroll={false}
      rel={rel}
      className={styles.neighbour ?? ''}
    >
      {children}
    </Link>
  )
}

/** Nothing for the only photo of a trail. */
export function Neighbours({ slug, previous, next, place }: NeighbourPhotos & { readonly slug: string }) {
  if (previous === undefined && next === undefined) return null
  return (
    <nav className={styles.neighbours} aria-label={galleryStrings.neighbours}>
      {previous !== undefined && (
        <ToPhoto slug={slug} imageId={previous} rel="prev">
          <ChevronLeft size={18} aria-hidden />
          {galleryStrings.previous}
        </ToPhoto>
      )}
      {place && <span>{galleryStrings.of(formatCount(place.at), formatCount(place.all))}</span>}
      {next !== undefined && (
        <ToPhoto slug={slug} imageId={next} rel="next">
          {galleryStrings.next}
          <ChevronRight size={18} aria-hidden />
        </ToPhoto>
      )}
    </nav>
  )
}
