// The lines of trails as maps show them.
import { linesOfGeometry } from '../shared/geo/geometry-lines.ts'
import type { Db } from '../database/database.ts'
import type { MapLine } from './line-cache.ts'
import { createTrailGeometryQuery, listTrailsWithin, type LinesSought } from './map-table.ts'

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
        return row === undefined ? [] : linesOfGeometry(JSON.parse(row.geometry))
      },
    }))
  }
}
