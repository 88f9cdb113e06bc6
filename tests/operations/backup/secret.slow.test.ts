// The secret in a backup must open the database; otherwise backup and restore fail.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { leftIn, readZip, restoreInto, writeZip } from '../../helpers/backups.ts'
import { newFolder } from '../../helpers/folders.ts'
import { startWaymark } from '../../helpers/waymark.ts'
import { assertOneSentence, done, run, runJson, startServer } from '../../cli/run-waymark.ts'

/** An installation on which a server has run, so that its database contains keys encrypted with the secret. */
async function startedInstallation(t: TestContext) {
  const folder = await newFolder(t)
  const dataDir = path.join(folder, 'data')
  const waymark = await startWaymark({ dataDir })
  t.after(() => waymark.close())
  return { folder, dataDir }
}

void test('without the secret: backup and restore both say so, and the server starts once it is back', async (t) => {
  const { folder, dataDir } = await startedInstallation(t)
  const file = path.join(folder, 'waymark.zip')
  const backup = await run(['backup', file, '--without-secret'], { dataDir })
  assert.match(backup.stdout, /The backup does not contain the secret/)
  const secret = await readFile(`${dataDir}/secret`)
  const bytes = await readFile(file)
  assert.ok(!bytes.includes(secret) && !bytes.includes(secret.subarray(0, 43)))

  const restoredDir = path.join(folder, 'restored')
  const refused = await runJson(['restore', file], { dataDir: restoredDir })
  assert.match(JSON.stringify(refused.document), /"wrong-secret".*SECRET_FILE \S+ does not exist/)
  assert.deepEqual(
    [refused.exitCode, await leftIn(restoredDir)],
    [2, ['blobs/server', 'waymark.sqlite.server']],
  )
  const restored = await run(['restore', file, '--without-secret'], { dataDir: restoredDir })
  assert.deepEqual([restored.exitCode, restored.stderr], [0, ''])
  assert.match(restored.stdout, /put the secret of the installation at .*secret before you start the server/)
  const start = await run(['serve'], { dataDir: restoredDir })
  assertOneSentence(start.stderr)
  assert.match(start.stderr, /SECRET_FILE \S+ does not exist/)
  assert.equal(existsSync(`${restoredDir}/secret`), false, 'no new secret, which would open nothing')
  await writeFile(`${restoredDir}/secret`, secret, { mode: 0o600 })
  const again = await startWaymark({ dataDir: restoredDir })
  await again.close()

  await mkdir(`${folder}/kept`)
  await rename(`${restoredDir}/secret`, `${folder}/kept/secret`)
  assert.equal((await restoreInto(`${folder}/kept`, file)).secret, 'kept')
})

void test('with SECRET_FILE elsewhere, as in a container: a backup includes the secret or fails', async (t) => {
  const folder = await newFolder(t)
  const dataDir = path.join(folder, 'data')
  const secretFile = path.join(folder, 'secret')
  const file = path.join(folder, 'waymark.zip')
  const server = await startServer(t, { dataDir, settings: { SECRET_FILE: secretFile } })

  const lacking = await runJson(['backup', file], { dataDir })
  assert.match(JSON.stringify(lacking.document), /"wrong-secret".*set SECRET_FILE/)
  assert.deepEqual([lacking.exitCode, existsSync(file)], [2, false])
  const doctor = await runJson(['doctor'], { dataDir })
  assert.match(JSON.stringify(doctor.document), /SECRET_FILE \S+ does not exist, but/)
  await writeFile(`${dataDir}/secret`, `${'x'.repeat(43)}\n`, { mode: 0o600 })
  const wrong = await runJson(['backup', file], { dataDir })
  assert.match(JSON.stringify(wrong.document), /"wrong-secret".*contains a different secret than the one/)
  assert.deepEqual([wrong.exitCode, existsSync(file)], [2, false])

  await done(['backup', file], { dataDir, settings: { SECRET_FILE: secretFile } })
  assert.equal(await server.stop(), 0)
  const restoredDir = path.join(folder, 'restored')
  await done(['restore', file], { dataDir: restoredDir })
  assert.deepEqual(await readFile(`${restoredDir}/secret`), await readFile(secretFile))
})

void test('a backup whose secret does not belong to its database is not restored', async (t) => {
  const { folder, dataDir } = await startedInstallation(t)
  const file = path.join(folder, 'waymark.zip')
  await done(['backup', file], { dataDir })
  const files = await readZip(file)
  const altered = path.join(folder, 'altered.zip')
  const other = Buffer.from(`${'y'.repeat(43)}\n`)
  await writeZip(
    altered,
    files.map(([name, bytes]) => [name, name === 'secret' ? other : bytes] as const),
  )
  const restoredDir = path.join(folder, 'restored')
  const refused = await runJson(['restore', altered], { dataDir: restoredDir })
  assert.match(JSON.stringify(refused.document), /"wrong-secret".*contains a different secret than the one/)
  assert.equal(refused.exitCode, 2)
  assert.equal(existsSync(`${restoredDir}/secret`), false)
  await done(['restore', file], { dataDir: restoredDir })
})
