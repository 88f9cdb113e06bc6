// Low vegetation near the camera: tufts of grass, and flowers.
import { again, hash } from './noise.ts'

/** Metres between tufts. */
const spacing = 0.13

export interface Meadow {
  /** 0 … 1: how much of the ground is covered. */
  readonly share: number
  /** Metres of the tallest tuft. */
  readonly tallest: number
}

/** Rows of tufts are shifted against each other. */
const acrossAt = (x: number, y: number): number => x / spacing + 8 * hash(Math.floor(y / spacing), 0, 13)

/** Height of grass above the ground at a point, in metres. */
export function tuftRise({ share, tallest }: Meadow, x: number, y: number): number {
  const across = acrossAt(x, y)
  const down = y / spacing
  const luck = hash(Math.floor(across), Math.floor(down), 12)
  if (luck > share) return 0
  const east = across - Math.floor(across) - 0.35 - 0.3 * again(luck, 4_001)
  const south = down - Math.floor(down) - 0.35 - 0.3 * again(luck, 577)
  const blade = 1 - 2.6 * Math.sqrt(east * east + south * south)
  return blade > 0 ? blade * tallest * (0.35 + 0.65 * again(luck, 2_803)) : 0
}

/** 0 … 1, the same for the whole tuft. */
export function tuftLuck(x: number, y: number): number {
  return again(hash(Math.floor(acrossAt(x, y)), Math.floor(y / spacing), 12), 1_511)
}
