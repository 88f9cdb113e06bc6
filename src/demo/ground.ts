// The ground under the trails of the demo: from a few corners with their heights, a line that bends and climbs as a path does.
import type { DemoTrail } from './demo-trail.ts'

const pointsOfLeg = 36
/** How far a path strays from the straight leg, and how far it goes up and down on its way. */
const strayMetres = 28
const bumpMetres = 5
const metresOfDegree = 111_320

/** 0 at both ends of a leg, so that the corners stay where they are, with three bends between them. */
const bend = (share: number, leg: number): number =>
  Math.sin(share * Math.PI) * Math.sin(share * Math.PI * (2 + (leg % 3)) + leg)

/** Eases in and out, as a path does where it meets a ridge or a valley. */
const eased = (share: number): number => (1 - Math.cos(share * Math.PI)) / 2

type Corner = readonly [lat: number, lon: number, metres: number]

function pointOfLeg([lat, lon, metres]: Corner, to: Corner, { share, leg }: { share: number; leg: number }) {
  const [toLat, toLon, toMetres] = to
  const shrink = Math.cos((lat * Math.PI) / 180)
  const [north, east] = [toLat - lat, (toLon - lon) * shrink]
  const away = (bend(share, leg) * strayMetres) / metresOfDegree / Math.hypot(north, east)
  return [
    lon + (toLon - lon) * share - (north * away) / shrink,
    lat + north * share + east * away,
    metres + (toMetres - metres) * eased(share) + bumpMetres * bend(share, leg + 1),
  ]
}

/** The line as GeoJSON has it: longitude, latitude and metres above the sea. */
export function groundOf({ line, heights }: DemoTrail) {
  const corners = line.map(([lat, lon], index): Corner => [lat, lon, heights[index] ?? 0])
  const coordinates = corners.slice(1).flatMap((to, leg) => {
    const from = corners[leg] ?? to
    return Array.from({ length: pointsOfLeg }, (_, index) =>
      pointOfLeg(from, to, { share: index / pointsOfLeg, leg }),
    )
  })
  const [lat = 0, lon = 0, metres = 0] = corners.at(-1) ?? []
  return { type: 'LineString', coordinates: [...coordinates, [lon, lat, metres]] }
}
