// More concurrent uploads than capacity: a clear refusal with Retry-After, and nothing of refused uploads is stored.
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../helpers/folders.ts'
import { startRenditions } from '../helpers/imaging.ts'
import { blobsOfPhoto, jpegPicture } from '../helpers/pictures.ts'
import { assertProblem } from '../helpers/problems.ts'
import { startWaymark } from '../helpers/waymark.ts'

const trailId = 4711

void test('with one job and two queue places, each of thirty concurrent uploads is either stored completely or refused', async (t) => {
  const renditions = startRenditions(1, 2)
  const waymark = await startWaymark({ renditions, dataDir: await newFolder(t) })
  t.after(() => waymark.close())
  await waymark.addTrail(trailId, 'Rim Trail')
  const person = await waymark.addPerson()
  const pictures = await Promise.all(Array.from({ length: 30 }, (_, seed) => jpegPicture({ seed })))
  const post = (bytes: Uint8Array) =>
    waymark.fetch(`/Trails/${trailId}/Images`, {
      method: 'POST',
      token: person.token,
      headers: { 'content-type': 'image/jpeg' },
      body: Buffer.from(bytes),
    })

  const answers = await Promise.all(pictures.map(post))
  const refused = pictures.filter((_, index) => answers[index]?.status !== 201)
  const ids: number[] = []
  for (const answer of answers) {
    if (answer.status === 201) ids.push(Number(await answer.text()))
    else {
      assert.equal(answer.headers.get('retry-after'), '5')
      const problem = await assertProblem(answer, 'busy')
      assert.equal(problem.title, 'The server is busy')
    }
  }
  assert.ok(ids.length >= 2 && refused.length >= 2, `${ids.length} stored, ${refused.length} refused`)
  assert.equal(renditions.jobsStarted(), ids.length)

  const { db } = waymark.installation.database
  const rows = await db.selectFrom('image').select('id').orderBy('id').execute()
  assert.deepEqual(
    rows.map(({ id }) => id),
    ids.toSorted((a, b) => a - b),
  )
  const entries = await Array.fromAsync(waymark.installation.blobs.list(''))
  assert.equal(entries.length, blobsOfPhoto * ids.length)
  assert.deepEqual(await readdir(path.join(waymark.dataDir, 'blobs', 'tmp')), [])

  for (const bytes of refused) await waymark.upload(person, trailId, bytes)
  assert.equal((await db.selectFrom('image').select('id').execute()).length, pictures.length)
})

void test('a job waiting in the queue is not lost: as many uploads as the queue has room for are all stored', async (t) => {
  const renditions = startRenditions(1, 8)
  const waymark = await startWaymark({ renditions, dataDir: await newFolder(t) })
  t.after(() => waymark.close())
  await waymark.addTrail(trailId, 'Rim Trail')
  const person = await waymark.addPerson()
  const pictures = await Promise.all(Array.from({ length: 8 }, (_, seed) => jpegPicture({ seed })))
  const ids = await Promise.all(pictures.map((bytes) => waymark.upload(person, trailId, bytes)))
  assert.equal(new Set(ids).size, 8)
})
