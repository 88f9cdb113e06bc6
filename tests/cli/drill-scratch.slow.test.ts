// What `waymark drill` deletes and which backup it picks: never other files, never another installation's backup.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { verifyBackup } from '../../src/operations/backup/scheduled/verify-backup.ts'
import { readManifest } from '../../src/operations/backup/manifest.ts'
import { openZip } from '../../src/operations/backup/zip-reader.ts'
import { backupIdOf } from '../../src/operations/backup/scheduled/backup-state.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { readConfig } from '../../src/settings/config.ts'
import { readZip, writeZip } from '../helpers/backups.ts'
import { newFolder } from '../helpers/folders.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { assertOneSentence, done, run, startChild } from './run-waymark.ts'

async function backedUp(t: TestContext) {
  const folder = await newFolder(t)
  const dataDir = path.join(folder, 'data')
  const waymark = await startWaymark({ dataDir })
  await waymark.close()
  const file = path.join(folder, 'waymark.zip')
  await done(['backup', file], { dataDir })
  return { folder, dataDir, file }
}

async function refused(args: readonly string[], dataDir: string, settings: Record<string, string> = {}) {
  const { exitCode, stderr } = await run(args, { dataDir, settings })
  assertOneSentence(stderr)
  return [exitCode, stderr] as const
}

void test('foreign files in the scratch folder of drills are left alone', async (t) => {
  const { dataDir, file } = await backedUp(t)
  const scratch = path.join(dataDir, 'drill')
  await mkdir(scratch)
  const name = 'waymark-0a1b2c3d-20260515T031500Z.zip'
  await copyFile(file, path.join(scratch, name))
  const [of, reported] = await refused(['drill', path.join(scratch, name)], dataDir)
  assert.deepEqual([of, reported.includes('is in the scratch folder of drills')], [2, true])
  const [ofTo] = await refused(['drill', 'latest'], dataDir, { BACKUP_TO: scratch })
  assert.equal(ofTo, 1, 'a wrong setting')
  assert.deepEqual(await readdir(scratch), [name])
  const [ofInto, into] = await refused(['drill', file, '--into', path.join(scratch, 'mine')], dataDir)
  assert.deepEqual([ofInto, into.includes('choose another folder')], [2, true])
})

void test('latest belongs to this installation, if several write to one place', async (t) => {
  const { folder, dataDir, file } = await backedUp(t)
  const to = path.join(folder, 'backups')
  await mkdir(to)
  const settings = { BACKUP_TO: to }
  const others = 'waymark-0a1b2c3d-20260515T031500Z.zip'
  await copyFile(file, path.join(to, others))
  const lost = (await done(['drill', 'latest'], { dataDir, settings })) as { file: string }
  assert.equal(lost.file, path.join(to, others), 'an installation without backups takes what there is')

  const { db, close } = await openDatabase(readConfig({ DATA_DIR: dataDir }).databasePlace)
  const id = await backupIdOf(db, 0)
  await close()
  const [exitCode, reported] = await refused(['drill', 'latest'], dataDir, settings)
  assert.deepEqual(
    [exitCode, reported.includes('contains no scheduled backup of this installation')],
    [2, true],
  )
  const own = `waymark-${id}-20260514T031500Z.zip`
  await copyFile(file, path.join(to, own))
  const found = (await done(['drill', 'latest'], { dataDir, settings })) as { file: string }
  assert.equal(found.file, path.join(to, own), 'although the other is newer')
})

void test('a folder is refused as something that cannot be drilled', async (t) => {
  const { folder, dataDir } = await backedUp(t)
  const [exitCode, reported] = await refused(['drill', folder], dataDir)
  assert.deepEqual([exitCode, reported.includes(folder)], [2, true])
})

void test('a backup that is read again must have the secret that was written', async (t) => {
  const { folder, file } = await backedUp(t)
  const files = await readZip(file)
  const verify = async (name: string, secret: (bytes: Buffer) => Uint8Array): Promise<void> => {
    const altered = path.join(folder, name)
    await writeZip(
      altered,
      files.map(([entry, bytes]) => [entry, entry === 'secret' ? secret(bytes) : bytes] as const),
    )
    const zip = await openZip(altered)
    const { signal } = new AbortController()
    const [, manifest] = files[0] ?? assert.fail('an empty backup')
    const written = readManifest(manifest, altered)
    try {
      await verifyBackup(zip, {
        file: altered,
        written,
        photosToRead: Infinity,
        signal,
        rest: async () => undefined,
      })
    } finally {
      zip.close()
    }
  }
  await verify('same.zip', (bytes) => bytes)
  await assert.rejects(
    verify('other.zip', () => Buffer.from(`${'y'.repeat(43)}\n`)),
    /secret is not what was written/,
  )
  const damaged = path.join(folder, 'damaged.zip')
  const bytes = await readFile(file)
  const secret = files.find(([name]) => name === 'secret')?.[1] ?? assert.fail('no secret')
  bytes[bytes.indexOf(secret) + 3] = 0x21
  await writeFile(damaged, bytes)
  const zip = await openZip(damaged)
  const [, manifest] = files[0] ?? assert.fail('an empty backup')
  const { signal } = new AbortController()
  const written = readManifest(manifest, damaged)
  const options = { file: damaged, written, photosToRead: 0, signal, rest: async () => undefined }
  await assert.rejects(verifyBackup(zip, options), /secret differs from what was backed up/)
  zip.close()
})

/** A bucket with one backup, whose parts keep coming. */
async function startEndlessBucket(t: TestContext, onPart: () => void): Promise<string> {
  const key = 'waymark-0a1b2c3d-20260515T031500Z.zip'
  const contents = `<Contents><Key>${key}</Key><Size>1</Size></Contents>`
  const list = `<ListBucketResult>${contents}<IsTruncated>false</IsTruncated></ListBucketResult>`
  const server = createServer(({ method, headers: { range } }, response) => {
    if (method === 'HEAD') response.setHeader('content-length', 1024 ** 4).end()
    else if (range === undefined) response.setHeader('content-type', 'application/xml').end(list)
    else {
      onPart()
      const [from = 0, to = 0] = range.match(/\d+/g)?.map(Number) ?? []
      response.statusCode = 206
      response.end(Buffer.alloc(to - from + 1))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return `s3://backups?endpoint=http://127.0.0.1:${port}`
}

void test('a drill that is cancelled says what is left', async (t) => {
  const folder = await newFolder(t)
  const into = path.join(folder, 'into')
  for (const [more, left, rest] of [
    [['--into', into], `what it had restored so far is in ${into}`, ['copy']],
    [[], 'the scratch folder was removed', []],
  ] as const) {
    const dataDir = path.join(folder, more.length === 0 ? 'data' : 'other')
    await mkdir(dataDir)
    // Once: a second signal could meet the process when it is about to exit.
    const stop = (): boolean => child.killed || child.kill('SIGINT')
    const bucket = await startEndlessBucket(t, stop)
    const settings = { BACKUP_TO: bucket, AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's' }
    const child = startChild(['drill', 'latest', ...more], { dataDir, settings })
    const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')])
    assert.deepEqual([exitCode, stderr], [2, `The drill was cancelled; ${left}.\n`])
    assert.deepEqual(more.length === 0 ? await readdir(dataDir) : await readdir(into), rest)
  }
})
