// "3 years ago", with the date where a pointer rests on it.
import { formatTakenAgo, formatTakenDay } from '../../ui/taken.ts'
import { useIsInBrowser } from '../../ui/in-browser.ts'
import { galleryStrings } from '../../strings/gallery.ts'

/** Nothing for a photo of which nobody knows it, or may. */
export function TakenAgo({ takenOn }: { readonly takenOn: string | null }) {
  const isInBrowser = useIsInBrowser()
  if (takenOn === null) return null
  const day = formatTakenDay(takenOn)
  // How long ago is for today: a page that is kept on the server tells the day.
  const ago = isInBrowser ? formatTakenAgo(takenOn) : undefined
  return (
    <time dateTime={takenOn} title={day}>
      {ago === undefined ? galleryStrings.takenThen(day) : galleryStrings.takenAgo(ago)}
    </time>
  )
}
