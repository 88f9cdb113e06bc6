// A track for the map: no more points than are visible.
import type { Track } from '../../../../src/shared/placing/track.ts'
import type { Position } from '../../../map/kinds.ts'

const maxPoints = 4_000

export function positionsOf({ count, lats, lons }: Track): readonly Position[] {
  const every = Math.max(1, Math.ceil(count / maxPoints))
  const positions: Position[] = []
  for (let index = 0; index < count; index += every) positions.push([lons[index] ?? 0, lats[index] ?? 0])
  if ((count - 1) % every !== 0) positions.push([lons[count - 1] ?? 0, lats[count - 1] ?? 0])
  return positions
}
