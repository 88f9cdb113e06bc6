// Atmosphere: haze that grows with distance, and mist in low places.
import { mix, newProbe, smoothstep, type Noise } from './noise.ts'
import { newPaint, shine, tint, type Paint, type Rgb } from './colour.ts'
import type { Light } from './light.ts'

const farthestMetres = 30_000
const steps = 2_048

/** Finer at close range, where values change fastest. */
function byDistance(value: (metres: number) => number): Float32Array {
  return Float32Array.from({ length: steps + 1 }, (_, index) => value(farthestMetres * (index / steps) ** 2))
}

const between = (a: Rgb, b: Rgb): Rgb => [0.54 * (a[0] + b[0]), 0.54 * (a[1] + b[1]), 0.54 * (a[2] + b[2])]

/** A point seen through the air. */
export interface Seen {
  x: number
  y: number
  z: number
  /** Metres from the camera. */
  distance: number
  /** Alignment of the view with the sun, up to 1. */
  towardsSun: number
}

/** @param mistTop height up to which there is mist, in metres. */
export function createAir(light: Light, noise: Noise, mistTop: number) {
  const hazes = byDistance((metres) => 1 - Math.exp(-((metres / 1_000 / light.sightKm) ** 1.15)))
  const mists = byDistance((metres) => 1 - Math.exp((-light.mist * metres) / 1_100))
  const mistColour = between(light.horizon, light.haze)
  const probe = newProbe()
  const veil = newPaint()

  return {
    /** Applies the air to a colour. */
    over: (paint: Paint, seen: Seen): void => {
      const index = Math.min(steps, Math.round(Math.sqrt(seen.distance / farthestMetres) * steps))
      const hazy = hazes[index] ?? 0
      let misty = 0
      if (light.mist > 0) {
        probe.x = seen.x * 0.05
        probe.y = seen.y * 0.05
        noise.read(probe)
        const depth = mistTop - seen.z + 35 * probe.value
        if (depth > -40) misty = (mists[index] ?? 0) * smoothstep(-40, 80, depth)
      }
      const sunward = seen.towardsSun > 0 ? seen.towardsSun : 0
      tint(veil, light.haze, 1)
      tint(veil, mistColour, misty)
      shine(veil, light.glow, 0.6 * sunward * sunward * sunward * sunward * sunward)
      const share = 1 - (1 - hazy) * (1 - misty)
      paint.red = mix(paint.red, veil.red, share)
      paint.green = mix(paint.green, veil.green, share)
      paint.blue = mix(paint.blue, veil.blue, share)
    },
  }
}

export type Air = ReturnType<typeof createAir>
