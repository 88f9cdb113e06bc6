// The lines of trails as maps show them.
import { createPoints, type Line } from '../shared/geo/points.ts'
import type { Db } from '../database/database.ts'
import type { MapLine } from './line-cache.ts'
import { createTrailGeometryQuery, listTrailsWithin, type LinesSought } from './map-table.ts'

type Position = readonly number[]

type Geometry =
  | { readonly type: 'LineString'; readonly coordinates: readonly Position[] }
  | { readonly type: 'MultiLineString'; readonly coordinates: readonly (readonly Position[])[] }

function linesIn(text: string): Line[] {
  const geometry = JSON.parse(text) as Geometry
  const points = createPoints()
  const lines = geometry.type === 'LineString' ? [geometry.coordinates] : geometry.coordinates
  return lines.map((line) => {
    const first = points.count
    for (const [lon = NaN, lat = NaN] of line) points.add(lat, lon)
    return { points, first, end: points.count }
  })
}

export function createFindTrailLines(db: Db) {
  const findGeometry = createTrailGeometryQuery(db)
  return async (sought: LinesSought): Promise<MapLine[]> => {
    const trails = await listTrailsWithin(db, sought)
    return trails.map(({ id, name, lineVersion }) => ({
      id,
      key: `trail:${id}:${lineVersion}`,
      pointCount: 0, // a trail's line is short, as trails/trail-line.ts bounds it
      properties: { trailID: id, name },
      read: async () => {
        const row = await findGeometry({ trailId: id })
        return row === undefined ? [] : linesIn(row.geometry)
      },
    }))
  }
}
