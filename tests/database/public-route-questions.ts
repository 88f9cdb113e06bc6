// Queries of the list of public routes, in each order and with each filter, and of its updates.
import {
  findPlaceAhead,
  listPublicRoutes,
  type PublicFilters,
} from '../../src/account-routes/public-list/public-list-table.ts'
import * as listing from '../../src/account-routes/public-list/listing-table.ts'
import * as trails from '../../src/account-routes/public-list/trails-table.ts'
import { routeUsageOf } from '../../src/account-routes/route-usage-table.ts'
import * as climbs from '../../src/account-routes/climbs-table.ts'
import { listOlderClimbs as listOlderTrailClimbs } from '../../src/trails/climbs.ts'
import type { Db } from '../../src/database/database.ts'

const [route, trail, account] = [1, 4711, 42]
const box = { west: -123, south: 45, east: -122, north: 46 }
const place = { value: 5, id: 1 }
const piece = { after: place, upTo: { value: 2, id: 1 }, limit: 51 }

const ahead = (filters: Partial<PublicFilters>) => (db: Db) =>
  findPlaceAhead(db, { order: 'newest', ...filters }, place, 4_000)
const listed = (filters: Partial<PublicFilters>) => (db: Db) =>
  listPublicRoutes(db, { order: 'newest', ...filters }, piece)

const compared = {
  id: route,
  createdAt: 1,
  miles: 1,
  ascent: 1,
  box,
  lineRevision: 'line',
  zonesRevision: 0,
}
const unlisted = { ...compared, measures: '{}', lines: new Uint8Array(), ...box }

const older = { id: route, measures: '{}', lines: new Uint8Array() }
const renewed = { pointCount: 0, measuredMiles: null, climb: 1, descent: 0, start: null, end: null }

export const publicRouteQuestions: readonly (readonly [string, (db: Db) => Promise<unknown>])[] = [
  ['routes: the quotas', (db) => routeUsageOf(db, account)],
  ['climbs of an older rule: of routes', (db) => climbs.listOlderClimbs(db, 0, 50)],
  ['climbs of an older rule: of public views', (db) => climbs.listOlderPublicClimbs(db, 0, 50)],
  ['climbs of an older rule: of trails', (db) => listOlderTrailClimbs(db, 0, 50)],
  ['climbs: one route', (db) => climbs.saveClimb(db, older, renewed)],
  ['climbs: one public view', (db) => climbs.savePublicClimb(db, older, renewed)],
  ['public routes: the first page', (db) => listPublicRoutes(db, { order: 'newest' }, { limit: 51 })],
  ['public routes: how far a piece goes', ahead({})],
  ['public routes: the longest, how far', ahead({ order: 'length' })],
  ['public routes: the steepest, how far', ahead({ order: 'ascent' })],
  ['public routes: of a trail, how far', ahead({ nearTrail: trail })],
  ['public routes: a piece', listed({})],
  ['public routes: the longest', listed({ order: 'length' })],
  ['public routes: those that climb the most', listed({ order: 'ascent' })],
  ['public routes: by words', listed({ words: 'rim' })],
  [
    'public routes: by measures, within a box',
    listed({ minMiles: 1, maxMiles: 9, minAscent: 1, maxAscent: 9, within: box }),
  ],
  ['public routes: of a trail', listed({ nearTrail: trail })],
  ['public routes: of a trail, the longest', listed({ nearTrail: trail, order: 'length', minAscent: 1 })],
  ['public routes: of a trail, those that climb the most', listed({ nearTrail: trail, order: 'ascent' })],
  [
    'public routes: what is not listed of an account',
    (db) => listing.listUnlisted(db, { accountId: account, after: 0 }, 20),
  ],
  ['the sweep: what is not listed of all', (db) => listing.listUnlisted(db, { after: 5 }, 20)],
  ['public routes: one to list', (db) => listing.findUnlisted(db, route)],
  ['public routes: listing one', (db) => listing.saveListing(db, unlisted, '[]')],
  ['trails of routes: those that changed', (db) => trails.listChangedTrails(db, 50)],
  ['trails of routes: routes in a box', (db) => trails.listRoutesIn(db, box)],
  ['trails of routes: routes of a trail', (db) => trails.listRoutesOf(db, trail)],
  ['trails of routes: comparing anew', (db) => trails.forgetComparison(db, [route, route + 1])],
  [
    'trails of routes: the line they know',
    (db) => trails.saveLineVersion(db, { id: trail, lineVersion: 'line' }),
  ],
  ['trails of routes: routes to compare', (db) => trails.listWithoutTrails(db, 0, 50)],
  ['trails of routes: the lines of a route', (db) => trails.findLines(db, compared)],
  ['trails of routes: trails near it', (db) => trails.listTrailsIn(db, box)],
  ['trails of routes: the line of a trail', (db) => trails.findTrailGeometry(db, trail)],
  ['trails of routes: what was found', (db) => trails.saveTrails(db, compared, [trail])],
]
