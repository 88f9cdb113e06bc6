// Routes for tests of the route editor.
import { type Position } from '../../src/shared/geo/points.ts'
import { chunkOf, chunked } from '../../web/route-editor/columns.ts'
import { emptyRoute, type RouteState, type Segment } from '../../web/route-editor/route-state.ts'

export const segmentOf = (positions: readonly Position[], group = 0): Segment => ({
  kind: 'trk',
  group,
  name: undefined,
  inSource: undefined,
  chunks: chunked(chunkOf(positions)),
})
export const routeOf = (...lines: readonly (readonly Position[])[]): RouteState => ({
  ...emptyRoute,
  segments: lines.map((line, at) => segmentOf(line, at)),
})
/** A slightly irregular walk of `count` points, about 10 m apart. */
export function walk(count: number): Position[] {
  return Array.from({ length: count }, (_, at) => ({
    lat: 46 + at * 1e-4 + Math.sin(at * 1.7) * 2e-5,
    lon: 7 + Math.sin(at / 50) * 0.01,
    ele: 1_000 + Math.sin(at / 100) * 200,
  }))
}
