// The error for an unreadable list: it may have been cut off, so it is requested once more.

/** For one image or route; a gpx of 8 MiB with every character escaped is shorter. */
export const maxItemCharacters = 64_000_000

/** @param how such as `ends in the middle`. */
export const brokenList = (how: string): Error => Object.assign(new Error(how), { isBrokenList: true })

export const isBrokenList = (error: unknown): error is Error =>
  error instanceof Error && 'isBrokenList' in error
