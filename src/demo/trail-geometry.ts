// The line of an invented trail as an import takes it: with points between its own, and heights that rise and fall.
import type { DemoTrail } from './demo-trail.ts'

/** Of each leg between two points of the line. */
const steps = 24
/** Metres; what no map would show, but a profile does. */
const unevenness = 4

/** From one height to the next, level at both. */
const eased = (share: number): number => (1 - Math.cos(share * Math.PI)) / 2

function* placesOf({ line, heights }: DemoTrail): Generator<number[], void> {
  const legs = line.length - 1
  for (let index = 0; index <= legs * steps; index += 1) {
    const leg = Math.min(legs - 1, Math.floor(index / steps))
    const share = index / steps - leg
    const [fromLat = 0, fromLon = 0] = line[leg] ?? []
    const [toLat = 0, toLon = 0] = line[leg + 1] ?? []
    const [low = 0, high = 0] = [heights[leg], heights[leg + 1]]
    const height = low + (high - low) * eased(share) + unevenness * Math.sin(index / 3)
    yield [fromLon + (toLon - fromLon) * share, fromLat + (toLat - fromLat) * share, height]
  }
}

export const geometryOf = (trail: DemoTrail) => ({
  type: 'LineString',
  coordinates: [...placesOf(trail)],
})
