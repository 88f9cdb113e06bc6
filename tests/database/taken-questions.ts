// Queries on the days when images were taken, and on files that are still to be read.
import type { Db } from '../../src/database/database.ts'
import * as images from '../../src/images/image-table.ts'
import { listImages } from '../../src/images/list/newest-table.ts'
import { listListedByDay, listTakenMonths, type ByDayFilters } from '../../src/images/list/taken-table.ts'
import { listListedAfter } from '../../src/maps/map-table.ts'

const [trail, account] = [4711, 42]
const taken: images.TakenDays = { from: '2026-05-01', to: '2026-05-31', of: 'all' }
const ofOwn: images.TakenDays = { ...taken, of: { submitterId: account } }

const ofTrail = (filters: images.ListedFilters) => (db: Db) => images.createListedPage(db)(trail, filters, 50)

const byDay =
  (filters: Partial<ByDayFilters>) =>
  (db: Db): Promise<unknown> =>
    listListedByDay(db, trail, { after: undefined, ...filters }, 50)

/** Listed last in the golden file. */
export const takenQuestions: readonly (readonly [string, (db: Db) => Promise<unknown>])[] = [
  ['v2: taken on some days', (db) => listImages(db, { taken }, 50)],
  ['v2: own images taken on some days', (db) => listImages(db, { submitterId: account, taken }, 50)],
  ['v2, a trail: taken on some days', ofTrail({ taken, afterSeq: 1 })],
  ['v2, a trail: own images taken on some days', ofTrail({ taken: ofOwn, afterSeq: 1 })],
  [
    'a map: taken on some days',
    (db) => listListedAfter(db, trail, { after: 1, within: undefined, taken }, 200),
  ],
  ['v2, a trail: by the day they were taken', byDay({})],
  ['v2, a trail: by day, the next page', byDay({ after: { day: '2026-05-14', seq: 7 } })],
  ['v2, a trail: by day, those without one', byDay({ after: { day: null, seq: 7 } })],
  ['v2, a trail: by day, some days', byDay({ taken })],
  ['v2, a trail: how many of each month', (db) => listTakenMonths(db, trail)],
]
