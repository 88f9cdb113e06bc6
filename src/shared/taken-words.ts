// The words of a photo's time and position: where each came from. Apart from taken.ts, whose table of zones no page needs.

/** Where the offset of a time came from: the file or a person said it, or it is that of the position or of the site. */
export const takenZones = ['stated', 'position', 'site'] as const
export type TakenZone = (typeof takenZones)[number]

/** What people and programs may say that a position is from. */
export const givenSources = ['track', 'line', 'device', 'given'] as const
export type GivenSource = (typeof givenSources)[number]
export const positionSources = ['exif', ...givenSources] as const
export type PositionSource = (typeof positionSources)[number]

/** Metres, from Challenger Deep to where the sky ends: whatever else a file or a client says is no altitude. */
export const minAltitude = -11_000
export const maxAltitude = 100_000

/** Metres, half way round the Earth: a larger value says nothing. */
export const maxAccuracy = 20_040_000
