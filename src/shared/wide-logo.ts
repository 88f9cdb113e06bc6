// Whether a logo has the name of its site in it, as its shape tells.

/** @param ratio width by height. */
export const isWideLogo = (ratio: number): boolean => ratio >= 2
