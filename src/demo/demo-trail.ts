// The parts of the demo: trails with their lines, and their photos.

/** The light at a time of day. */
export type Hour = 'dawn' | 'morning' | 'overcast' | 'noon' | 'golden' | 'dusk' | 'night'

/** The state of the photo in the demo. */
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
  readonly line: readonly (readonly [lat: number, lon: number])[]
  /** Of each point of the line, metres above the sea. */
  readonly heights: readonly number[]
  /** CommonMark. */
  readonly description: string
  readonly photos: readonly Photo[]
}
