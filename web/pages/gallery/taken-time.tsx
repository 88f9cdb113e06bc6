// "3 years ago", with the date as a tooltip.
import { formatTakenAgo, formatTakenDay } from '../../ui/taken.ts'
import { useIsInBrowser } from '../../ui/in-browser.ts'
import { galleryStrings } from '../../strings/gallery.ts'

/** Nothing if the date is unknown or not public. */
export function TakenAgo({ takenOn }: { readonly takenOn: string | null }) {
  const isInBrowser = useIsInBrowser()
  if (takenOn === null) return null
  const day = formatTakenDay(takenOn)
  // A relative time is only valid today: a page cached on the server shows the date.
  const ago = isInBrowser ? formatTakenAgo(takenOn) : undefined
  return (
    <time dateTime={takenOn} title={day}>
      {ago === undefined ? galleryStrings.takenThen(day) : galleryStrings.takenAgo(ago)}
    </time>
  )
}
