// waymark drill restores a backup elsewhere, checks all of it, and leaves the installation untouched.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { readZip, writeZip } from '../helpers/backups.ts'
import { filesBelow, newFolder } from '../helpers/folders.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startPostgres, whyNoPostgres } from '../helpers/postgres.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { assertOneSentence, done, run, runJson, startChild, startServer } from './run-waymark.ts'

async function backedUp(t: TestContext, photos = 2) {
  const folder = await newFolder(t)
  const dataDir = path.join(folder, 'data')
  const waymark = await startWaymark({ dataDir })
  const ann = await waymark.addPerson()
  const staff = await waymark.addPerson({ role: 'reviewer' })
  await waymark.addTrail(7, 'Rim Trail')
  for (let seed = 1; seed <= photos; seed += 1) {
    const id = await waymark.upload(ann, 7, await jpegPicture({ seed }))
    await waymark.review(staff, id, 'approve')
  }
  await waymark.close()
  const file = path.join(folder, 'waymark.zip')
  await done(['backup', file], { dataDir })
  return { folder, dataDir, file }
}

/** Every file with its size and modification time, except locks and SQLite's shared memory, which are not data. */
async function stateOf(dataDir: string): Promise<string[]> {
  const files = (await filesBelow(dataDir)).filter((name) => !/-shm$|-wal$/.test(name))
  return Promise.all(
    files.map(async (name) => {
      const { size, mtimeMs } = await stat(path.join(dataDir, name))
      return `${name} ${size} ${mtimeMs}`
    }),
  )
}

void test('a good backup is restored, counted and checked beside a running server, and nothing is left behind', async (t) => {
  const { dataDir, file } = await backedUp(t)
  await startServer(t, { dataDir })
  const before = await stateOf(dataDir)
  const document = (await done(['drill', file], { dataDir })) as Record<string, unknown>
  assert.deepEqual(
    [document['ok'], document['images'], document['contents'], document['secret'], document['problems']],
    [true, 2, 2, 'included', []],
  )
  assert.ok(Number(document['historyRows']) >= 2)
  assert.deepEqual(await stateOf(dataDir), before)
  const reported = await run(['drill', file], { dataDir })
  assert.match(
    reported.stdout,
    /2 images in 2 files.*\nThe secret is in the backup and fits\.\nThe backup can be restored\.\n$/,
  )
})

void test('a damaged or incomplete backup ends with exit code 2', async (t) => {
  const { folder, dataDir, file } = await backedUp(t)
  const bytes = await readFile(file)
  const cut = path.join(folder, 'cut.zip')
  await writeFile(cut, bytes.subarray(0, bytes.length - 100))
  const refused = await run(['drill', cut], { dataDir })
  assert.equal(refused.exitCode, 2)
  assertOneSentence(refused.stderr)
  const files = await readZip(file)
  const other = path.join(folder, 'other-secret.zip')
  const secret = Buffer.from(`${'y'.repeat(43)}\n`)
  await writeZip(
    other,
    files.map(([name, content]) => [name, name === 'secret' ? secret : content] as const),
  )
  const wrong = await runJson(['drill', other], { dataDir })
  assert.equal(wrong.exitCode, 2)
  assert.match(JSON.stringify(wrong.document), /"secret":"missing".*is not the one that its database needs/)
  assert.equal(existsSync(path.join(dataDir, 'drill')), false)

  const blobs = path.join(dataDir, 'blobs')
  const lg = (await filesBelow(blobs)).find((name) => name.endsWith('.lg'))
  await rm(path.join(blobs, lg ?? ''))
  const lacking = path.join(folder, 'lacking.zip')
  assert.equal((await run(['backup', lacking], { dataDir })).exitCode, 2)
  const partial = await runJson(['drill', lacking], { dataDir })
  assert.equal(partial.exitCode, 2)
  assert.match(JSON.stringify(partial.document), /"ok":false.*was lost before the backup was made/)
})

void test('a backup without the secret is good only if SECRET_FILE has it', async (t) => {
  const { folder, dataDir } = await backedUp(t)
  const bare = path.join(folder, 'bare.zip')
  await done(['backup', bare, '--without-secret'], { dataDir })
  const fitting = (await done(['drill', bare], { dataDir })) as Record<string, unknown>
  assert.equal(fitting['secret'], 'elsewhere')
  await rename(path.join(dataDir, 'secret'), path.join(folder, 'kept'))
  const missing = await runJson(['drill', bare], { dataDir })
  assert.equal(missing.exitCode, 2)
  assert.match(
    JSON.stringify(missing.document),
    /"secret":"missing".*The backup has no secret, and SECRET_FILE \S+ does not exist/,
  )
  assert.equal(existsSync(path.join(dataDir, 'secret')), false)
})

void test('latest is the newest of BACKUP_TO; --into keeps an installation that can be served', async (t) => {
  const { folder, dataDir, file } = await backedUp(t)
  const none = await run(['drill', 'latest'], { dataDir })
  assert.deepEqual([none.exitCode, /BACKUP_TO, which is not set/.test(none.stderr)], [1, true])
  const to = path.join(folder, 'backups')
  await mkdir(to)
  const settings = { BACKUP_TO: to }
  const empty = await run(['drill', 'latest'], { dataDir, settings })
  assert.deepEqual([empty.exitCode, /contains no scheduled backup/.test(empty.stderr)], [2, true])
  const name = 'waymark-0a1b2c3d-20260515T031500Z.zip'
  await rename(file, path.join(to, name))
  await writeFile(path.join(to, 'waymark-0a1b2c3d-20260514T031500Z.zip'), 'an older one')
  const into = path.join(folder, 'into')
  const document = (await done(['drill', 'latest', '--into', into], { dataDir, settings })) as {
    file: string
  }
  assert.equal(document.file, path.join(to, name))
  const again = await run(['drill', 'latest', '--into', into], { dataDir, settings })
  assert.deepEqual([again.exitCode, /is not empty/.test(again.stderr)], [2, true])
  const server = await startServer(t, { dataDir: path.join(into, 'data') })
  assert.equal((await fetch(`${server.url}/health/ready`)).status, 200)
})

void test('a drill that is killed is cleaned up by the next one', async (t) => {
  const { dataDir, file } = await backedUp(t, 6)
  const appeared = Promise.withResolvers<void>()
  const watcher = watch(dataDir, (_, name) => {
    if (name === 'drill') appeared.resolve()
  })
  const child = startChild(['drill', file], { dataDir })
  child.stdin.end()
  await Promise.race([appeared.promise, once(child, 'close')])
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  watcher.close()
  await done(['drill', file], { dataDir })
  assert.ok(!(await readdir(dataDir)).some((name) => name.startsWith('drill')))
})

void test(
  'the database of a drill may be PostgreSQL, in a schema that is dropped',
  { skip: whyNoPostgres() },
  async (t) => {
    const { dataDir, file } = await backedUp(t)
    const postgres = await startPostgres()
    t.after(() => postgres.end())
    const url = await postgres.createDatabase({ isEmpty: true })
    for (const _ of [1, 2]) {
      const document = (await done(['drill', file, '--to-database', url], { dataDir })) as Record<
        string,
        unknown
      >
      assert.deepEqual([document['ok'], document['images'], document['secret']], [true, 2, 'included'])
    }
    const own = await run(['drill', file, '--to-database', url], { dataDir, settings: { DATABASE_URL: url } })
    assert.deepEqual(
      [own.exitCode, /must not be the database of the installation/.test(own.stderr)],
      [1, true],
    )
    const wrong = await run(['drill', file, '--to-database', 'mysql://x/y'], { dataDir })
    assert.equal(wrong.exitCode, 1)
  },
)
