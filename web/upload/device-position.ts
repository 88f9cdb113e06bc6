// Where the device is right now: asked only when the person chooses it, and never a reason to fail.
import { answerWithin } from './answer-within.ts'

export type NoPosition = 'denied' | 'unavailable' | 'timeout' | 'unsupported'

export type DeviceAnswer =
  | { readonly ok: true; readonly lat: number; readonly lon: number; readonly accuracyMetres: number }
  | { readonly ok: false; readonly why: NoPosition }

/** A receiver that was off takes this long outdoors. */
const maxMs = 20_000

/** The browser counts from when it may look; its own question, unanswered, would be open for ever. */
const maxMsWithQuestion = 30_000

const reasons: Readonly<Record<number, NoPosition>> = { 1: 'denied', 2: 'unavailable', 3: 'timeout' }

/** Pages over plain http to a name have no geolocation. */
export function askDevice(): Promise<DeviceAnswer> {
  const { geolocation } = navigator as { geolocation?: Geolocation }
  if (geolocation === undefined || !isSecureContext) return Promise.resolve({ ok: false, why: 'unsupported' })
  const asked = new Promise<DeviceAnswer>((resolve) => {
    geolocation.getCurrentPosition(
      ({ coords: { latitude, longitude, accuracy } }) =>
        resolve({
          ok: true,
          // The seventh decimal is about a centimetre.
          lat: Number(latitude.toFixed(7)),
          lon: Number(longitude.toFixed(7)),
          accuracyMetres: Math.max(1, Math.round(accuracy)),
        }),
      ({ code }) => resolve({ ok: false, why: reasons[code] ?? 'unavailable' }),
      // Where the device was a minute ago is not where the photo is.
      { enableHighAccuracy: true, timeout: maxMs, maximumAge: 0 },
    )
  })
  return answerWithin(asked, maxMsWithQuestion, { ok: false, why: 'timeout' })
}
