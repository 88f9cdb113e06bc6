// Shared by the tests of `waymark pull`: data of a stand-in, and the lists of an installation afterwards.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { TestContext } from 'node:test'
import type { StandInImage, StandInRoute, StandInTrail } from '../helpers/classic-stand-in.ts'
import { jpegPicture, pngPicture } from '../helpers/pictures.ts'
import { done, startServer, type RunOptions } from './run-waymark.ts'

export async function standInImage(
  imageID: number | bigint,
  more: Partial<StandInImage> = {},
): Promise<StandInImage> {
  const seed = Number(imageID) % 10_007
  const isPng = seed % 3 === 0
  const size = { width: 16 + (seed % 17), height: 12 + (seed % 11), seed }
  return {
    imageID,
    submitterAcctID: 50 + (seed % 7),
    displayName: `Walker ${50 + (seed % 7)}`,
    email: '',
    title: seed % 4 === 0 ? '' : `Photo ${seed} <& "view">`,
    caption: seed % 5 === 0 ? '' : `At mile ${seed} / north\nof the ford`,
    lat: seed % 6 === 0 ? '0' : `45.${1_000 + seed}00`,
    lon: seed % 6 === 0 ? '0' : `-122.${seed}0`,
    mimeType: isPng ? 'image/png' : 'image/jpeg',
    postDate: new Date(Date.UTC(2019, 4, 1) + seed * 61_000).toISOString().slice(0, 19),
    bytes: isPng ? await pngPicture(size) : await jpegPicture(size),
    ...more,
  }
}

/** @param ids in the order of the list. */
export async function standInTrail(id: number, ids: readonly number[]): Promise<StandInTrail> {
  const images: StandInImage[] = []
  for (const imageID of ids) images.push(await standInImage(imageID))
  return { id, name: `Trail ${id} "é"`, slug: `trail-no-${id}`, images }
}

export const gpxOf = (seed: number): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="t" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg><trkpt lat="45.${seed}" lon="-122.5"><ele>10</ele></trkpt><trkpt lat="45.${seed}1" lon="-122.51"/></trkseg></trk></gpx>`

/** Later IDs have later days, some the same day, since routes are listed by time. */
function dayOf(routeID: number): string {
  const [year = '', month, day] = new Date(Date.UTC(2023, 4, 1 + Math.floor(routeID / 5)))
    .toISOString()
    .slice(0, 10)
    .split('-')
  return `${month}/${day}/${year.slice(2)}`
}

export const standInRoute = (routeID: number): StandInRoute => ({
  routeID,
  name: `Round ${routeID}`,
  description: routeID % 2 === 0 ? '' : 'Along the river / up the hill.',
  length: `${(routeID % 90) + 1}.50`,
  gpx: routeID % 10 === 0 ? '' : gpxOf(routeID % 900),
  dateCreated: dayOf(routeID),
})

/** Arguments for pulling from a stand-in. The key is in a file, as the docs recommend. */
export async function get(
  url: string,
  { key, accept, token }: { key?: string; accept?: string; token?: string } = {},
): Promise<{ status: number; body: string }> {
  const address = key === undefined ? url : `${url}?api_key=${key}`
  const headers = {
    accept: accept ?? 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const response = await fetch(address, { headers })
  return { status: response.status, body: await response.text() }
}

/** A server on the folder, and an API key for its lists. */
export async function serving(t: TestContext, options: RunOptions, keyAccount: number) {
  const server = await startServer(t, options)
  const made = await done(['keys', 'create', '--account', String(keyAccount), '--name', 'Test'], options)
  const { apiKey } = made as { apiKey: string }
  return { ...server, key: apiKey }
}

export type Listing = Awaited<ReturnType<typeof serving>>

export async function lists(server: Pick<Listing, 'url' | 'key'>, trailId: number) {
  const url = `${server.url}/Trails/${trailId}/Images/`
  const json = await get(url, { key: server.key })
  const xml = await get(url, { key: server.key, accept: 'application/xml' })
  assert.deepEqual([json.status, xml.status], [200, 200])
  return { json: json.body, xml: xml.body }
}

/** An access token of the account. */
export async function tokenFor(
  server: Pick<Listing, 'url'>,
  options: RunOptions,
  account: number,
  scope: string,
) {
  const made = await done(
    ['clients', 'create', '--account', String(account), '--name', 'Test', '--scope', scope],
    options,
  )
  const { clientId, clientSecret } = made as { clientId: string; clientSecret: string }
  const response = await fetch(`${server.url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope }),
  })
  assert.equal(response.status, 200)
  return ((await response.json()) as { access_token: string }).access_token
}

export interface NotKept {
  readonly what: string
  readonly id: string
  readonly trailID?: number
  readonly code: string
  readonly why: string
}

export interface PullDocument {
  readonly source: string
  readonly dryRun: boolean
  readonly resumed: boolean
  readonly requests: number
  readonly trails: Record<'new' | 'changed' | 'unchanged', number>
  readonly accounts: Record<'new' | 'changed' | 'unchanged', number>
  readonly images: Record<'new' | 'changed' | 'unchanged' | 'bytes' | 'originals', number>
  readonly routes: Record<'new' | 'changed' | 'unchanged', number>
  readonly left: number
  readonly conflicts: number
  readonly notes: number
  readonly notKept: readonly NotKept[]
}

export const readReport = async (folder: string): Promise<PullDocument> =>
  JSON.parse(await readFile(path.join(folder, 'report.json'), 'utf8')) as PullDocument

/** Each as `image 7 id-in-use`. */
export const codesOf = ({ notKept }: Pick<PullDocument, 'notKept'>): string[] =>
  notKept.map(({ what, id, code }) => `${what} ${id} ${code}`)
