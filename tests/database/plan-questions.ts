// More queries for query-plans.ts: lists of trails and accounts, feeds, webhooks, sign-in, data export, and maintenance.
import { findAccountByEmailKey, findProfile, findSignIn, hasAdmin } from '../../src/accounts/account-table.ts'
import { listAccountTrails } from '../../src/accounts/account-table.ts'
import {
  countActiveAdmins,
  listAccounts,
  sumImageBytes,
  type AccountFilters,
} from '../../src/admin/account-list.ts'
import { listAudit } from '../../src/accounts/audit/audit.ts'
import { listConsents } from '../../src/auth/oauth/consent-table.ts'
import { findLinkedAccount } from '../../src/auth/issuers/external-identity-table.ts'
import { isClientOrigin, listClients, oldestAdmin } from '../../src/auth/oauth/oauth-clients-table.ts'
import * as objects from '../../src/auth/oauth/oauth-objects-table.ts'
import { findPasskey, listPasskeysOf } from '../../src/auth/passkeys/passkey-table.ts'
import * as sessions from '../../src/auth/session-table.ts'
import type { Db, Tx } from '../../src/database/database.ts'
import { findTrailsExtent } from '../../src/base-map/trails-box.ts'
import { createPreparedRows } from '../../src/database/prepared-rows.ts'
import { readEventsAfter } from '../../src/events/feed-table.ts'
import * as outbox from '../../src/events/outbox.ts'
import * as deliveries from '../../src/events/webhooks/delivery-table.ts'
import * as webhooks from '../../src/events/webhooks/webhook-table.ts'
import * as alike from '../../src/images/near-duplicates-table.ts'
import * as content from '../../src/images/storage/content-table.ts'
import * as originals from '../../src/images/storage/original-table.ts'
import * as lists from '../../src/images/list/list-table.ts'
import { listImages } from '../../src/images/list/newest-table.ts'
import { unshownOf } from '../../src/images/trash/purge.ts'
import { readSweepPlace, saveSweepPlace } from '../../src/images/storage/garbage-collection-place.ts'
import { deleteImageRow } from '../../src/images/trash/trash-table.ts'
import * as deletion from '../../src/account-data/deletion-table.ts'
import * as dataExport from '../../src/account-data/data-export-table.ts'
import { listTrailNames } from '../../src/maps/map-table.ts'
import * as notices from '../../src/notifications/decision-emails-table.ts'
import * as claims from '../../src/review/claims/claims-table.ts'
import { listPresent } from '../../src/review/flags/flags-table.ts'
import { listHistory } from '../../src/review/history-table.ts'
import { listQueue } from '../../src/review/queue-page-table.ts'
import type * as queue from '../../src/review/queue-table.ts'
import * as undo from '../../src/review/undo-table.ts'
import { findBrandFile } from '../../src/site-settings/branding/brand-file-table.ts'
import { readChosen } from '../../src/site-settings/branding/chosen.ts'
import * as trailEnd from '../../src/trails/trail-end-table.ts'
import * as trails from '../../src/trails/trail-table.ts'
import { findNewestTime, listOldest, raiseFloor, readFloor } from '../../src/events/outbox-floor.ts'
import { findWrongCounts } from '../../src/database/account-counts.ts'
import { publicRouteQuestions } from './public-route-questions.ts'
import { pullQuestions } from './pull-questions.ts'
import { takenQuestions } from './taken-questions.ts'
import { trailDataQuestions } from './trail-data-questions.ts'

const [trail, image, account, other] = [4711, 1, 42, 999]
const sha256 = 'ab'.repeat(32)
const box = { west: -123, south: 45, east: -122, north: 46 }

const trailsLike = (filters: trails.TrailFilters) => (db: Db) => trails.listTrails(db, filters, 50)
const accountsLike = (filters: AccountFilters) => (db: Db) => listAccounts(db, filters, 50)
const queued = (filters: Partial<queue.QueueFilters>) => (db: Db) =>
  listQueue(
    db,
    createPreparedRows(db),
    { trails: undefined, ...filters },
    { viewer: account, now: 1, limit: 50 },
  )
const claimOf = { accountId: account, at: 1, until: 2, takesOver: false }
const reach = { trails: new Set([trail, trail + 1]), submitterId: account }

/** Listed after those of query-plans.ts in the golden file. */
export const moreQuestions: readonly (readonly [string, (db: Db) => Promise<unknown>])[] = [
  ['how the site looks', readChosen],
  ['a picture of the site', (db) => findBrandFile(db, sha256)],
  ['v2: own images on a trail', (db) => listImages(db, { submitterId: account, trailId: trail }, 50)],
  ['v2, a limited reviewer', (db) => listImages(db, { reach }, 50)],
  ['v2, a limited reviewer: a trail', (db) => listImages(db, { reach, trailId: trail }, 50)],
  ['the queue: reported ones', queued({ kind: 'reported' })],
  ['the queue: what the reviewer has claimed', queued({ claimed: 'mine' })],
  ['the queue: what others have claimed', queued({ claimed: 'others', trails: reach.trails })],
  ['the queue: of a submitter', queued({ submitterId: account, after: { queuedAt: 1, id: 1 } })],
  ['the queue: claiming', (db) => claims.putClaim(db as Tx, image, claimOf)],
  ['the queue: a claim of another', (db) => claims.findClaimOfAnother(db, image, { accountId: 1, at: 1 })],
  ['the queue: ended claims', (db) => claims.deleteEndedClaims(db as Tx, 1)],
  ['flags: those still there', (db) => listPresent(db, [image])],
  ['the history of an image', (db) => listHistory(db, image, { after: 0, limit: 50 })],
  ['an undo: the last decision', (db) => undo.findLastDecision(db, image, 'undone')],
  ['an undo: moves since', (db) => undo.countMovesAfter(db, image, 1)],
  ['an undo: changes since', (db) => undo.isUpdatedAfter(db, image, 1)],
  ['a kept list: its key', (db) => lists.createListKeyQuery(db, 1)({ trailId: trail })],
  ['a kept list: a page of rows', (db) => lists.listRowsAfter(db, trail, 1, 100)],
  ['a kept list: some of its rows', (db) => lists.listRowsAmong(db, trail, [image])],
  ['a kept list: people', (db) => lists.listPeople(db, [account])],
  ['a kept list: where the logs end', (db) => lists.findLogEnds(db)],
  ['a kept list: what happened to images', (db) => lists.listImagesLogged(db, 1, 100)],
  ['a kept list: what people changed', (db) => lists.listPeopleLogged(db, 1, 100)],
  ['trails', trailsLike({})],
  ['trails: the next page', trailsLike({ after: { sortKey: 'a', id: 1 } })],
  ['trails: by words', trailsLike({ words: 'rim trail' })],
  [
    'trails: by words, the next page within a box',
    trailsLike({ words: 'rim', within: box, after: { sortKey: 'a', id: 1 } }),
  ],
  ['trails: by a single character', trailsLike({ words: 'r' })],
  ['trails: by words and its slug', trailsLike({ words: 'rim', slug: 'rim' })],
  ['trails: within a box', trailsLike({ within: box })],
  ['trails: by its slug', trailsLike({ slug: 'rim' })],
  ['trails: one', (db) => trails.findTrailDetails(db, trail)],
  ['trails: by ids and slugs', (db) => trails.listNamed(db, [trail], ['rim'])],
  ['trails: lines', (db) => trails.listLines(db, [trail])],
  ['trails: all, in the order of ids', (db) => trails.listAfter(db, 1, 100)],
  ['trails: how many images one has', (db) => trailEnd.countImagesOn(db, trail)],
  ['trails: who is limited to one', (db) => trailEnd.listLimitedTo(db, trail)],
  ['a tile: names of trails', (db) => listTrailNames(db, [trail])],
  ['accounts', accountsLike({ afterId: 1 })],
  ['accounts: by words', accountsLike({ q: 'ann' })],
  ['accounts: reviewers', accountsLike({ role: 'reviewer' })],
  ['accounts: suspended ones', accountsLike({ isSuspended: true })],
  ['accounts: admins', (db) => countActiveAdmins(db)],
  ['accounts: is there an admin', (db) => hasAdmin(db)],
  ['an account: by its address', (db) => findAccountByEmailKey(db, 'ann@trails.example')],
  ['an account: signing in', (db) => findSignIn(db, 'ann@trails.example')],
  ['an account: its profile', (db) => findProfile(db, account)],
  ['an account: its trails', (db) => listAccountTrails(db, account)],
  ['an account: its passkeys', (db) => listPasskeysOf(db, account)],
  ['a passkey', (db) => findPasskey(db, 'credential')],
  ['a session', (db) => sessions.findSession(db, 'hash')],
  ['sessions of an account', (db) => sessions.listSessionsOf(db, account, 1)],
  ['the sweep: ended sessions', (db) => sessions.deleteExpiredSessions(db, 1)],
  ['consents of an account', (db) => listConsents(db, account)],
  ['a subject of an issuer', (db) => findLinkedAccount(db, { issuer: 'issuer', subject: 'subject' })],
  ['clients of an account', (db) => listClients(db, { accountId: account, limit: 50 })],
  ['clients: is it an origin of one', (db) => isClientOrigin(db, 'https://trails.example')],
  ['tokens: one', (db) => objects.findObject(db, { kind: 'Grant', idHash: 'hash' })],
  ['tokens: by user code', (db) => objects.findObjectBy(db, 'DeviceCode', 'user_code', 'hash')],
  ['tokens: by uid', (db) => objects.findObjectBy(db, 'Session', 'uid', 'uid')],
  ['tokens: those of a grant', (db) => objects.deleteObjectsOfGrant(db, 'grant')],
  ['tokens: those of an account', (db) => objects.deleteObjectsOfAccount(db, other)],
  ['tokens: those of a client', (db) => objects.deleteObjectsOfClient(db, 'client')],
  [
    'the sweep: ended tokens',
    (db) => objects.deleteExpired(db, { before: 1, lasting: ['Grant'], lastingBefore: 1 }),
  ],
  ['the audit', (db) => listAudit(db, { accountId: undefined, before: 9, limit: 50 })],
  ['the audit of a week', (db) => listAudit(db, { action: 'key.created', since: 1, until: 2, limit: 50 })],
  ['storage: bytes of all originals', (db) => sumImageBytes(db)],
  ['the audit of an account', (db) => listAudit(db, { accountId: account, before: 9, limit: 50 })],
  ['changes', (db) => readEventsAfter(db, 1, 500)],
  ['changes: the newest', (db) => outbox.newestPosition(db)],
  ['metrics: images by state', (db) => outbox.countImages(db)],
  ['metrics: deliveries that wait', (db) => deliveries.countWaiting(db)],
  ['webhooks of an account', (db) => webhooks.listWebhooks(db, account)],
  ['webhooks: all that hear', (db) => webhooks.listEnabledWebhooks(db)],
  ['webhooks: what is due', (db) => deliveries.listDue(db, { now: 1, limit: 50, busyWebhooks: [] })],
  ['webhooks: deliveries', (db) => deliveries.listDeliveries(db, 1, { after: undefined, limit: 50 })],
  ['webhooks: attempts', (db) => deliveries.listAttempts(db, [1])],
  ['the sweep: ended deliveries', (db) => deliveries.deleteEndedBefore(db, 1)],
  ['the sweep: a purged image', (db) => deleteImageRow(db as Tx, other)],
  ['an upload: its content, before it is kept as it came', (db) => originals.noteStoredWhole(db, sha256)],
  ['older photos: those stored twice', (db) => originals.listStoredTwice(db, sha256, 100)],
  ['older photos: how many are', (db) => originals.countStoredTwice(db)],
  ['a move: contents that have changed', (db) => content.listShownAmong(db, [sha256, sha256])],
  ['a move: contents of images that have changed', (db) => content.listContentsOf(db, [1, 2])],
  ['the sweep: which are shown', (db) => content.listReferenced(db, [sha256])],
  ['the sweep: what nothing shows', (db) => unshownOf(db as Tx, [sha256])],
  ['the sweep: contents whose deletion was interrupted', (db) => content.ageMarked(db)],
  ['the sweep: where it goes on', (db) => readSweepPlace(db)],
  ['the sweep: where the next one goes on', (db) => saveSweepPlace(db, sha256)],
  ['the sweep: who left', (db) => deletion.listLeftSince(db, 1)],
  ['the sweep: images to place', (db) => alike.readProgress(db, 'cells')],
  ['a takeout: images', (db) => dataExport.listImageIds(db, account)],
  ['a takeout: some images', (db) => dataExport.listTakenImages(db, account, [image])],
  ['a takeout: their moves', (db) => dataExport.listTakenMoves(db, [image])],
  ['a takeout: reports', (db) => dataExport.listTakenReports(db, account)],
  ['events: how far they were deleted', (db) => readFloor(db)],
  ['events: when the newest was', (db) => findNewestTime(db)],
  ['events: the oldest', (db) => listOldest(db, 1, 1_000)],
  ['events: deleting old ones', (db) => raiseFloor(db as Tx, 0)],
  ['accounts whose counts of routes are wrong', (db) => findWrongCounts(db, 'routes', 1)],
  ['accounts whose bytes of images are wrong', (db) => findWrongCounts(db, 'images', 1)],
  ['a takeout: routes', (db) => dataExport.listRouteIds(db, account)],
  ['leaving: is there another admin', (db) => deletion.hasActiveAdmin(db)],
  ['leaving: images', (db) => deletion.listLeavingImages(db as Tx, account)],
  ['leaving: late images', (db) => deletion.listLateImages(db as Tx, account, 1)],
  ['leaving: what belongs to the account', (db) => deletion.deleteBelongings(db as Tx, other)],
  ['mails: how much waits', (db) => notices.countWaiting(db)],
  ['mails: to staff', (db) => notices.listStaff(db)],
  ['mails: photos', (db) => notices.listPhotos(db, [image])],
  ['mails: who was told', (db) => notices.listMarks(db)],
  ['the client of the command line: who answers for it', oldestAdmin],
  ['the map: around all trails', (db) => findTrailsExtent(db)],
  ...pullQuestions,
  ...takenQuestions,
  ...publicRouteQuestions,
  ...trailDataQuestions,
]
