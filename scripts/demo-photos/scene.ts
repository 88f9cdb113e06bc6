// How a photo of the demo is painted: its land, the camera and the light.
import type { Light } from './paint/light.ts'
import type { Path } from './paint/path.ts'
import type { LandName } from './paint/terrain.ts'

/** Where the camera stood and what light there was. */
export interface Scene {
  /** Metres on the map of the land, and degrees clockwise from north. */
  readonly from: readonly [x: number, y: number, heading: number]
  /** Degrees from the middle of the picture to the right, where the sun stands. */
  readonly sunAside: number
  /** Pixels, upright. */
  readonly size: readonly [width: number, height: number]
  /** Metres above the ground; by default as high as one holds a camera. */
  readonly lift?: number
  readonly fieldOfView?: number
  readonly horizon?: number
  readonly path?: Path
  /** What differs from the light of the hour. */
  readonly light?: Partial<Light>
  /** Metres from which snow lies, where it differs from the rest of this land. */
  readonly snowline?: number
  /** Decides where the clouds are. */
  readonly seed?: number
}

/** The form of the file: `sideways` needs its EXIF orientation, `badge` is a round PNG with clear corners. */
export type PhotoForm = 'jpeg' | 'sideways' | 'blurred' | 'badge' | 'sunset-gif' | 'old-bmp'

export interface LandScenes {
  readonly land: LandName
  /** By the name of the file. */
  readonly photos: Readonly<Record<string, { readonly scene: Scene; readonly form?: PhotoForm }>>
}
