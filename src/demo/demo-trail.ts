// What the demo is made of: a trail, its line on the map, and the photos that people sent of it.

/** The light of an hour of the day. */
export type Hour = 'dawn' | 'morning' | 'overcast' | 'noon' | 'golden' | 'dusk' | 'night'

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
  /** In photos/, made by scripts/demo-photos. */
  readonly file: string
  readonly hour: Hour
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
  /** Degrees, from one end to the other. */
  /** CommonMark. */
  readonly description: string
  readonly line: readonly (readonly [lat: number, lon: number])[]
  /** Metres, of each point of the line. */
  readonly heights: readonly number[]
  readonly photos: readonly Photo[]
}
