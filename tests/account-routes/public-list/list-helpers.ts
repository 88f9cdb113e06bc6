// Shared by the tests of the list of public routes: requests as a visitor, and waiting until the list is up to date.
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { createRouteTrails } from '../../../src/account-routes/public-list/route-trails.ts'
import type { Person, Waymark } from '../../helpers/waymark.ts'
import { addRoute, json, type Point, type RouteDocument } from '../v2-helpers.ts'

export interface PublicRoute {
  readonly routeID: number
  readonly acctID: number
  readonly displayName: string
  readonly name: string
  readonly description: string
  readonly lengthMiles: number
  readonly ascent: number | null
  readonly bbox: readonly [number, number, number, number] | null
  readonly createdAt: string
  readonly line: readonly (readonly (readonly [number, number])[])[]
}

export interface PublicPage {
  readonly items: readonly PublicRoute[]
  readonly next: string | null
}

export const ourPage = { 'x-waymark-page': '1' } as const

export async function pageOf(
  waymark: Waymark,
  query: Record<string, string | number> = {},
): Promise<PublicPage> {
  const text = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  ).toString()
  const answer = await waymark.fetch(`/v2/routes${text === '' ? '' : `?${text}`}`, { headers: ourPage })
  assert.equal(answer.status, 200, await answer.clone().text())
  return (await answer.json()) as PublicPage
}

export const namesOf = async (
  waymark: Waymark,
  query: Record<string, string | number> = {},
): Promise<string[]> => (await pageOf(waymark, query)).items.map(({ name }) => name)

const maxWaitMs = 10_000

/** Polls, since the list is updated in the background. */
export async function soon(isSo: () => Promise<boolean>, what: string): Promise<void> {
  const until = performance.now() + maxWaitMs
  while (!(await isSo())) {
    assert.ok(performance.now() < until, what)
    await pause(20)
  }
}

/** Adds a public route and waits until it is listed. */
export async function addListed(waymark: Waymark, person: Person, body: object): Promise<RouteDocument> {
  const route = await addRoute(waymark, person, { visibility: 'public', ...body })
  await soon(
    async () =>
      (await pageOf(waymark, { limit: 500 })).items.some(({ routeID }) => routeID === route.routeID),
    'it is listed',
  )
  return route
}

/** Finds the trails that the listed routes use, like the server's job. */
export async function compareWithTrails({ installation: { database } }: Waymark): Promise<void> {
  const faults: unknown[] = []
  const routeTrails = createRouteTrails({
    db: database.db,
    restMs: () => 0,
    onFault: (error) => void faults.push(error),
  })
  await routeTrails.run({ signal: new AbortController().signal, mayContinue: async () => true })
  assert.deepEqual(faults, [])
}

/** Points at this interval in degrees, due east. */
export const eastward = (lat: number, lon: number, count: number, step = 0.001): Point[] =>
  Array.from({ length: count }, (_, index) => [lat, Number((lon + index * step).toFixed(6))])

export interface TrailLine {
  readonly trailID: number
  readonly name: string
  readonly points: readonly Point[]
}

/** Adds a trail, or replaces its line. */
export async function putTrail(
  waymark: Waymark,
  { token }: Person,
  method: 'POST' | 'PUT',
  { trailID, name, points }: TrailLine,
): Promise<void> {
  const coordinates = points.map(([lat, lon]) => [lon, lat])
  const geometry = points.length === 0 ? null : { type: 'LineString', coordinates }
  const answer = await waymark.fetch(method === 'POST' ? '/v2/trails' : `/v2/trails/${trailID}`, {
    method,
    token,
    headers: json,
    body: JSON.stringify({ ...(method === 'POST' ? { trailID } : {}), name, geometry }),
  })
  assert.ok(answer.ok, await answer.clone().text())
}
