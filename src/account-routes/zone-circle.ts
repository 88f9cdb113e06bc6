// The circle by which a privacy zone clips: covers the zone, and is centred somewhere else that only the account's salt knows.
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

interface Step {
  /** Zones up to this radius are displaced by this step and all those before it. */
  readonly upToRadiusMetres: number
  readonly leastMetres: number
  readonly mostMetres: number
}

/**
 * The displacement is a walk: the centre of every tier is that of the tier below, moved on in a direction that depends
 * on nothing else. So of a zone that was made with 200 m and later with 500 m at the same place, the larger circle tells
 * nothing which the smaller did not; a displacement in proportion to the radius would give the centre away to whoever
 * saw two radii, and directions drawn anew would leave the two points where two rings meet.
 *
 * The lengths keep, whatever the directions are: centre to centre never less than the radius of the zone (least − what
 * the steps before may take back), and on average at least twice the radius, because the mean of the ends of routes that
 * fan out evenly lies halfway between the two centres.
 */
const steps: readonly Step[] = [
  { upToRadiusMetres: 200, leastMetres: 400, mostMetres: 500 },
  { upToRadiusMetres: 1_000, leastMetres: 2_000, mostMetres: 2_100 },
]

/** For rounding: geodesics are good to nanometres, and a metre hides how good. */
const marginMetres = 1

const cellDegrees = 0.01

const { Geodesic } = geographiclib

/** How many steps displace a zone of this radius. */
const stepsFor = (radiusMetres: number): readonly Step[] =>
  steps.filter((_, index) => index === 0 || radiusMetres > (steps[index - 1]?.upToRadiusMetres ?? 0))

/** Of the clipping circle, in metres: by the zone's radius alone, so that it does not tell how far away the centre is. */
export function hiddenRadiusOf(radiusMetres: number): number {
  const farthest = stepsFor(radiusMetres).reduce((sum, { mostMetres }) => sum + mostMetres, 0)
  return radiusMetres + farthest + marginMetres
}

/** The same for every zone of the account in the same cell, so that making a zone again shows nobody a second circle. */
export function circleOf(zone: Zone, salt: string): Circle {
  const cell = cellOf(zone.lat, zone.lon)
  let centre = { lat: zone.lat, lon: zone.lon }
  for (const [index, { leastMetres, mostMetres }] of stepsFor(zone.radiusMetres).entries()) {
    const { direction, length } = drawsOf(salt, cell, index)
    const metres = leastMetres + length * (mostMetres - leastMetres)
    const { lat2, lon2 } = Geodesic.WGS84.Direct(centre.lat, centre.lon, direction * 360, metres)
    centre = { lat: lat2 ?? NaN, lon: lon2 ?? NaN }
  }
  return { ...centre, radiusMetres: hiddenRadiusOf(zone.radiusMetres) }
}

/** Cells are some 1.1 km wide and high wherever they are; degrees of longitude alone would be slivers near a pole. */
function cellOf(lat: number, lon: number): string {
  const row = Math.round(lat / cellDegrees)
  const parallel = Math.cos((row * cellDegrees * Math.PI) / 180)
  const columns = Math.max(1, Math.round((360 / cellDegrees) * parallel))
  const column = Math.round(((lon + 180) / 360) * columns) % columns
  return `${row} ${column}`
}

/** Two numbers from 0 to 1 that nobody can tell without the salt. */
function drawsOf(salt: string, cell: string, step: number): { direction: number; length: number } {
  const bytes = createHmac('sha256', salt).update(`zone ${step} ${cell}`).digest()
  const fraction = (offset: number): number => bytes.readUIntBE(offset, 6) / 2 ** 48
  return { direction: fraction(0), length: fraction(6) }
}
