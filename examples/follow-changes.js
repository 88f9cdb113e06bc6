// Prints what happens to photos, from the first event on. Started again, it continues where it was.
//
//   WAYMARK_URL=… WAYMARK_TOKEN=… node follow-changes.js
import { readFile, rename, writeFile } from 'node:fs/promises'
import { createWaymark } from '@waymark/client'

const { WAYMARK_URL: baseUrl = '', WAYMARK_TOKEN: bearer = '' } = process.env
const waymark = createWaymark({ baseUrl, credential: { bearer } })

const positionFile = 'position.txt'
const lastPosition = Number(await readFile(positionFile, 'utf8').catch(() => '0'))

/** @param {number} position */
async function savePosition(position) {
  await writeFile(`${positionFile}.new`, String(position))
  await rename(`${positionFile}.new`, positionFile)
}

const end = new AbortController()
process.once('SIGINT', () => end.abort()).once('SIGTERM', () => end.abort())

const events = waymark.events({
  lastPosition,
  signal: end.signal,
  types: ['image.approved', 'image.removed', 'image.deleted'],
  // The server has deleted events that this program has not seen: load everything, then continue from there.
  onGap: async ({ newest }) => {
    for await (const trail of waymark.trails.each()) console.log(`${trail.name} has ${trail.images} photos`)
    await savePosition(newest)
  },
})
for await (const event of events) {
  console.log(event.position, event.type, JSON.stringify(event.data))
  // After the work: killed in between, the program sees this event once more, but never misses one.
  await savePosition(event.position)
}
