// Linear colours: constants as triples, and a mutable one for the pixel being mixed.

export type Rgb = readonly [red: number, green: number, blue: number]

/**
 * Mutated in place. It is an object with number fields, since mixing runs millions of times per picture and must not
 * allocate.
 */
export interface Paint {
  red: number
  green: number
  blue: number
}

export const newPaint = (): Paint => ({ red: 0, green: 0, blue: 0 })

/** Blends the colour into the paint: 0 leaves it, 1 replaces it. */
export function tint(paint: Paint, colour: Rgb, share: number): void {
  paint.red += (colour[0] - paint.red) * share
  paint.green += (colour[1] - paint.green) * share
  paint.blue += (colour[2] - paint.blue) * share
}

/** Adds light. */
export function shine(paint: Paint, colour: Rgb, amount: number): void {
  paint.red += colour[0] * amount
  paint.green += colour[1] * amount
  paint.blue += colour[2] * amount
}

export function brighten(paint: Paint, factor: number): void {
  paint.red *= factor
  paint.green *= factor
  paint.blue *= factor
}
