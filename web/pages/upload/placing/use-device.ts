// Locates photos at the device's position, if the user chooses that; explains in one sentence why it failed.
import { useCallback, useState } from 'react'
import { placingStrings } from '../../../strings/placing.ts'
import { useFormat } from '../../../ui/format.ts'
import { useToast } from '../../../ui/notices/toasts.tsx'
import { askDevice, type DeviceAnswer } from '../../../upload/device-position.ts'
import type { Placement, QueuedPhoto } from '../../../upload/photo.ts'
import { isPlaceless, isSentWithoutPlace } from '../../../upload/placeless.ts'
import { useUploads } from '../../../upload/use-uploads.ts'
import { usePlace } from './use-place.ts'

const { device: strings } = placingStrings

const placementOf = (answer: Extract<DeviceAnswer, { ok: true }>): Placement => ({
  lat: answer.lat,
  lon: answer.lon,
  by: 'device',
  accuracyMetres: answer.accuracyMetres,
})

export function useDevice() {
  const uploads = useUploads()
  const toast = useToast()
  const place = usePlace()
  const { metres } = useFormat()
  const [isAsking, setAsking] = useState(false)
  /** One at a time: a second request while the first is pending would be the same. */
  const ask = useCallback(async (): Promise<DeviceAnswer> => {
    setAsking(true)
    try {
      return await askDevice()
    } finally {
      setAsking(false)
    }
  }, [])

  /** The photos that have no location by then. */
  const placeHere = useCallback(
    (answer: Extract<DeviceAnswer, { ok: true }>, ids: readonly string[]): void => {
      const chosen = uploads.snapshot().queue.filter(({ id }) => ids.includes(id))
      const late = chosen.filter(isSentWithoutPlace)
      if (late.length > 0) toast({ message: strings.tooLate(late.length), tone: 'bad' })
      const photos = chosen.filter(isPlaceless)
      const placement = placementOf(answer)
      place(
        photos.map(({ id }) => ({ id, placement })),
        placingStrings.placedByDevice(photos.length, metres(answer.accuracyMetres)),
      )
    },
    [uploads, toast, place, metres],
  )

  const placeNow = useCallback(
    async (ids: readonly string[]): Promise<void> => {
      const answer = await ask()
      if (answer.ok) placeHere(answer, ids)
      else toast({ message: strings[answer.why], tone: 'bad' })
    },
    [ask, placeHere, toast],
  )

  /** For a photo that was just taken: the position is requested at once, and the photo is in the list in any case. */
  const placeTaken = useCallback(
    async (added: Promise<readonly string[]>): Promise<void> => {
      const [answer, ids] = await Promise.all([ask(), added])
      const photos = await Promise.all(ids.map((id) => whenChecked(uploads, id)))
      if (answer.ok) return placeHere(answer, ids)
      if (photos.some((photo) => photo !== undefined && isPlaceless(photo)))
        toast({ message: strings.notOnPhoto(strings[answer.why]), tone: 'bad' })
      return undefined
    },
    [ask, placeHere, toast, uploads],
  )
  return { isAsking, placeNow, placeTaken }
}

/** Undefined if it was removed before it was read. */
function whenChecked(uploads: ReturnType<typeof useUploads>, id: string): Promise<QueuedPhoto | undefined> {
  return new Promise((resolve) => {
    const look = (): boolean => {
      const photo = uploads.snapshot().queue.find((one) => one.id === id)
      if (photo?.state === 'checking') return false
      resolve(photo)
      return true
    }
    if (look()) return
    const stop = uploads.subscribe(() => {
      if (look()) stop()
    })
  })
}
