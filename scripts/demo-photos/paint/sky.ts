// The sky: gradient, glow, sun, clouds, and stars at night.
import { newPaint, shine, tint, type Paint, type Rgb } from './colour.ts'
import { sunDirection, type Light } from './light.ts'
import { again, clamp, hash, mix, newProbe, smoothstep, type Noise } from './noise.ts'

/** View direction: a unit vector. */
export interface Direction {
  east: number
  south: number
  up: number
}

const steps = 2_048

/** Precomputes functions of one number: the powers would otherwise dominate the cost. */
function tabulate(value: (at: number) => number): Float32Array {
  return Float32Array.from({ length: steps + 1 }, (_, index) => value(index / steps))
}

/** Some cells of a grid over the sky have a star. */
function starLight({ east, south, up }: Direction): number {
  const u = Math.atan2(east, -south) * 130
  const v = Math.asin(clamp(up, -1, 1)) * 150
  const cellU = Math.floor(u)
  const cellV = Math.floor(v)
  const luck = hash(cellU, cellV, 404)
  if (luck > 0.24) return 0
  const magnitude = again(luck, 701)
  const du = u - cellU - 0.3 - 0.4 * again(luck, 5_003)
  const dv = v - cellV - 0.3 - 0.4 * again(luck, 9_001)
  return (0.08 + 3 * magnitude ** 9) * Math.exp(-(du * du + dv * dv) * 170 * (1.25 - 0.9 * magnitude ** 8))
}

const starColour: Rgb = [1, 1, 1.1]
const milkyColour: Rgb = [1, 0.94, 1.15]

export function createSky(light: Light, noise: Noise, seed: number) {
  const sun = sunDirection(light)
  const driftX = hash(seed, 1, 1) * 512
  const driftY = hash(seed, 2, 1) * 512
  const threshold = mix(0.55, -0.75, light.clouds)
  const climbs = tabulate((up) => 1 - (1 - up) ** 3.5)
  const halos = tabulate((towards) => 0.55 * towards ** 6 + 0.8 * towards ** 40 + 1.6 * towards ** 400)
  // The Milky Way rises opposite the moon, which replaces the sun at night.
  const bandEast = -sun[1] / Math.hypot(sun[0], sun[1])
  const bandSouth = sun[0] / Math.hypot(sun[0], sun[1])
  const hasDisk = light.sunElevation < 30 && light.stars === 0
  const probe = newProbe()
  const cloud = newPaint()

  function noiseAt(x: number, y: number): number {
    probe.x = x
    probe.y = y
    noise.read(probe)
    return probe.value
  }

  function addStars(direction: Direction, paint: Paint): void {
    const { east, south, up } = direction
    const aside = Math.abs((east * bandEast + south * bandSouth) * 0.92 + up * 0.36)
    const clouded = noiseAt(east * 260 + up * 90, south * 260 - up * 60)
    const band = smoothstep(0.36, 0, aside) * (0.55 + 0.5 * clouded) * smoothstep(0, 0.35, up)
    const dust =
      smoothstep(0.1, 0.5, noiseAt(east * 420, south * 420 + up * 250)) * smoothstep(0.14, 0, aside)
    const low = smoothstep(0, 0.25, up)
    shine(paint, starColour, light.stars * starLight(direction) * (0.5 + 2 * band) * low)
    shine(paint, milkyColour, light.stars * 0.12 * Math.max(0, band) * (1 - 0.75 * dust))
  }

  function addClouds({ east, south, up }: Direction, halo: number, paint: Paint): void {
    const reach = 150 / (up + 0.09)
    const x = (east * reach + driftX) * 0.42
    const y = (south * reach + driftY) * 0.42
    const shape = noiseAt(x, y) + 0.35 * noiseAt(x * 5, y * 5)
    const density = smoothstep(threshold, threshold + 0.75, shape)
    if (density <= 0) return
    const sunward = noiseAt(x + sun[0] * 4, y + sun[1] * 4)
    const lit = clamp(0.55 + 0.9 * (shape - sunward) - 0.35 * density + 0.25 * halo)
    tint(cloud, light.cloudShade, 1)
    tint(cloud, light.cloudLit, lit)
    shine(cloud, light.glow, 0.4 * halo)
    const veil = 0.92 * density * smoothstep(0, 0.1, up)
    paint.red = mix(paint.red, cloud.red, veil)
    paint.green = mix(paint.green, cloud.green, veil)
    paint.blue = mix(paint.blue, cloud.blue, veil)
  }

  return {
    /** Paints the sky in a direction. */
    at: (direction: Direction, paint: Paint): void => {
      const { east, south, up } = direction
      const towards = east * sun[0] + south * sun[1] + up * sun[2]
      const climb = climbs[Math.round(clamp(up) * steps)] ?? 0
      const halo = (halos[Math.round(clamp(towards) * steps)] ?? 0) * (1 - 0.4 * climb)
      tint(paint, light.horizon, 1)
      tint(paint, light.zenith, climb)
      shine(paint, light.glow, halo)
      if (hasDisk && towards > 0.9998) shine(paint, light.sun, 30 * smoothstep(0.99985, 0.99993, towards))
      if (light.stars > 0 && up > 0) addStars(direction, paint)
      if (light.clouds > 0 && up > 0.004) addClouds(direction, halo, paint)
    },
  }
}

export type Sky = ReturnType<typeof createSky>
