// Description of a demo photo: its land, camera and light.
import type { Light } from './paint/light.ts'
import type { Path } from './paint/path.ts'
import type { LandName } from './paint/terrain.ts'

/** Camera position and lighting. */
export interface Scene {
  /** Metres on the land's map, and degrees clockwise from north. */
  readonly from: readonly [x: number, y: number, heading: number]
  /** Degrees from the view axis to the sun, clockwise. */
  readonly sunAside: number
  /** Pixels, upright. */
  readonly size: readonly [width: number, height: number]
  /** Metres above the ground; by default the height of a handheld camera. */
  readonly lift?: number
  readonly fieldOfView?: number
  readonly horizon?: number
  readonly path?: Path
  /** Differences from the standard light of that time of day. */
  readonly light?: Partial<Light>
  /** Snow line in metres, if it differs from that of the land. */
  readonly snowline?: number
  /** Determines the clouds. */
  readonly seed?: number
}

/** File form: `sideways` needs its EXIF orientation, `badge` is a round PNG with transparent corners. */
export type PhotoForm = 'jpeg' | 'sideways' | 'blurred' | 'badge' | 'sunset-gif' | 'old-bmp'

export interface LandScenes {
  readonly land: LandName
  /** By file name. */
  readonly photos: Readonly<Record<string, { readonly scene: Scene; readonly form?: PhotoForm }>>
}
