// Colours of linear light: fixed ones as triples, and the one that a pixel is being mixed in.

export type Rgb = readonly [red: number, green: number, blue: number]

/**
 * Mixed in place. An object with number fields, not an array or a returned value: what is mixed millions of times for one
 * picture must not be allocated once.
 */
export interface Paint {
  red: number
  green: number
  blue: number
}

export const newPaint = (): Paint => ({ red: 0, green: 0, blue: 0 })

/** Covers a share of the paint with the colour: 0 leaves it, 1 replaces it. */
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
