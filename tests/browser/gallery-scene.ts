// Two trails with lines and published photos, some with a position, for public pages.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { jpegPicture } from '../helpers/pictures.ts'
import type { Waymark } from '../helpers/waymark.ts'
import { startSite, type ServedSite } from './site.ts'

export const rimTrail = {
  trailID: 4711,
  name: 'Rim Trail',
  slug: 'rim-trail',
  geometry: {
    type: 'LineString',
    coordinates: [
      [7, 46],
      [7.02, 46.01],
      [7.05, 46.005],
    ],
  },
}
const lakeTrail = {
  trailID: 4712,
  name: 'Lake Trail',
  slug: 'lake-trail',
  geometry: {
    type: 'LineString',
    coordinates: [
      [8, 47],
      [8.05, 47.02],
    ],
  },
}

const shots = [
  { title: 'Dawn', caption: 'Before the others came', lat: 46.005, lon: 7.01 },
  { title: 'The <b>bend</b>', caption: '', lat: 46.009, lon: 7.03 },
  { title: '', caption: 'Nobody knows where', lat: undefined, lon: undefined },
  { title: 'Dusk', caption: '', lat: 46.006, lon: 7.045 },
] as const

export interface GalleryScene extends ServedSite {
  /** On the Rim Trail, in gallery order. */
  readonly imageIds: readonly number[]
  readonly pendingId: number
}

async function send(
  waymark: Waymark,
  path: string,
  init: Parameters<Waymark['fetch']>[1],
): Promise<Response> {
  const answer = await waymark.fetch(path, init)
  assert.ok(answer.ok, `${path}: ${answer.status} ${answer.ok ? '' : await answer.text()}`)
  return answer
}

/** @param taken when each photo was taken, if known. */
export async function startGallery(t: TestContext, taken: readonly string[] = []): Promise<GalleryScene> {
  const site = await startSite(t, { hasApp: true })
  const { waymark } = site
  const admin = await waymark.addPerson({ name: 'Ada', role: 'admin' })
  const ana = await waymark.addPerson({ name: 'Ana' })
  for (const trail of [rimTrail, lakeTrail]) {
    await send(waymark, '/v2/trails', {
      method: 'POST',
      token: admin.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(trail),
    })
  }
  const imageIds: number[] = []
  for (const [seed, details] of [...shots, { title: 'Not yet looked at' }].entries()) {
    const form = new FormData()
    const bytes = await jpegPicture({ width: 1_000 + seed * 20, height: seed === 1 ? 1_400 : 700, seed })
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'photo.jpg')
    form.append('details', JSON.stringify({ ...details, takenAt: taken[seed] }))
    const answer = await send(waymark, `/v2/trails/${rimTrail.trailID}/images`, {
      method: 'POST',
      token: ana.token,
      body: form,
    })
    imageIds.push(((await answer.json()) as { imageID: number }).imageID)
  }
  const pendingId = imageIds.pop() ?? 0
  for (const imageId of imageIds) assert.equal((await waymark.review(admin, imageId, 'approve')).status, 200)
  return { ...site, imageIds, pendingId }
}
