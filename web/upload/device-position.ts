// Where the device is right now: asked only when the person chooses it, and never a reason to fail.

export type NoPosition = 'denied' | 'unavailable' | 'timeout' | 'unsupported'

export type DeviceAnswer =
  | { readonly ok: true; readonly lat: number; readonly lon: number; readonly accuracyMetres: number }
  | { readonly ok: false; readonly why: NoPosition }

/** A receiver that was off takes this long outdoors. */
const maxMs = 20_000

const reasons: Readonly<Record<number, NoPosition>> = { 1: 'denied', 2: 'unavailable', 3: 'timeout' }

/** Pages over plain http to a name have no geolocation. */
export function askDevice(): Promise<DeviceAnswer> {
  const { geolocation } = navigator as { geolocation?: Geolocation }
  if (geolocation === undefined || !isSecureContext) return Promise.resolve({ ok: false, why: 'unsupported' })
  return new Promise((resolve) => {
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
}
