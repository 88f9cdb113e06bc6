// The circle before migration 0010: displaced by 400 to 500 m for a small zone, and by about 2 km for a large one.
import { createHmac } from 'node:crypto'
import type { Circle, Zone } from '../../../src/account-routes/zones/zone-circle.ts'
import { moved } from './zone-cases.ts'

export function oldCircleOf(zone: Zone, salt: string): Circle {
  const row = Math.round(zone.lat / 0.01)
  const columns = Math.max(1, Math.round(36_000 * Math.cos((row * 0.01 * Math.PI) / 180)))
  const column = Math.round(((zone.lon + 180) / 360) * columns) % columns
  const rings = [[400, 500] as const, ...(zone.radiusMetres > 200 ? [[2_000, 2_100] as const] : [])]
  let centre: { lat: number; lon: number } = zone
  let farthest = 0
  for (const [index, [min, max]] of rings.entries()) {
    const bytes = createHmac('sha256', salt).update(`zone ${index} ${row} ${column}`).digest()
    const [direction, length] = [0, 6].map((offset) => bytes.readUIntBE(offset, 6) / 2 ** 48)
    centre = moved(centre, (direction ?? 0) * 360, min + (length ?? 0) * (max - min))
    farthest += max
  }
  return { ...centre, radiusMetres: zone.radiusMetres + farthest + 1 }
}
