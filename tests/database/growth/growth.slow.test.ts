// Growth: the queries of a request cost about the same with a hundred thousand images as with a hundred, with or without
// statistics.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createStoredRouteQuery } from '../../../src/account-routes/route-table.ts'
import { listAccounts } from '../../../src/admin/account-list.ts'
import type { Db } from '../../../src/database/database.ts'
import { openDatabase } from '../../../src/database/open-database.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { readEventsAfter } from '../../../src/events/feed-table.ts'
import { listMarked } from '../../../src/images/storage/content-table.ts'
import * as images from '../../../src/images/image-table.ts'
import { usageOf } from '../../../src/images/usage-table.ts'
import { listImages } from '../../../src/images/list/newest-table.ts'
import { listTrash } from '../../../src/images/trash/trash-table.ts'
import { createPhotoQueries } from '../../../src/maps/map-table.ts'
import { cellsOfTile } from '../../../src/shared/geo/cells.ts'
import { createPreparedRows } from '../../../src/database/prepared-rows.ts'
import { listHashesNear } from '../../../src/events/near-pairs-table.ts'
import { listHistory } from '../../../src/review/history-table.ts'
import { listQueue } from '../../../src/review/queue-page-table.ts'
import { countWaiting, type QueueFilters } from '../../../src/review/queue-table.ts'
import { listTrails } from '../../../src/trails/trail-table.ts'
import { describePlans, goldenFile } from '../query-plans.ts'
import { newFolder } from '../../helpers/folders.ts'
import { openGrown, type GrownDatabase } from '../../helpers/grown.ts'

const many = 100_000
/** The maximum seen was 4 ×, on a busy machine. Scanning an index would cost at least 40 ×. */
const maxTimes = 30
/** Lower limit of a query's CPU, including its overhead. */
const minUs = 100
const tries = 12

/** The cells of the tile 6/33/22 in the Alps, where most photos are; at most 1,024. */
const { first, last } = cellsOfTile(6, 33, 22)
const tileOfMany = { zoom: 11, first: first / 4 ** 13, last: Math.floor(last / 4 ** 13) }

type Ask = (db: Db, grown: GrownDatabase) => Promise<unknown>

const queued =
  (filters: Partial<QueueFilters>): Ask =>
  (db) =>
    listQueue(db, createPreparedRows(db), { trails: undefined, ...filters }, { viewer: 1, now: 1, limit: 21 })
const newest =
  (filters: (grown: GrownDatabase) => images.ImageFilters): Ask =>
  (db, grown) =>
    listImages(db, filters(grown), 21)
const trashed = { deletedAfter: 1, submitterId: undefined, reach: undefined, after: undefined }
const empty = { west: 1, south: 1, east: 2, north: 2 }

const questions: Readonly<Record<string, Ask>> = {
  'a list': (db, { trailOf20 }) => images.listListed(db, trailOf20),
  'an image': (db, { imageId }) => images.findImage(db, imageId),
  'a view': (db, { imageId }) => images.createFileQuery(db)({ id: imageId }),
  'a route': (db, { routeId }) => createStoredRouteQuery(db)({ id: routeId }),
  'the quotas of an upload, of whoever sent a tenth of all': (db, { heavyId }) => usageOf(db, heavyId),
  images: newest(() => ({})),
  'images, far down': newest(({ images: all }) => ({ after: { postedAt: Date.UTC(2024, 4, 1), id: all } })),
  'images of a trail': newest(({ trail }) => ({ trailId: trail })),
  'rejected images of a trail': newest(({ trail }) => ({ trailId: trail, state: 'rejected' })),
  'rejected images of whoever sent a tenth of all': newest(({ heavyId }) => ({
    submitterId: heavyId,
    state: 'rejected',
  })),
  'their images on a trail': newest(({ heavyId, trail }) => ({ submitterId: heavyId, trailId: trail })),
  'images since now': newest(() => ({ since: Date.now() })),
  'images in a box with none': newest(() => ({ within: empty })),
  'images in a box with none, a limited reviewer': newest(({ limitedId, limitedTrails }) => ({
    within: empty,
    reach: { trails: new Set(limitedTrails), submitterId: limitedId },
  })),
  'images in a wide box': newest(() => ({ within: { west: 5, south: 43, east: 16, north: 49 } })),
  'images of a limited reviewer': newest(({ limitedId, limitedTrails }) => ({
    reach: { trails: new Set(limitedTrails), submitterId: limitedId },
  })),
  'the queue': queued({}),
  'the queue, far down': queued({ after: { queuedAt: Date.UTC(2024, 4, 1), id: 1 } }),
  'the queue: edited ones': queued({ kind: 'edited' }),
  'the queue: reported ones': queued({ kind: 'reported' }),
  'the queue: what is claimed': queued({ claimed: 'mine' }),
  'the queue: of somebody who has nothing in it': queued({ submitterId: 999_999_999 }),
  'how much waits': (db) => countWaiting(db),
  'near hashes': (db, { trail }) => listHashesNear(db, trail, [[1, 2, 3, 4]]),
  'a history': (db, { imageId }) => listHistory(db, imageId, { after: 0, limit: 50 }),
  changes: (db, { images: all }) => readEventsAfter(db, all, 20),
  'the trash': (db) => listTrash(db, trashed, 21),
  'a tile': (db) => createPhotoQueries(db).areMoreThan({ first: 0, last: 2 ** 47 }, 1_000),
  'how many photos a tile has': (db) => createPhotoQueries(db).countInSquares(tileOfMany),
  'a tile of many': (db) => createPhotoQueries(db).listFirstOfSquares(tileOfMany),
  trails: (db) => listTrails(db, {}, 21),
  'trails by words': (db) => listTrails(db, { words: 'trail 7' }, 21),
  'trails by words that none has': (db) => listTrails(db, { words: 'nowhere' }, 21),
  accounts: (db) => listAccounts(db, {}, 21),
  'leftovers of a crash': (db) => listMarked(db),
}

/** CPU of the cheapest of several runs, in microseconds, to exclude other work. */
async function costUs(grown: GrownDatabase, ask: Ask): Promise<number> {
  let min = Number.POSITIVE_INFINITY
  for (let left = tries; left > 0; left -= 1) {
    const before = process.cpuUsage()
    await ask(grown.database.db, grown)
    const { user, system } = process.cpuUsage(before)
    min = Math.min(min, user + system)
  }
  return min
}

void test('growth: no query of a request reads all images, accounts or events', async (t) => {
  const small = await openGrown(t, 100)
  const large = await openGrown(t, many)
  for (const [question, ask] of Object.entries(questions)) {
    const [few, more] = [await costUs(small, ask), await costUs(large, ask)]
    assert.ok(more <= maxTimes * Math.max(few, minUs), `${question}: ${few} µs, ${more} µs among ${many}`)
  }

  // Only an operator may run ANALYZE. The plans then stay the same, except for nearly empty tables.
  const statistics = new DatabaseSync(large.file)
  statistics.exec('analyze')
  const rows = statistics.prepare('select tbl, idx, stat from sqlite_stat1').all()
  statistics.close()
  const databaseFile = path.join(await newFolder(t), 'waymark.sqlite')
  const fresh = await openDatabase({ engine: 'sqlite', file: databaseFile })
  await migrate(fresh)
  await fresh.close()
  const analysed = new DatabaseSync(databaseFile)
  analysed.exec('analyze; delete from sqlite_stat1')
  const insert = analysed.prepare('insert into sqlite_stat1 values (?, ?, ?)')
  for (const { tbl = null, idx = null, stat = null } of rows) insert.run(tbl, idx, stat)
  analysed.close()
  const reopened = await openDatabase({ engine: 'sqlite', file: databaseFile })
  t.after(() => reopened.close())
  const golden = (await readFile(goldenFile, 'utf8')).split('\n')
  const known = new Set(golden)
  const others = (await describePlans(reopened.db)).split('\n').filter((line) => !known.has(line))
  const harmless =
    /^ +(SCAN (counter|route|account_trail|account)$|SEARCH place USING INTEGER PRIMARY KEY \(rowid=\?\)$|SEARCH route USING INTEGER PRIMARY KEY \(rowid>\?\)$|SEARCH route USING COVERING INDEX route_by_geometry \(account_id=\?\)$|SEARCH image USING (COVERING )?INDEX |INDEX [12]$)/
  assert.deepEqual(
    others.filter((line) => !harmless.test(line)),
    [],
  )
})
