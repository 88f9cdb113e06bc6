// Lighting for a time of day: sun, sky, haze, mist and clouds, as linear colours.
import type { Rgb } from './colour.ts'
import { mix } from './noise.ts'

export interface Light {
  /** Degrees clockwise from north; degrees above the horizon. */
  readonly sunAzimuth: number
  readonly sunElevation: number
  readonly sun: Rgb
  readonly zenith: Rgb
  readonly horizon: Rgb
  /** The glow around the sun. */
  readonly glow: Rgb
  readonly haze: Rgb
  /** Distance in kilometres at which haze hides two thirds. */
  readonly sightKm: number
  /** Cloud cover, 0 … 1. */
  readonly clouds: number
  readonly cloudLit: Rgb
  readonly cloudShade: Rgb
  /** Brightness of stars, 0 … 1. */
  readonly stars: number
  /** Low mist: metres of its top above the camera's base, and its density. */
  readonly mistTop: number
  readonly mist: number
  readonly exposure: number
}

const noon: Light = {
  sunAzimuth: 215,
  sunElevation: 48,
  sun: [3.1, 2.85, 2.5],
  zenith: [0.1, 0.24, 0.62],
  horizon: [0.5, 0.68, 0.92],
  glow: [0.5, 0.45, 0.35],
  haze: [0.42, 0.56, 0.78],
  sightKm: 16,
  clouds: 0.45,
  cloudLit: [1.25, 1.22, 1.18],
  cloudShade: [0.55, 0.62, 0.74],
  stars: 0,
  mistTop: 0,
  mist: 0,
  exposure: 0.95,
}

export const hours = {
  noon,
  morning: {
    ...noon,
    sunAzimuth: 105,
    sunElevation: 24,
    sun: [3.2, 2.6, 1.9],
    zenith: [0.12, 0.26, 0.58],
    horizon: [0.72, 0.74, 0.8],
    glow: [0.9, 0.65, 0.35],
    haze: [0.52, 0.6, 0.74],
    sightKm: 11,
    clouds: 0.35,
    mistTop: 60,
    mist: 0.5,
  },
  dawn: {
    ...noon,
    sunAzimuth: 80,
    sunElevation: 5,
    sun: [2.8, 1.3, 0.65],
    zenith: [0.13, 0.25, 0.54],
    horizon: [1.05, 0.68, 0.46],
    glow: [1.5, 0.66, 0.24],
    haze: [0.54, 0.44, 0.5],
    sightKm: 11,
    clouds: 0.4,
    cloudLit: [1.3, 0.66, 0.42],
    cloudShade: [0.36, 0.32, 0.44],
    mistTop: 90,
    mist: 0.8,
    exposure: 0.95,
  },
  golden: {
    ...noon,
    sunAzimuth: 280,
    sunElevation: 12,
    sun: [3.6, 2.0, 0.85],
    zenith: [0.13, 0.26, 0.56],
    horizon: [1.0, 0.72, 0.46],
    glow: [1.5, 0.8, 0.28],
    haze: [0.58, 0.5, 0.48],
    sightKm: 13,
    clouds: 0.45,
    cloudLit: [1.6, 1.0, 0.6],
    cloudShade: [0.42, 0.4, 0.5],
    mistTop: 30,
    mist: 0.3,
  },
  dusk: {
    ...noon,
    sunAzimuth: 285,
    sunElevation: 2,
    sun: [1.3, 0.5, 0.32],
    zenith: [0.06, 0.12, 0.34],
    horizon: [0.95, 0.48, 0.34],
    glow: [1.6, 0.5, 0.16],
    haze: [0.3, 0.25, 0.4],
    sightKm: 9,
    clouds: 0.5,
    cloudLit: [1.5, 0.5, 0.4],
    cloudShade: [0.2, 0.16, 0.3],
    mistTop: 40,
    mist: 0.5,
    exposure: 1.2,
  },
  overcast: {
    ...noon,
    sun: [0.5, 0.5, 0.5],
    zenith: [0.5, 0.55, 0.6],
    horizon: [0.68, 0.72, 0.75],
    glow: [0.05, 0.05, 0.05],
    haze: [0.6, 0.65, 0.69],
    sightKm: 5,
    clouds: 0.85,
    cloudLit: [0.74, 0.77, 0.8],
    cloudShade: [0.42, 0.46, 0.52],
    mistTop: 120,
    mist: 1.2,
    exposure: 1,
  },
  night: {
    ...noon,
    sunAzimuth: 150,
    sunElevation: 35,
    sun: [0.15, 0.19, 0.28],
    zenith: [0.01, 0.018, 0.05],
    horizon: [0.05, 0.075, 0.12],
    glow: [0.02, 0.025, 0.03],
    haze: [0.04, 0.058, 0.095],
    sightKm: 12,
    clouds: 0.1,
    cloudLit: [0.07, 0.085, 0.12],
    cloudShade: [0.02, 0.026, 0.045],
    stars: 1,
    exposure: 2.1,
  },
} as const satisfies Record<string, Light>

/** Direction of the sun: east, south, up. */
export function sunDirection({ sunAzimuth, sunElevation }: Light): readonly [number, number, number] {
  const azimuth = (sunAzimuth * Math.PI) / 180
  const elevation = (sunElevation * Math.PI) / 180
  return [
    Math.sin(azimuth) * Math.cos(elevation),
    -Math.cos(azimuth) * Math.cos(elevation),
    Math.sin(elevation),
  ]
}

/** Interpolates between two times of day. */
export function blendLights(from: Light, to: Light, share: number): Light {
  const between = (a: Rgb, b: Rgb): Rgb => [
    mix(a[0], b[0], share),
    mix(a[1], b[1], share),
    mix(a[2], b[2], share),
  ]
  return {
    sunAzimuth: mix(from.sunAzimuth, to.sunAzimuth, share),
    sunElevation: mix(from.sunElevation, to.sunElevation, share),
    sun: between(from.sun, to.sun),
    zenith: between(from.zenith, to.zenith),
    horizon: between(from.horizon, to.horizon),
    glow: between(from.glow, to.glow),
    haze: between(from.haze, to.haze),
    sightKm: mix(from.sightKm, to.sightKm, share),
    clouds: mix(from.clouds, to.clouds, share),
    cloudLit: between(from.cloudLit, to.cloudLit),
    cloudShade: between(from.cloudShade, to.cloudShade),
    stars: mix(from.stars, to.stars, share),
    mistTop: mix(from.mistTop, to.mistTop, share),
    mist: mix(from.mist, to.mist, share),
    exposure: mix(from.exposure, to.exposure, share),
  }
}
