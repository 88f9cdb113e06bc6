// What owners may share of a route beyond its line and elevations, its name and its description.
export const routeShares = ['times', 'waypoints', 'sensors'] as const
export type RouteShare = (typeof routeShares)[number]

/** As a route stores them: always in the same order. */
export const sharesText = (shares: readonly string[]): string =>
  routeShares.filter((share) => shares.includes(share)).join(' ')

export const sharesOf = (text: string): RouteShare[] =>
  routeShares.filter((share) => text.split(' ').includes(share))
