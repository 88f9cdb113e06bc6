// How a list fails that cannot be read: as a cut body may, and so the server is asked once more.

/** Of one image or route; a gpx of 8 MiB, every character of it escaped, is shorter. */
export const maxItemCharacters = 64_000_000

/** @param how such as `ends in the middle`. */
export const brokenList = (how: string): Error => Object.assign(new Error(how), { isBrokenList: true })

export const isBrokenList = (error: unknown): error is Error =>
  error instanceof Error && 'isBrokenList' in error
