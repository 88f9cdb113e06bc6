// "3 years ago", with the date where a pointer rests on it.
import { formatTakenAgo, formatTakenDay } from '../../ui/taken.ts'
import { galleryStrings } from '../../strings/gallery.ts'

/** Nothing for a photo of which nobody knows it, or may. */
export function TakenAgo({ takenOn }: { readonly takenOn: string | null }) {
  if (takenOn === null) return null
  const day = formatTakenDay(takenOn)
  const ago = formatTakenAgo(takenOn)
  return (
    <time dateTime={takenOn} title={day}>
      {ago === undefined ? galleryStrings.takenThen(day) : galleryStrings.takenAgo(ago)}
    </time>
  )
}
