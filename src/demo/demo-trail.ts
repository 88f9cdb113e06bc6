// What the demo is made of: a trail, its line on the map, and the photos that people sent of it.
import type { Hour, Light } from './paint/light.ts'
import type { Path } from './paint/path.ts'
import type { LandName } from './paint/terrain.ts'

/** Where the camera stood and what light there was. */
export interface Scene {
  /** Metres on the map of the land, and degrees clockwise from north. */
  readonly from: readonly [x: number, y: number, heading: number]
  readonly hour: Hour
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
  /** Metres from which snow lies, where not as always in this land. */
  readonly snowline?: number
  /** Decides where the clouds are. */
  readonly seed?: number
}

/** How the picture is kept: `sideways` needs its EXIF orientation, `badge` is a round PNG with clear corners. */
export type PhotoForm = 'jpeg' | 'sideways' | 'blurred' | 'badge' | 'sunset-gif' | 'old-bmp'

/** What has become of the photo since it was sent. */
export type Fate =
  | { readonly is: 'pending' }
  | { readonly is: 'approved' }
  | { readonly is: 'rejected' | 'removed'; readonly reason: string; readonly note: string }
  /** Approved, and its caption changed after that. */
  | { readonly is: 'edited'; readonly caption: string }

export const pending: Fate = { is: 'pending' }
export const approved: Fate = { is: 'approved' }

export type PersonName = 'admin' | 'reviewer' | 'ida' | 'tomas' | 'boots'

export interface Photo {
  readonly scene: Scene
  /** By default `jpeg`. */
  readonly form?: PhotoForm
  readonly by: PersonName
  readonly title: string
  readonly caption: string
  /** When it was sent, in hours before the demo was made. */
  readonly hoursAgo: number
  /** Where along the trail it was taken, 0 … 1; undefined where the camera did not know. */
  readonly along: number | undefined
  readonly fate: Fate
}

export interface DemoTrail {
  readonly id: number
  readonly name: string
  readonly land: LandName
  /** Degrees, from one end to the other. */
  readonly line: readonly (readonly [lat: number, lon: number])[]
  readonly photos: readonly Photo[]
}
