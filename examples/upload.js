// Uploads the JPEGs of a folder to a trail. Killed at any moment and started again, it goes on, and creates no photo twice.
//
//   WAYMARK_URL=… WAYMARK_TOKEN=… node upload.js FOLDER TRAIL_ID
import { openAsBlob } from 'node:fs'
import { open, readFile, readdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { createWaymark, isWaymarkProblem, randomKey } from '@waymark/client'

const [, , folder = '.', trailID = ''] = process.argv
const { WAYMARK_URL: baseUrl = '', WAYMARK_TOKEN: bearer = '' } = process.env
const waymark = createWaymark({ baseUrl, credential: { bearer } })

/** Uploads that have begun, by file name. A key without imageID: it is unknown whether that photo arrived. */
const journalFile = path.join(folder, '.uploads.json')
/** @type {Record<string, { key: string, imageID?: number }>} */
const journal = JSON.parse(await readFile(journalFile, 'utf8').catch(() => '{}'))

/** On disk before it returns, whole or not at all. */
async function saveJournal() {
  const file = await open(`${journalFile}.new`, 'w')
  await file.writeFile(JSON.stringify(journal, undefined, 2))
  await file.sync()
  await file.close()
  await rename(`${journalFile}.new`, journalFile)
}

for (const name of (await readdir(folder)).filter((one) => /\.jpe?g$/i.test(one)).sort()) {
  const upload = (journal[name] ??= { key: randomKey() })
  if (upload.imageID !== undefined) continue
  // The key is kept before the photo is sent. With the same key, the server gives the answer of the first time.
  await saveJournal()
  try {
    const photo = await openAsBlob(path.join(folder, name), { type: 'image/jpeg' })
    const image = await waymark.images.upload(Number(trailID), photo, undefined, {
      idempotencyKey: upload.key,
    })
    upload.imageID = image.imageID
    await saveJournal()
    console.log(`${name}: photo ${image.imageID}, ${image.status}`)
  } catch (error) {
    if (!isWaymarkProblem(error)) throw error
    console.error(`${name}: ${error.title}. ${error.detail ?? ''}`)
    process.exitCode = 1
  }
}
