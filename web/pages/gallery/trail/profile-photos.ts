// The photos on a trail's profile: the loaded ones of the list, and the positions of the others, from one compact
// response.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Image } from '../../../../client/client.ts'
import { keys } from '../../../data/keys.ts'
import { useWaymark } from '../../../data/waymark.tsx'
import { galleryStrings } from '../../../strings/gallery.ts'
import { altOf } from '../sources.ts'

/** The data of a photo that its dot shows. */
export interface ProfilePhoto {
  readonly imageID: number
  readonly milesAlong: number | null
  readonly label: string
  /** URL of a small picture. */
  readonly picture: string
}

const ofImage = (image: Image): ProfilePhoto => ({
  imageID: image.imageID,
  milesAlong: image.milesAlong,
  label: altOf(image),
  picture: image.urls.sm,
})

/**
 * @param hasOthers whether the trail has further photos that belong to the list. Server-rendered pages leave them
 * out.
 */
export function useProfilePhotos(
  trailId: number,
  images: readonly Image[],
  hasOthers: boolean,
): readonly ProfilePhoto[] {
  const waymark = useWaymark()
  const { data } = useQuery({
    queryKey: [...keys.trails, 'along', trailId],
    queryFn: ({ signal }) => waymark.images.along(trailId, { signal }),
    enabled: hasOthers && typeof document !== 'undefined',
    staleTime: 300_000,
  })
  return useMemo(() => {
    const loaded = images.map(ofImage)
    if (!hasOthers || data === undefined) return loaded
    const known = new Set(images.map(({ imageID }) => imageID))
    const others = data
      .filter(({ imageID }) => !known.has(imageID))
      .map(({ imageID, milesAlong, title }) => ({
        imageID,
        milesAlong,
        label: title || galleryStrings.untitled,
        picture: waymark.images.url(imageID, 'sm'),
      }))
    return [...loaded, ...others]
  }, [waymark, images, hasOthers, data])
}
