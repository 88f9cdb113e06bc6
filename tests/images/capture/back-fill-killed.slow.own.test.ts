// 20 kills while older photos are read: each photo is read exactly once, with the result of a current upload.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { countUnread } from '../../../src/images/capture/unread-table.ts'
import { ascii, buildTiff, exifSegment, gpsEntries, insertSegments } from '../../helpers/exif-fixtures.ts'
import { rationals, tags } from '../../helpers/exif-fixtures.ts'
import { newFolder } from '../../helpers/folders.ts'
import { jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { leaveUnread, rowsOf } from './older-photos.ts'

const kills = 20
const photos = 400
/** The worker process takes almost a second to start. */
const maxWorkMs = 2_000
const entry = path.join(import.meta.dirname, 'back-fill-process.ts')

void test('20 kills while older photos are read: each is processed exactly once', async (t) => {
  const waymark = await startWaymark({
    dataDir: await newFolder(t),
    environment: { QUOTA_PENDING_IMAGES: '0' },
  })
  t.after(() => waymark.close())
  const { installation, dataDir } = waymark
  const { db } = installation.database
  await waymark.addTrail(4711, 'Rim Trail')
  const person = await waymark.addPerson()
  const picture = await jpegPicture({ width: 12, height: 9 })
  for (let index = 0; index < photos; index += 1) {
    const tiff = buildTiff({
      exif: [
        ascii(tags.takenAt, '2026:05:14 23:08:07'),
        ascii(tags.subSeconds, String(index).padStart(3, '0')),
      ],
      gps: [...gpsEntries(47 + index / 1_000, 8.54), rationals(tags.direction, [index % 360, 1])],
    })
    await waymark.upload(person, 4711, insertSegments(picture, [exifSegment(tiff)]))
  }
  const expected = await rowsOf(db)
  await leaveUnread(db)
  await sql`create table done_photo (id integer not null)`.execute(db)
  await sql`create trigger note_done after update of unread on image when old.unread != new.unread
    begin insert into done_photo values (new.id); end`.execute(db)

  /** @returns whether it was killed during its work. */
  async function runAndKill(): Promise<boolean> {
    const child = fork(entry, [path.join(dataDir, 'waymark.sqlite'), path.join(dataDir, 'blobs')])
    const ended = once(child, 'exit')
    const [first] = (await once(child, 'message')) as [string]
    assert.equal(first, 'ready')
    const done = once(child, 'message').then(() => true)
    const isDone = await Promise.race([done, pause(Math.random() * maxWorkMs, false)])
    child.kill('SIGKILL')
    await ended
    return !isDone
  }

  let killed = 0
  let rounds = 1
  while (killed < kills) {
    if (await runAndKill()) killed += 1
    if ((await countUnread(db)) === 0 && killed < kills) {
      await requireDoneOnce()
      rounds += 1
      await leaveUnread(db)
      await sql`delete from done_photo`.execute(db)
    }
  }
  while ((await countUnread(db)) > 0) await runAndKill()
  await requireDoneOnce()
  t.diagnostic(`${killed} kills at work, ${rounds} rounds of ${photos} photos`)

  async function requireDoneOnce(): Promise<void> {
    const { rows } = await sql<{ id: number }>`select id from done_photo order by id`.execute(db)
    assert.deepEqual(
      rows.map(({ id }) => id),
      expected.map(({ id }) => id),
    )
    assert.deepEqual(await rowsOf(db), expected)
  }
})
