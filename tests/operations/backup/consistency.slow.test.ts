// waymark backup and restore as an operator uses them: another folder serves the same data, and impossible cases are
// reported.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { requireFreeName } from '../../../src/operations/backup/backup-file.ts'
import { readConfig } from '../../../src/settings/config.ts'
import { imageSizes } from '../../../src/shared/image-sizes.ts'
import { openDatabase, restoringFileOf } from '../../../src/database/open-database.ts'
import { takeFileLock } from '../../../src/database/sqlite/file-lock.ts'
import { originalKey, renditionKey } from '../../../src/images/storage/blob-keys.ts'
import { openInstallation } from '../../../src/installation.ts'
import { backUp, readZip, restoreInto } from '../../helpers/backups.ts'
import { filesBelow, newFolder } from '../../helpers/folders.ts'
import { storeAsBefore } from '../../helpers/older-store.ts'
import { blobsOfPhoto, jpegPicture } from '../../helpers/pictures.ts'
import { startWaymark, type Waymark } from '../../helpers/waymark.ts'
import { assertOneSentence, done, run, runJson, startServer } from '../../cli/run-waymark.ts'
import { smallName } from '../../../src/images/storage/small-sizes.ts'

/** A server with three photos of two files, one of them published, and everyone with access to them. */
async function serverWithPhotos(t: TestContext) {
  const folder = await newFolder(t)
  const dataDir = path.join(folder, 'data')
  const waymark = await startWaymark({ dataDir })
  t.after(() => waymark.close())
  await waymark.addTrail(4711, 'Rim Trail')
  const ann = await waymark.addPerson({ role: 'reviewer' })
  const photos = [await jpegPicture({ seed: 1 }), await jpegPicture({ seed: 2 })] as const
  const listed = await waymark.upload(ann, 4711, photos[0])
  const pending = await waymark.upload(ann, 4711, photos[1])
  await waymark.upload(await waymark.addPerson(), 4711, photos[1])
  await waymark.fetch(`/Trails/4711/Images/${listed}`, {
    method: 'PUT',
    token: ann.token,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'The rim', caption: 'In the evening' }),
  })
  assert.equal((await waymark.review(ann, listed, 'approve')).status, 200)
  return { waymark, folder, dataDir, ann, listed, pending, apiKey: await waymark.addKey(ann.accountId) }
}

type Served = Awaited<ReturnType<typeof serverWithPhotos>>

/** Everything that clients can see of the two photos, as text and bytes. */
async function allAnswers(waymark: Waymark, { ann, listed, pending, apiKey }: Served): Promise<Buffer[]> {
  const views = [listed, pending].flatMap((id) =>
    imageSizes.flatMap((size) => [
      `/ImageHandler?id=${id}&t=${size}`,
      `/ImageHandler?id=${id}&t=${size}&f=webp`,
    ]),
  )
  const lists = [`/Trails/4711/Images/?api_key=${apiKey}`, '/v2/images', `/v2/images/${listed}`]
  const answers: Buffer[] = []
  for (const address of [...lists, ...views]) {
    const answer = await waymark.fetch(address, address.startsWith('/v2/') ? { token: ann.token } : {})
    assert.equal(answer.status, 200, address)
    answers.push(Buffer.from(await answer.arrayBuffer()))
  }
  return answers
}

void describe('backup and restore', { concurrency: 2 }, () => {
  void test('contract D4, trust 20: backed up while running and restored elsewhere, it gives the same responses', async (t) => {
    const served = await serverWithPhotos(t)
    const { waymark, folder, dataDir } = served
    const before = await allAnswers(waymark, served)
    const file = path.join(folder, 'waymark.zip')

    const document = (await done(['backup', file], { dataDir })) as Record<string, unknown>
    const { bytes, createdAt, seconds, blobBytes, schema, ...rest } = document
    const counts = { images: 3, contents: 2, blobs: 2 * blobsOfPhoto }
    const good = {
      ok: true,
      file,
      ...counts,
      hasSecret: true,
      secret: 'included',
      forgottenRenditions: 0,
      problems: [],
    }
    assert.deepEqual(rest, good)
    const { size, mode } = await stat(file)
    assert.deepEqual([bytes, mode & 0o777], [size, 0o600])
    assert.ok(Number(blobBytes) > 0 && Number(blobBytes) < size && Number(seconds) > 0)
    assert.deepEqual(
      (await filesBelow(folder)).filter((name) => /backup|partial/.test(name)),
      ['data/waymark.sqlite.backup-lock'],
    )

    const restoredDir = path.join(folder, 'restored')
    const restored = (await done(['restore', file], { dataDir: restoredDir })) as Record<string, unknown>
    assert.deepEqual(
      { ...restored, seconds: 0 },
      {
        ok: true,
        file,
        createdAt,
        schema,
        ...counts,
        blobBytes,
        secret: 'restored',
        problems: [],
        seconds: 0,
      },
    )
    assert.deepEqual(await readFile(`${restoredDir}/secret`), await readFile(`${dataDir}/secret`))
    for (const name of ['secret', 'waymark.sqlite'])
      assert.equal((await stat(path.join(restoredDir, name))).mode & 0o777, 0o600)
    assert.deepEqual(
      (await filesBelow(restoredDir)).filter((name) => name.startsWith('blobs/kept')),
      (await filesBelow(dataDir)).filter((name) => name.startsWith('blobs/kept')),
    )
    assert.deepEqual(await done(['check', '--store'], { dataDir: restoredDir }), {
      ok: true,
      images: 3,
      contents: 2,
      problems: [],
      warnings: [],
    })
    const again = await startWaymark({ dataDir: restoredDir })
    t.after(() => again.close())
    assert.deepEqual(await allAnswers(again, served), before)
    assert.ok(await again.upload(served.ann, 4711, await jpegPicture({ seed: 3 })), 'and it takes uploads')
  })

  void test('an existing backup file is replaced only with --force, and nothing else is ever replaced', async (t) => {
    const dataDir = await newFolder(t)
    await done(['trails', 'add', '--id', '4711', '--name', 'Rim Trail'], { dataDir })
    const file = path.join(dataDir, 'waymark.zip')
    await writeFile(file, 'yesterday', { mode: 0o644 })
    const refused = await runJson(['backup', file], { dataDir })
    const { error } = refused.document as { error: { code: string } }
    assert.deepEqual([refused.exitCode, error.code], [2, 'already-there'])
    assert.equal(await readFile(file, 'utf8'), 'yesterday')
    const { hasSecret } = (await done(['backup', file, '--force'], { dataDir })) as { hasSecret: boolean }
    assert.equal(hasSecret, false, 'no server was ever started')
    assert.deepEqual(
      (await readZip(file)).map(([name]) => name),
      ['manifest.json', 'database.sqlite'],
    )
    assert.equal((await stat(file)).mode & 0o777, 0o600)

    for (const name of [dataDir, '/dev/null'])
      await assert.rejects(requireFreeName(name, true), /is not a file/)
  })

  void test('a backup to stdout is the same zip, and messages go to stderr', async (t) => {
    const dataDir = await newFolder(t)
    await done(['trails', 'add', '--id', '4711', '--name', 'Rim Trail'], { dataDir })
    const { exitCode, stdout, stderr } = await run(['backup', '-'], { dataDir })
    assert.equal(exitCode, 0)
    assert.match(stdout, /^PK/)
    assert.match(stderr, /^Backed up 0 images in 0 files to stdout/)
    const refused = await run(['backup', '-', '--json'], { dataDir })
    assert.equal(refused.exitCode, 1)
    assertOneSentence(refused.stderr)
  })

  void test('a backup without an installation creates none, and a second concurrent backup waits for the first', async (t) => {
    const dataDir = await newFolder(t)
    const file = path.join(dataDir, 'waymark.zip')
    const wrong = path.join(dataDir, 'mistyped')
    const nothing = await run(['backup', file], { dataDir: wrong })
    assert.equal(nothing.exitCode, 2)
    assertOneSentence(nothing.stderr)
    assert.deepEqual([existsSync(file), existsSync(wrong)], [false, false])
    await writeFile(`${dataDir}/waymark.sqlite`, '')
    const empty = await run(['backup', file], { dataDir })
    assert.deepEqual([empty.exitCode, existsSync(file)], [2, false])
    assertOneSentence(empty.stderr)

    const installation = await openInstallation(readConfig({ DATA_DIR: dataDir }))
    t.after(() => installation.close())
    const lock = takeFileLock(`${dataDir}/waymark.sqlite.backup-lock`)
    await assert.rejects(backUp(installation, file), { failureCode: 'backup-running' })
    assert.equal(existsSync(file), false)
    lock?.release()
    await backUp(installation, file)
  })

  async function backUpLost(t: TestContext, { isOld }: { readonly isOld: boolean }): Promise<void> {
    const served = await serverWithPhotos(t)
    const { waymark, folder, dataDir, listed } = served
    const fileOf = (key: string) => path.join(dataDir, 'blobs', 'kept', key)
    const rows = await waymark.installation.database.db.selectFrom('image').select(['id', 'sha256']).execute()
    const lost = rows.find(({ id }) => id !== listed)?.sha256 ?? ''
    const kept = rows.find(({ id }) => id === listed)?.sha256 ?? ''
    if (isOld) await storeAsBefore(waymark.installation, lost)
    await rm(fileOf(isOld ? originalKey(lost) : renditionKey(lost, 'lg')))
    const rendition = await readFile(fileOf(renditionKey(kept, smallName)))
    await writeFile(fileOf(renditionKey(kept, smallName)), rendition.fill(0, 100, 200)) // of the same length

    const file = path.join(folder, 'waymark.zip')
    const backup = await runJson(['backup', file], { dataDir })
    const reported = backup.document as { ok: boolean; problems: { sha256: string; detail: string }[] }
    assert.deepEqual([backup.exitCode, backup.stderr, reported.ok], [2, '', false])
    assert.deepEqual(
      reported.problems.map(({ sha256 }) => sha256),
      [lost],
    )
    assert.match(reported.problems[0]?.detail ?? '', /^The original of images \d+, \d+ is missing/)
    assert.equal((reported as unknown as { forgottenRenditions: number }).forgottenRenditions, isOld ? 1 : 2)

    const restoredDir = path.join(folder, 'restored')
    const restored = await runJson(['restore', file], { dataDir: restoredDir })
    const { ok, problems } = restored.document as typeof reported
    assert.deepEqual([restored.exitCode, ok, problems.map(({ sha256 }) => sha256)], [2, false, [lost]])
    const again = await startWaymark({ dataDir: restoredDir })
    t.after(() => again.close())
    assert.equal((await again.fetch(`/ImageHandler?id=${listed}&t=md`)).status, 200)
    const check = await runJson(['check', '--store'], { dataDir: restoredDir })
    const { problems: left, warnings } = check.document as {
      problems: { sha256: string }[]
      warnings: { detail: string }[]
    }
    assert.deepEqual(
      left.map(({ sha256 }) => sha256),
      [lost],
    )
    assert.deepEqual(
      warnings.map(({ detail }) => detail),
      isOld ? [] : ['No rendition is recorded for lg; it will be generated.'],
    )
  }

  void test('a lost original is reported and the rest is backed up; a damaged rendition is regenerated', async (t) => {
    await backUpLost(t, { isOld: true })
  })

  void test('a lost original that would be rebuilt is reported like one that is stored as uploaded', async (t) => {
    await backUpLost(t, { isOld: false })
  })

  void test('contract D4: restore is refused while a server runs, and never overwrites anything that exists', async (t) => {
    const { folder, dataDir } = await serverWithPhotos(t)
    const file = path.join(folder, 'waymark.zip')
    await done(['backup', file], { dataDir })
    const busy = path.join(folder, 'busy')
    const server = await startServer(t, { dataDir: busy })
    const whileRunning = await runJson(['restore', file], { dataDir: busy })
    assert.match(JSON.stringify(whileRunning.document), /"server-running"/)
    assert.deepEqual([whileRunning.exitCode, await server.stop()], [2, 0])

    async function refuses(word: RegExp): Promise<void> {
      const files = await filesBelow(busy)
      await assert.rejects(restoreInto(busy, file), (error: Error) => word.test(error.message))
      assert.deepEqual(await filesBelow(busy), files)
    }
    const stopped = await run(['restore', file], { dataDir: busy })
    assert.equal(stopped.exitCode, 2)
    assertOneSentence(stopped.stderr)
    await refuses(/waymark\.sqlite already exists/)
    await rm(`${busy}/waymark.sqlite`)
    await writeFile(`${busy}/waymark.sqlite-wal`, 'of the database that was there')
    await refuses(/waymark\.sqlite-wal already exists/)
    await rm(`${busy}/waymark.sqlite-wal`)
    await mkdir(`${busy}/blobs/kept/original/ab`, { recursive: true })
    await writeFile(`${busy}/blobs/kept/original/ab/${'ab'.repeat(32)}`, 'a photo')
    await refuses(/already contains photos/)
    await rm(`${busy}/blobs/kept/original`, { recursive: true })
    await refuses(/SECRET_FILE .* contains a different secret/)
    await rm(`${busy}/secret`)
    await restoreInto(busy, file)
  })

  void test('no command and no server accepts an incomplete restore as an installation', async (t) => {
    const dataDir = await newFolder(t)
    const file = path.join(dataDir, 'waymark.zip')
    const installation = await openInstallation(readConfig({ DATA_DIR: `${dataDir}/a` }))
    t.after(() => installation.close())
    await backUp(installation, file)
    const half = `${dataDir}/half`
    await mkdir(half)
    await writeFile(restoringFileOf(`${half}/waymark.sqlite`), 'half')
    const { exitCode, stderr } = await run(['check'], { dataDir: half })
    assert.equal(exitCode, 2)
    assertOneSentence(stderr)
    // What `serve` and every other command open.
    await assert.rejects(openInstallation(readConfig({ DATA_DIR: half })), /was interrupted/)
    await assert.rejects(
      openDatabase({ engine: 'sqlite', file: `${half}/waymark.sqlite` }),
      /was interrupted/,
    )
    assert.ok(!existsSync(`${half}/waymark.sqlite`))
    await restoreInto(half, file)
    await done(['check'], { dataDir: half })
  })
})
