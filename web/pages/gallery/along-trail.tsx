// "Mile 3.2 of 7.0": how far along its trail a photo was taken.
import type { Image } from '../../../client/client.ts'
import { galleryStrings } from '../../strings/gallery.ts'
import { useFormat } from '../../ui/format.ts'

interface AlongTrailProps {
  readonly image: Pick<Image, 'milesAlong'>
  readonly lengthMiles: number | null
}

/** Nothing for a photo that was not taken near the line. */
export function AlongTrail({ image: { milesAlong }, lengthMiles }: AlongTrailProps) {
  const { units, figure } = useFormat()
  if (milesAlong === null || lengthMiles === null) return null
  return <span>{galleryStrings.alongOf[units](figure(milesAlong), figure(lengthMiles))}</span>
}
