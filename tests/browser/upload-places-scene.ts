// Shared by the tests of placing photos: a trail with a line, photos of a walk without a location, and the walk itself.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { createRandom } from '../helpers/containers-fixtures.ts'
import { jpegFile, type CameraNotes } from '../../scripts/demo-photos/photo-file.ts'
import { filesIn } from './upload-fixtures.ts'
import { prepare, type Room } from './upload-scene.ts'

/** To the north, with a bend every few hundred metres. */
const coordinates = Array.from({ length: 25 }, (_, at) => [7.25 + (at % 2) * 0.002, 46.5 + at * 0.002])

/** 30 minutes along the trail's line, from 9:00 UTC; a fix every ten seconds. */
export const walkGpx = `<?xml version="1.0"?><gpx version="1.1" creator="Watch" xmlns="http://www.topografix.com/GPX/1/1">
<trk><name>Ridge walk</name><trkseg>${Array.from({ length: 181 }, (_, at) => {
  const time = new Date(Date.UTC(2026, 4, 14, 9) + at * 10_000).toISOString()
  return `<trkpt lat="${46.5 + (at / 180) * 0.048}" lon="7.251"><ele>1200</ele><time>${time}</time></trkpt>`
}).join('')}</trkseg></trk></gpx>`

/** With maps, on a trail that has a line. */
export async function prepareTrail(t: TestContext): Promise<Room | undefined> {
  const room = await prepare(t, { hasMaps: true })
  if (!room) return undefined
  const { waymark } = room.site
  const admin = await waymark.addPerson({ name: 'Ada', role: 'admin' })
  const body = { name: 'Rim Trail', slug: 'rim-trail', geometry: { type: 'LineString', coordinates } }
  const answer = await waymark.fetch('/v2/trails/4711', {
    method: 'PUT',
    token: admin.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  assert.ok(answer.ok, `${answer.status}`)
  return room
}

const two = (figure: number): string => String(figure).padStart(2, '0')

/** Small and distinct; taken this many minutes after the hour by a camera without a time zone. */
function walkPhoto(
  seed: number,
  minute: number,
  hour: number,
  position?: CameraNotes['position'],
): Promise<Buffer> {
  const random = createRandom(seed)
  const side = 24
  const bytes = Uint8Array.from({ length: side * side * 3 }, () => random() * 255)
  const seconds = Math.round(minute * 60)
  const clock = `${two(hour + Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  return jpegFile(
    { bytes, width: side, height: side },
    {
      width: side,
      height: side,
      notes: {
        model: 'Trail 2',
        serialNumber: '4711',
        owner: 'Ana',
        takenAt: `2026:05:14 ${clock}`,
        position,
      },
      isSideways: false,
      isBlurred: false,
    },
  )
}

export const walkPhotoAt = (seed: number, minute: number, position?: CameraNotes['position']) =>
  walkPhoto(seed, minute, 11, position)

/** Files, evenly spread over the walk, without a location. */
export async function walkPhotos(t: TestContext, count: number, hour = 11): Promise<string[]> {
  const photos = await Promise.all(
    Array.from({ length: count }, async (_, at): Promise<[string, Buffer]> => [
      `walk-${two(at + 1)}.jpg`,
      await walkPhoto(at + 1 + hour * 1_000, (at * 29) / Math.max(1, count - 1), hour),
    ]),
  )
  return filesIn(t, Object.fromEntries(photos))
}
