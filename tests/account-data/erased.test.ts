// Deleted data is not left in the database file's free space, and an upload in progress stores nothing (issue 6).
import assert from 'node:assert/strict'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { createDeletion } from '../../src/account-data/deletion.ts'
import { parentOfFolders } from '../helpers/folders.ts'
import { anotherPicture } from '../helpers/leaving.ts'
import { startWaymark } from '../helpers/waymark.ts'

const trailId = 4711
const byNobody = { accountId: null, via: 'command' } as const

void test('a deleted account leaves no text in the bytes of the database file', async (t) => {
  const dataDir = await mkdtemp(path.join(parentOfFolders(), 'waymark-erased-'))
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const waymark = await startWaymark({ dataDir })
  await waymark.addTrail(trailId, 'Rim Trail')
  const person = await waymark.addPerson({ name: 'Zyxquil Vantoor' })
  for (let photo = 0; photo < 12; photo += 1) {
    const imageId = await waymark.upload(person, trailId, await anotherPicture())
    const answer = await waymark.fetch(`/v2/images/${imageId}`, {
      method: 'PATCH',
      token: person.token,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: `Zyxquil ${photo}`, caption: 'Vantoor was here '.repeat(8) }),
    })
    assert.equal(answer.status, 200)
  }
  const { database, blobs, system } = waymark.installation
  const deletion = createDeletion({ db: database.db, blobs, now: () => system.now(), sendMail: undefined })
  const report = await deletion.leave(person.accountId, 'delete', byNobody)
  assert.equal(report.photosDeleted, 12)
  await waymark.close()
  const files = (await readdir(dataDir)).filter((name) => name.includes('sqlite'))
  assert.ok(files.length > 0)
  for (const name of files) {
    const bytes = await readFile(path.join(dataDir, name))
    for (const word of ['Zyxquil', 'Vantoor']) assert.ok(!bytes.includes(word), `${word} stands in ${name}`)
  }
})

void test('an upload whose account is deleted during the transfer is refused and stores nothing', async (t) => {
  let whileReceiving = async (): Promise<void> => undefined
  const waymark = await startWaymark({
    wrapBlobs: (blobs) => ({
      ...blobs,
      receive: async (...given) => {
        const staged = await blobs.receive(...given)
        await whileReceiving()
        return staged
      },
    }),
  })
  t.after(() => waymark.close())
  await waymark.addTrail(trailId, 'Rim Trail')
  const person = await waymark.addPerson()
  const { database, blobs, system } = waymark.installation
  const deletion = createDeletion({ db: database.db, blobs, now: () => system.now(), sendMail: undefined })
  whileReceiving = async () => void (await deletion.leave(person.accountId, 'delete', byNobody))
  const answer = await waymark.fetch(`/Trails/${trailId}/Images/`, {
    method: 'POST',
    token: person.token,
    headers: { 'content-type': 'image/jpeg' },
    body: new Uint8Array(await anotherPicture()),
  })
  assert.equal(answer.status, 401)
  assert.deepEqual(await database.db.selectFrom('image').selectAll().execute(), [])
})
