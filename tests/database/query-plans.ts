// The queries of the table files with SQLite's plan for each, as text. Run directly, it regenerates the golden file.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CompiledQuery, SqliteQueryCompiler, type KyselyPlugin } from 'kysely'
import * as routes from '../../src/account-routes/route-table.ts'
import * as shown from '../../src/account-routes/public-view/public-view-table.ts'
import { createPublicViewsWithin } from '../../src/account-routes/public-view/public-view-tiles.ts'
import * as zones from '../../src/account-routes/zones/zone-table.ts'
import { findRole } from '../../src/accounts/account-table.ts'
import * as keys from '../../src/auth/api-key-table.ts'
import { createTokenQuery } from '../../src/auth/oauth/oauth-objects-table.ts'
import type { Db, Tx } from '../../src/database/database.ts'
import { isTouch } from '../../src/database/written.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createPreparedRows } from '../../src/database/prepared-rows.ts'
import * as pairs from '../../src/events/near-pairs-table.ts'
import { bumpTrailVersion, findPlaceOnTrail, recordMove } from '../../src/events/outbox.ts'
import * as alike from '../../src/images/near-duplicates-table.ts'
import * as content from '../../src/images/storage/content-table.ts'
import * as renditions from '../../src/images/storage/rendition-table.ts'
import * as details from '../../src/images/details-table.ts'
import * as images from '../../src/images/image-table.ts'
import * as usage from '../../src/images/usage-table.ts'
import { listImages } from '../../src/images/list/newest-table.ts'
import * as trash from '../../src/images/trash/trash-table.ts'
import * as untouchedImages from '../../src/images/upload/untouched-table.ts'
import { deleteExpiredKeys, findRetry, insertRetry } from '../../src/idempotency/retry-table.ts'
import * as maps from '../../src/maps/map-table.ts'
import * as flags from '../../src/review/flags/flags-table.ts'
import { listQueue } from '../../src/review/queue-page-table.ts'
import * as queue from '../../src/review/queue-table.ts'
import { listSubmitters } from '../../src/review/submitter-table.ts'
import * as reports from '../../src/review/reports/report-table.ts'
import * as review from '../../src/review/review-table.ts'
import { findTrail } from '../../src/trails/trail-table.ts'
import { imageRow, insertParents } from './database-suite.ts'
import { moreQuestions } from './plan-questions.ts'

export const goldenFile = path.join(import.meta.dirname, 'golden', 'query-plans.txt')

const { id, trail_id: trailId, submitter_id: accountId, sha256 } = imageRow
const rendition = { name: 'sm.jpeg', bytes: 1, digest: '' }
const box = { west: -123, south: 45, east: -122, north: 46 }
const after = { postedAt: 1, id: 1 }
const apiKey = { keyHash: 'hash', prefix: 'prefix', accountId, name: '', createdAt: 0, expiresAt: undefined }
const move = {
  type: 'image.uploaded',
  at: 1,
  imageId: id,
  trailId,
  submitterId: accountId,
  actorId: accountId,
} as const

const approval = { to: 'approved', at: 1, acceptsTexts: true } as const
const untouched = { submitterId: accountId, trailId, postedAfter: 1 }
const another = { accountId, isForStaff: false }
const place = { accountId, path: '/Trails/4711/Images', keyHash: 'hash' }
const retry = { account_id: accountId, path: '', key_hash: '', body_sha256: '', made_id: id, expires_at: 1 }

const newest = (filters: images.ImageFilters) => (db: Db) => listImages(db, filters, 50)
const trashed = { deletedAt: 1, id: 1 }
const inTrash = (filters: Partial<trash.TrashFilters>) => (db: Db) =>
  trash.listTrash(
    db,
    { deletedAfter: 1, submitterId: undefined, reach: undefined, after: undefined, ...filters },
    50,
  )

const queued = (filters: Partial<queue.QueueFilters>) => (db: Db) =>
  listQueue(
    db,
    createPreparedRows(db),
    { trails: undefined, ...filters },
    { viewer: accountId, now: 1, limit: 50 },
  )
const queuedAfter = { queuedAt: 1, id: 1 }
const distance = {
  image_id: id,
  metres: 1,
  latitude: 1,
  longitude: 1,
  updated_at: 1,
  miles: null,
  west: null,
  south: null,
  east: null,
  north: null,
}
const hashed = { id, trailId, bands: [1, 2, 3, 4] } as const
const someTrails = new Set([trailId, trailId + 1])

const ownRoutes = (filters: routes.RouteFilters) => (db: Db) =>
  routes.listOwnRoutes(db, accountId, filters, 50)

/** Description and query, in the order of the golden file. */
export const planQuestions: readonly (readonly [string, (db: Db) => Promise<unknown>])[] = [
  ['a list: the trail', (db) => findTrail(db, trailId)],
  ['a list: the images', (db) => images.listListed(db, trailId)],
  ['a view: the image', (db) => images.createFileQuery(db)({ id })],
  ['a view: the rendition', (db) => renditions.findSize(db, sha256, ['sm.jpeg', 'sm.png'])],
  ['an API key', (db) => keys.createKeyQuery(db)({ keyHash: 'hash' })],
  ['an API key: its use', (db) => keys.noteKeyUse(db, 'hash', 1)],
  ['a token', (db) => createTokenQuery(db, ['AccessToken', 'ClientCredentials'])({ idHash: 'hash' })],
  ['a role', (db) => findRole(db, accountId)],
  ['one image', (db) => images.findImage(db, id)],
  ['an upload: the quotas', (db) => usage.usageOf(db, accountId)],
  ['an upload: its key', (db) => findRetry(db, place, 1)],
  ['an upload: the same bytes', (db) => untouchedImages.findUnmodifiedImage(db, untouched, sha256)],
  [
    'an upload over a quota: may it be one that came before',
    (db) => untouchedImages.hasUnmodifiedImage(db, untouched),
  ],
  ['an upload: its content', (db) => content.holdContent(db, sha256, { bytes: 1, original: 'rebuilt' })],
  ['an upload: has it renditions', (db) => renditions.hasRenditions(db, sha256)],
  ['an upload: its list', (db) => findPlaceOnTrail(db, trailId)],
  ['an upload: its renditions', (db) => renditions.saveRenditions(db, sha256, [rendition])],
  ['an upload: its place', (db) => bumpTrailVersion(db as Tx, trailId)],
  ['an upload: its row', (db) => images.insertImage(db as Tx, imageRow)],
  ['an upload: history and event', (db) => recordMove(db as Tx, { ...move, from: null, to: 'pending' })],
  ['an upload: remembering its key', (db) => insertRetry(db as Tx, retry, 1)],
  [
    'details',
    (db) => {
      const change = { title: 'a', position: { lat: '1', lon: '1' } }
      return details.updateDetails(db as Tx, id, change, { accepted: undefined, at: 1 })
    },
  ],
  ['details: what is asked of the image', (db) => details.findChanged(db as Tx, id)],
  ['details: who may', (db) => images.createGuardedQuery(db)({ id })],
  ['details: back to pending', (db) => details.takeBackToPending(db as Tx, id)],
  ['v2, staff: all images', newest({})],
  ['v2, staff: the next page', newest({ after })],
  ['v2, staff: the review queue', newest({ state: 'pending' })],
  ['v2, staff: the next page of the review queue', newest({ state: 'pending', after })],
  ['v2: of a trail', newest({ trailId })],
  ['v2: of a trail, in a state', newest({ trailId, state: 'approved' })],
  ['v2: own images', newest({ submitterId: accountId })],
  ['v2: own images, the next page', newest({ submitterId: accountId, after })],
  ['v2: own images in a state', newest({ submitterId: accountId, state: 'pending' })],
  ['v2: since a moment', newest({ since: 1 })],
  ['v2: within a box', newest({ within: box })],
  ['v2: within a box over the antimeridian', newest({ within: { ...box, west: 170, east: -170 } })],
  ['v2, a trail: a page of its list', (db) => images.createListedPage(db)(trailId, { afterSeq: 1 }, 50)],
  ['v2, a trail: within a box', (db) => images.createListedPage(db)(trailId, { within: box }, 50)],
  ['a map: the images of a trail', (db) => maps.listListedAfter(db, trailId, { after: 1, within: box }, 200)],
  [
    'a tile: are there many photos',
    (db) => maps.createPhotoQueries(db).areMoreThan({ first: 1, last: 4 }, 1_000),
  ],
  ['a tile: its photos', (db) => maps.createPhotoQueries(db).listInCells({ first: 1, last: 4 }, 1_000)],
  [
    'a tile: the first photo of a square',
    (db) => maps.createPhotoQueries(db).firstInCells({ first: 1, last: 4 }),
  ],
  [
    'a tile: how many photos its squares have',
    (db) => maps.createPhotoQueries(db).countInSquares({ zoom: 11, first: 1, last: 4 }),
  ],
  [
    'a tile: the first photo of each of its squares',
    (db) => maps.createPhotoQueries(db).listFirstOfSquares({ zoom: 11, first: 1, last: 4 }),
  ],
  ['a tile: its trails', (db) => maps.listTrailsWithin(db, { box, minDegrees: 0.1, limit: 400 })],
  ['a tile: its routes', (db) => createPublicViewsWithin(db)({ box, minDegrees: 0.1, limit: 400 })],
  ['the trash: the image', (db) => trash.lockImage(db as Tx, id)],
  ['the trash: own images', inTrash({ submitterId: accountId })],
  ['the trash: own images, the next page', inTrash({ submitterId: accountId, after: trashed })],
  ['the trash, staff: all', inTrash({})],
  ['the trash, staff: the next page', inTrash({ after: trashed })],
  [
    'the trash, a limited reviewer',
    inTrash({ reach: { trails: new Set([trailId]), submitterId: accountId } }),
  ],
  ['the trash: what is overdue', (db) => trash.listOverdue(db, 9, { after: trashed, limit: 100 })],
  ['the queue', queued({})],
  ['the queue: the next page', queued({ after: queuedAfter })],
  ['the queue: of a trail', queued({ trailId, after: queuedAfter })],
  ['the queue: of the trails of a reviewer', queued({ trails: someTrails, after: queuedAfter })],
  ['the queue: pending ones', queued({ kind: 'pending', after: queuedAfter })],
  ['the queue: edited ones', queued({ kind: 'edited', after: queuedAfter })],
  ['the queue: what nobody has claimed', queued({ claimed: 'none' })],
  ['the queue: how much waits', (db) => queue.countWaiting(db)],
  ['the queue: how much waits on some trails', (db) => queue.countWaiting(db, someTrails)],
  ['the queue: submitters', (db) => listSubmitters(db, createPreparedRows(db), [accountId])],
  ['the queue: images', (db) => images.listImagesOf(db, [id])],
  ['flags: lines of trails', (db) => flags.listTrailMarks(db, [trailId])],
  ['flags: near hashes', (db) => pairs.listHashesNear(db, trailId, [[1, 2, 3, 4]])],
  ['flags: what an older node brought', (db) => pairs.listUnpaired(db as Tx, trailId, 10)],
  ['flags: a photo that came before', (db) => pairs.pairImage(db as Tx, hashed, 'known')],
  ['flags: those near a new photo', (db) => pairs.tell(db as Tx, id, [{ id: id + 1, bits: 1 }])],
  ['flags: a distance', (db) => flags.saveDistance(db as Tx, distance)],
  ['an upload: its hash', (db) => alike.saveHash(db as Tx, id, '0'.repeat(16))],
  ['the sweep: images without a hash', (db) => alike.listOlderImages(db, 1, 100)],
  ['a report: the own one', (db) => reports.findOpenReportOf(db, id, accountId)],
  ['a report: closing all', (db) => reports.closeReports(db as Tx, id, { by: accountId, at: 1 })],
  ['reports of an image', (db) => reports.listReports(db, id, { after: { at: 1, id: 1 }, limit: 50 })],
  ['reports of a page of the queue', (db) => reports.listOpenReports(db, createPreparedRows(db), [id], 3)],
  ['a review: the image', (db) => review.findReviewedImage(db, id)],
  ['a review: its move', (db) => review.moveImage(db as Tx, id, { ...approval, from: 'pending' })],
  ['a review: an edit is accepted', (db) => review.moveImage(db as Tx, id, { ...approval, from: 'edited' })],
  ['a review that came second', (db) => review.findLastMove(db, id)],
  ['keys: a new one', (db) => keys.insertKey(db, apiKey)],
  ['keys: of an account', (db) => keys.listKeysOf(db, accountId)],
  [
    'keys: ending one',
    (db) => keys.endKey(db as Tx, { prefix: 'prefix', ownerId: 1 }, { now: 1, endsAt: 1 }),
  ],
  ['keys: forgetting ended ones', (db) => keys.deleteKeys(db as Tx, ['prefix'])],
  ['the sweep: is it shown', (db) => content.isReferenced(db, sha256)],
  ['the sweep: condemning', (db) => content.condemnContents(db, ['cd'.repeat(32)], 1)],
  ['the sweep: forgetting', (db) => content.forgetContents(db, ['cd'.repeat(32)], 1)],
  ['the sweep: expired keys', (db) => deleteExpiredKeys(db, 1)],
  ['the sweep: leftovers of a crash', (db) => content.listMarked(db)],
  ['routes: a point read', (db) => routes.createStoredRouteQuery(db)({ id })],
  ['routes: the set', (db) => routes.listSet(db, accountId)],
  ['routes: some of a set', (db) => routes.findStoredRoutes(db, [id, id + 1])],
  ['routes: one', (db) => routes.findRoute(db, id)],
  ['routes: its gpx', (db) => routes.findGpx(db, id)],
  ['routes: deleting one', (db) => routes.deleteRoute(db as Tx, { id, accountId, gpxBytes: 1 })],
  ['v2 routes: own', ownRoutes({})],
  ['v2 routes: own, the next page', ownRoutes({ after: { createdAt: 1, id: 1 } })],
  [
    'v2 routes: own, by words, length and box',
    ownRoutes({ words: 'rim', minMiles: 1, maxMiles: 2, within: box }),
  ],
  ['v2 routes: along the same line', (db) => routes.findNearDuplicates(db, accountId, ['hash'])],
  ['v2 routes: what others see of one', (db) => shown.findPublicView(db, id)],
  ['v2 routes: its lines', (db) => shown.findPublicLines(db, id)],
  ["v2 routes: another account's public ones", (db) => shown.listPublicViews(db, another, {}, 50)],
  ['v2 routes: those along the same line', (db) => shown.findEqualPublicView(db, accountId, ['hash'])],
  ['v2 routes: what is stale of an account', (db) => shown.listStale(db, { accountId }, 20)],
  ['the sweep: what is stale of all', (db) => shown.listStale(db, {}, 20)],
  ['zones: of an account', (db) => zones.findZoneSet(db, accountId)],
  ['a check: a page of contents', (db) => content.listShownContent(db, '', 500)],
  ['a check: images of a content', (db) => content.listImagesShowing(db, sha256, 3)],
  ['older renditions: the next', (db) => renditions.listOutdated(db, 100)],
  ['older renditions: how many', (db) => renditions.countOutdated(db)],
  ['older renditions: one stays', (db) => renditions.keepOutdated(db, sha256)],
  ['a check: its renditions', (db) => renditions.listRenditions(db, sha256)],
  ...moreQuestions,
]

/** Records each query as it is compiled, and runs it. */
function noting(queries: CompiledQuery[]): KyselyPlugin {
  const compiler = new SqliteQueryCompiler()
  return {
    transformQuery: ({ node, queryId }) => {
      const query = compiler.compileQuery(node, queryId)
      if (!isTouch(query)) queries.push(query) // a driver command is not a query
      return node
    },
    transformResult: async ({ result }) => result,
  }
}

interface Step {
  readonly id: number
  readonly parent: number
  readonly detail: string
}

/** The plan, indented as in SQLite's shell. */
async function planOf(db: Db, { sql, parameters }: CompiledQuery): Promise<string[]> {
  const { rows } = await db.executeQuery<Step>(
    CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
  )
  const depths = new Map<number, number>()
  return rows.map((step) => {
    const depth = (depths.get(step.parent) ?? 0) + 1
    depths.set(step.id, depth)
    return `${'  '.repeat(depth)}${step.detail}`
  })
}

/** The golden file's text: description, query, plan. */
export async function describePlans(db: Db): Promise<string> {
  await insertParents(db)
  const sections: string[] = []
  for (const [question, ask] of planQuestions) {
    const queries: CompiledQuery[] = []
    await ask(db.withPlugin(noting(queries)))
    sections.push(`# ${question}`)
    for (const query of queries) sections.push(query.sql, ...(await planOf(db, query)))
    sections.push('')
  }
  return sections.join('\n')
}

if (import.meta.main) {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-plans-'))
  const database = await openDatabase({ engine: 'sqlite', file: path.join(folder, 'waymark.sqlite') })
  await migrate(database)
  await writeFile(goldenFile, await describePlans(database.db))
  await database.close()
  await rm(folder, { recursive: true })
}
