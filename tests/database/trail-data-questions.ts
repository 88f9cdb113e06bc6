// Queries on the lines of trails, and on positions of photos along them.
import type { Db } from '../../src/database/database.ts'
import * as measure from '../../src/images/along/measure-table.ts'
import { listListedAlong, listPlacesAlong, type AlongFilters } from '../../src/images/list/along-table.ts'
import * as lines from '../../src/trails/line-table.ts'
import { listDescriptions } from '../../src/trails/trail-table.ts'

const [trail, image] = [4711, 1]

const along =
  (filters: Partial<AlongFilters>) =>
  (db: Db): Promise<unknown> =>
    listListedAlong(db, trail, { after: undefined, ...filters }, 50)

const unmeasured = {
  id: image,
  trailId: trail,
  postedAt: 1,
  latitude: 46,
  longitude: 7,
  milesAlong: null,
  version: 0,
}

/** Listed last in the golden file. */
export const trailDataQuestions: readonly (readonly [string, (db: Db) => Promise<unknown>])[] = [
  ['a line: what tells it', (db) => lines.createLineMarkQuery(db)({ trailId: trail })],
  ['a line: itself', (db) => lines.findLine(db, trail)],
  ['a line: its downloads', (db) => lines.findDownloaded(db, { id: trail })],
  ['a line: its downloads, by slug', (db) => lines.findDownloaded(db, { slug: 'rim-trail' })],
  ['an import: descriptions', (db) => listDescriptions(db, [trail])],
  ['v2, a trail: along its line', along({})],
  ['v2, a trail: along its line, the next page', along({ after: { miles: 1.5, seq: 7 } })],
  ['v2, a trail: places along its line', (db) => listPlacesAlong(db, trail, 2_000)],
  ['v2, a trail: those off its line', along({ after: { miles: null, seq: 7 } })],
  ['measuring: trails', (db) => measure.listUnmeasuredTrails(db, 1, 50)],
  ['measuring: photos of a trail', (db) => measure.listPhotosOf(db, trail, { postedAt: 1, id: 1 }, 100)],
  ['measuring: single photos', (db) => measure.listUnmeasured(db, 1, 100)],
  [
    'measuring: what was measured',
    (db) => measure.saveAllMeasured(db, [{ image: unmeasured, measured: { miles: 1, version: 1 } }]),
  ],
  ['measuring: a trail is done', (db) => measure.saveTrailsMeasured(db, [{ id: trail, version: 1 }])],
  [
    'a photo that was placed',
    (db) =>
      db
        .transaction()
        .execute((tx) =>
          measure.saveMeasured(tx, { imageId: image, trailId: trail }, { miles: 1, version: 1 }),
        ),
  ],
]
