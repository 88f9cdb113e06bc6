// The review desk for tests: pending photos, and what the queue returns.
import assert from 'node:assert/strict'
import type { QueueItem } from '../../src/shared/v2/queue-schemas.ts'
import { landscape } from './landscapes.ts'
import type { Person, Waymark } from './waymark.ts'

let pictures = 0

/** Uploads a pending photo that resembles no other. */
export async function sendPhoto(waymark: Waymark, person: Person, trailId: number): Promise<number> {
  pictures += 1
  waymark.system.advance(1_000)
  const picture = landscape(pictures, { width: 36, height: 24 }).jpeg()
  return waymark.upload(person, trailId, await picture.toBuffer())
}

export interface QueuePage {
  readonly items: readonly QueueItem[]
  readonly next: string | null
}

export async function readQueue(waymark: Waymark, { token }: Person, query = ''): Promise<QueuePage> {
  const answer = await waymark.fetch(`/v2/review/queue${query}`, { token })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return JSON.parse(text) as QueuePage
}

export const idsOf = ({ items }: QueuePage): number[] => items.map(({ imageID }) => imageID)

export async function itemOf(waymark: Waymark, person: Person, imageId: number): Promise<QueueItem> {
  const { items } = await readQueue(waymark, person, '?limit=500')
  const item = items.find(({ imageID }) => imageID === imageId)
  assert.ok(item, `image ${imageId} is not in the queue`)
  return item
}

/** A request with a JSON body; without a person, as a visitor. */
export const sendJson = (
  waymark: Waymark,
  method: string,
  path: string,
  { body, person }: { readonly body: unknown; readonly person?: Person },
): Promise<Response> =>
  waymark.fetch(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(person ? { token: person.token } : {}),
  })
