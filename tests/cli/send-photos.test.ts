// The result of each photo of an upload, against a server with scripted responses; and resuming an interrupted upload.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { createWaymark } from '../../client/client.ts'
import { sendPhotos } from '../../cli/remote/send-photos.ts'
import { createOwnPhotos } from '../../cli/remote/own-photos.ts'
import { createPatience } from '../../cli/remote/patience.ts'
import { openJournal } from '../../cli/remote/upload-journal.ts'
import { createReportWriter, sentBefore, type Outcome } from '../../cli/remote/upload-report.ts'
import { isBad } from '../../cli/remote/upload-reporter.ts'
import { newFolder } from '../helpers/folders.ts'

const photo = Buffer.from([0xff, 0xd8, 0xff, 0xd9])
const place = { url: 'https://trails.example', trailID: 4711 }

const refused = (status: number, detail: string): Response =>
  Response.json({ type: '/problems/x', title: 'Refused', detail }, { status })

async function send(names: readonly string[], folder: string, look: () => Response): Promise<Outcome[]> {
  const waymark = createWaymark({
    baseUrl: place.url,
    retries: 0,
    fetch: async (_url, init) => {
      if (init.method !== 'POST') return look()
      await new Response(init.body, { headers: { 'content-type': 'text/plain' } }).bytes()
      return Response.json({ imageID: 7 })
    },
  })
  const { signal } = new AbortController()
  const patience = createPatience({ maxWaitMs: 0, signal, onWait: () => undefined })
  const journal = await openJournal(folder, { ...place, acctID: 42 })
  const { outcomes } = await sendPhotos(
    waymark,
    names.map((name) => ({ file: path.join(folder, name) })),
    {
      trailId: place.trailID,
      details: {},
      maxPhotoBytes: 1_000,
      concurrency: 1,
      isDryRun: false,
      isChecked: true,
      isAnew: false,
      before: new Map(),
      journal,
      ownPhotos: createOwnPhotos(waymark, { trailId: place.trailID, accountId: 42 }, patience),
      patience,
      signal,
      onBytes: () => undefined,
      onOutcome: async () => undefined,
    },
  )
  await journal.close()
  return [...outcomes]
}

async function folderWith(t: TestContext): Promise<string> {
  const folder = await newFolder(t)
  await writeFile(path.join(folder, 'one.jpg'), photo)
  return folder
}

void test('a photo that was sent but could not be checked is reported as sent, with its imageID', async (t) => {
  const [outcome] = await send(['one.jpg'], await folderWith(t), () => refused(404, 'It is gone.'))
  assert.deepEqual(
    [outcome?.status, outcome?.imageID, outcome?.checked, outcome?.reason],
    ['sent', 7, false, 'It could not be verified: It is gone.'],
  )
})

void test('a photo of an earlier run is checked too: the server may have lost it', async (t) => {
  const folder = await folderWith(t)
  const sha256 = createHash('sha256').update(photo).digest('hex')
  const [first] = await send(['one.jpg'], folder, () => Response.json({ sha256 }))
  assert.deepEqual([first?.status, first?.checked], ['sent', true])
  const [again] = await send(['one.jpg'], folder, () => Response.json({ sha256 }))
  assert.deepEqual([again?.status, again?.checked], ['known', true])
  const [lost] = await send(['one.jpg'], folder, () => refused(404, 'It is gone.'))
  assert.deepEqual([lost?.status, lost?.checked, lost && isBad(lost)], ['known', false, true])
  assert.equal(lost?.reason, 'It could not be verified: It is gone.')
})

void test('a photo larger than the server accepts is not sent, and the reason names the limit', async (t) => {
  const folder = await newFolder(t)
  await writeFile(path.join(folder, 'one.jpg'), Buffer.alloc(1_001, 0xff))
  const [outcome] = await send(['one.jpg'], folder, () => refused(404, 'It is gone.'))
  assert.equal(outcome?.status, 'refused')
  assert.match(outcome.reason ?? '', /^It is larger than this server accepts \(1,?000 bytes\)\.$/)
})

void test('an unreadable file is refused by itself, and the others are sent', async (t) => {
  const folder = await folderWith(t)
  await mkdir(path.join(folder, 'folder.jpg'))
  const outcomes = await send(['gone.jpg', 'folder.jpg', 'one.jpg'], folder, () =>
    Response.json({ sha256: '' }),
  )
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['refused', 'refused', 'sent'],
  )
  assert.match(outcomes[0]?.reason ?? '', /^It cannot be read: no such file/)
})

void test('photos sent to one trail are not treated as sent to another, whether the upload ended or was interrupted', async (t) => {
  const report = path.join(await newFolder(t), 'report.json')
  const outcome: Outcome = { file: 'one.jpg', status: 'sent', imageID: 7, sha256: 'abc' }
  const writer = createReportWriter(report, place)
  const other = { ...place, trailID: 4712 }
  await writer.note(outcome)
  await appendFile(`${report}.partial`, '{"file":"two.jpg","sta')
  assert.deepEqual([...(await sentBefore(report, place)).keys()], ['abc'])
  assert.equal((await sentBefore(report, other)).size, 0)
  await writer.finish([outcome])
  assert.deepEqual([...(await sentBefore(report, place)).keys()], ['abc'])
  assert.equal((await sentBefore(report, other)).size, 0)
})

void test('an invalid report file is reported in a sentence', async (t) => {
  const report = path.join(await newFolder(t), 'report.json')
  await writeFile(report, 'file,imageID\n')
  await assert.rejects(sentBefore(report, place), /report\.json is not an upload report/)
})
