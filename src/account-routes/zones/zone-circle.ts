// The clipping circle of a privacy zone: it covers the zone, and its centre is displaced by an amount derived only
// from the account's salt.
import { createHmac } from 'node:crypto'
import geographiclib from 'geographiclib-geodesic'

export interface Zone {
  /** Degrees on WGS84. */
  readonly lat: number
  readonly lon: number
  readonly radiusMetres: number
}

export interface Circle {
  readonly lat: number
  readonly lon: number
  readonly radiusMetres: number
}

/**
 * How an account's circles are displaced, which never changes for an account. `ring`: accounts that had a zone before
 * migration 0010. Their circles were centred 400 to 500 m from home (2,000 m for large zones), which many route ends
 * together reveal.
 */
export type Displacement = 'disc' | 'ring'

interface Step {
  /** Separates the random numbers of one step from those of all others. */
  readonly name: string
  /** Zones larger than this radius take this step, and all steps before it. */
  readonly aboveRadiusMetres: number
  /** Uniform over a disc of `maxMetres` if `minMetres` is undefined, otherwise over a narrow ring. */
  readonly minMetres?: number
  readonly maxMetres: number
}

/**
 * The displacement is a walk. Each step is uniform over a disc and depends only on salt, step and cell. So if a zone had
 * two sizes at one place, the larger circle contains the smaller one and reveals nothing more about home. Displacements
 * in proportion to the radius would not do: two sizes would reveal home exactly. Nor would circles that only overlap:
 * they would hide only what both hide.
 *
 * With these lengths every circle is ten times as large as the largest zone that takes the same steps
 * (docs/decisions/0098-ten-radii.md; tests/account-routes/zones/zone-attacks.test.ts tests the effect).
 */
const discSteps: readonly Step[] = [
  { name: 'disc 100', aboveRadiusMetres: 0, maxMetres: 900 },
  { name: 'disc 200', aboveRadiusMetres: 100, maxMetres: 900 },
  { name: 'disc 300', aboveRadiusMetres: 200, maxMetres: 900 },
  { name: 'disc 500', aboveRadiusMetres: 300, maxMetres: 1_800 },
  { name: 'disc 1000', aboveRadiusMetres: 500, maxMetres: 4_500 },
]

/**
 * The walk of accounts whose old circles may have been seen. It contains the old steps with their old names: every
 * new circle contains the old one of the same zone, and its displacement from it does not depend on the location of
 * home. So a new view reveals nothing to a person who has an old one.
 */
const ringSteps: readonly Step[] = [
  { name: '0', aboveRadiusMetres: 0, minMetres: 400, maxMetres: 500 },
  { name: 'disc 100', aboveRadiusMetres: 0, maxMetres: 900 },
  { name: 'disc 200', aboveRadiusMetres: 100, maxMetres: 400 },
  { name: '1', aboveRadiusMetres: 200, minMetres: 2_000, maxMetres: 2_100 },
  { name: 'disc 500', aboveRadiusMetres: 300, maxMetres: 600 },
  { name: 'disc 1000', aboveRadiusMetres: 500, maxMetres: 4_500 },
]

const walks = { disc: discSteps, ring: ringSteps } as const

/**
 * For rounding, and because azimuths turn with the meridian: the same two steps in another order end up to 5 m apart
 * at 85° of latitude, and a circle has to contain the one that took its steps in the old order.
 */
const marginMetres = { disc: 1, ring: 10 } as const

const cellDegrees = 0.01

const { Geodesic } = geographiclib

const stepsFor = (radiusMetres: number, displacement: Displacement): readonly Step[] =>
  walks[displacement].filter(({ aboveRadiusMetres }) => radiusMetres > aboveRadiusMetres)

/**
 * How much larger the circle is than its zone. It depends only on the zone's radius, so it does not reveal how far
 * away the centre is.
 */
function addedMetres(radiusMetres: number, displacement: Displacement): number {
  const farthest = stepsFor(radiusMetres, displacement).reduce((sum, { maxMetres }) => sum + maxMetres, 0)
  return farthest + marginMetres[displacement]
}

/** The radius of the clipping circle, in metres. */
export const hiddenRadiusOf = (radiusMetres: number, displacement: Displacement): number =>
  radiusMetres + addedMetres(radiusMetres, displacement)

export interface HiddenSize {
  readonly maxRadius: number
  readonly added: number
}

/** The values of `hiddenRadiusOf` as a table up to the largest radius: for forms, before a zone is created. */
export function hiddenSizes(maxRadiusMetres: number, displacement: Displacement): HiddenSize[] {
  const bounds = walks[displacement].map(({ aboveRadiusMetres }) => aboveRadiusMetres)
  const tops = new Set([...bounds.filter((metres) => metres > 0), maxRadiusMetres])
  return [...tops].map((maxRadius) => ({ maxRadius, added: addedMetres(maxRadius, displacement) }))
}

export interface Displaced {
  readonly salt: string
  readonly displacement: Displacement
}

/**
 * The same for every zone of the account in the same cell, so that recreating a zone never reveals a second circle.
 */
export function circleOf(zone: Zone, { salt, displacement }: Displaced): Circle {
  const cell = cellOf(zone.lat, zone.lon)
  let centre = { lat: zone.lat, lon: zone.lon }
  for (const { name, minMetres, maxMetres } of stepsFor(zone.radiusMetres, displacement)) {
    const { direction, length } = drawsOf(salt, cell, name)
    const metres =
      minMetres === undefined ? maxMetres * Math.sqrt(length) : minMetres + length * (maxMetres - minMetres)
    const { lat2, lon2 } = Geodesic.WGS84.Direct(centre.lat, centre.lon, direction * 360, metres)
    centre = { lat: lat2 ?? NaN, lon: lon2 ?? NaN }
  }
  return { ...centre, radiusMetres: hiddenRadiusOf(zone.radiusMetres, displacement) }
}

/** Cells are about 1.1 km wide and high everywhere; in degrees of longitude they would be slivers near a pole. */
function cellOf(lat: number, lon: number): string {
  const row = Math.round(lat / cellDegrees)
  const parallel = Math.cos((row * cellDegrees * Math.PI) / 180)
  const columns = Math.max(1, Math.round((360 / cellDegrees) * parallel))
  const column = Math.round(((lon + 180) / 360) * columns) % columns
  return `${row} ${column}`
}

/** Two numbers from 0 to 1 that cannot be predicted without the salt. */
function drawsOf(salt: string, cell: string, step: string): { direction: number; length: number } {
  const bytes = createHmac('sha256', salt).update(`zone ${step} ${cell}`).digest()
  const fraction = (offset: number): number => bytes.readUIntBE(offset, 6) / 2 ** 48
  return { direction: fraction(0), length: fraction(6) }
}
