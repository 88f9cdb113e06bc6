// A photo of the queue, for the tests of what the queue does and of what the page says of it.
import type { PhotoFacts, QueuedPhoto } from '../../web/upload/photo.ts'

export const facts: PhotoFacts = {
  kind: 'jpeg',
  width: 4_000,
  height: 3_000,
  sha256: 'a'.repeat(64),
  position: { lat: '46.5', lon: '7.25' },
  takenAt: undefined,
  camera: undefined,
}
export const problem = { code: 'broken-image', title: 'The image is damaged', detail: 'Its end is missing.' }
export const trail = { trailId: 4711, name: 'Rim Trail', slug: 'rim-trail' }

export const photo = (id: string, more: Partial<QueuedPhoto> = {}): QueuedPhoto => ({
  id,
  acctId: 42,
  key: `key-${id}`,
  name: `${id}.jpg`,
  bytes: 1_000,
  addedAt: 1,
  state: 'checking',
  title: '',
  caption: '',
  trail,
  position: { from: 'file' },
  sentBytes: 0,
  attempts: 0,
  ...more,
})
