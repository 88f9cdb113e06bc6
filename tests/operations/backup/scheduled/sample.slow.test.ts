// A backup in a bucket is checked by reading random files of photos; any file can be chosen.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { readManifest } from '../../../../src/operations/backup/manifest.ts'
import { verifyBackup } from '../../../../src/operations/backup/scheduled/verify-backup.ts'
import { openZip } from '../../../../src/operations/backup/zip-reader.ts'
import { done } from '../../../cli/run-waymark.ts'
import { readZip } from '../../../helpers/backups.ts'
import { newFolder } from '../../../helpers/folders.ts'
import { fill } from './servers.ts'

void test('a damaged photo file is detected if it is read, and any file may be read', async (t) => {
  const folder = await newFolder(t)
  const dataDir = path.join(folder, 'data')
  const file = path.join(folder, 'now.zip')
  await fill(dataDir, {}, 2)
  await done(['backup', file], { dataDir })
  const files = await readZip(file)
  const [, manifest] = files[0] ?? assert.fail('an empty backup')
  const written = readManifest(manifest, file)
  const photos = files.filter(([name]) => name.startsWith('blobs/'))
  assert.equal(photos.length, written.blobs)
  const whole = await readFile(file)

  /** @returns whether this damage is found. */
  async function isFound(damaged: typeof photos, photosToRead: number): Promise<boolean> {
    const bytes = Buffer.from(whole)
    for (const [, content] of damaged) {
      const at = whole.indexOf(content) + content.length - 1
      bytes[at] = (bytes[at] ?? 0) ^ 1
    }
    const other = path.join(folder, 'damaged.zip')
    await writeFile(other, bytes)
    const zip = await openZip(other)
    const { signal } = new AbortController()
    try {
      await verifyBackup(zip, { file: other, written, photosToRead, signal, rest: async () => undefined })
      return false
    } catch (error) {
      assert.match(String(error), /differs from what was backed up/)
      return true
    } finally {
      zip.close()
    }
  }

  assert.equal(await isFound([], Infinity), false)
  assert.equal(await isFound(photos, 0), false)
  assert.equal(await isFound(photos, 1), true, 'one is read, and all are damaged')
  for (const one of photos) {
    assert.equal(await isFound([one], photos.length), true)
    assert.equal(await isFound([one], Infinity), true)
    // A hundred misses have a probability of one in 10^7.
    let found = 0
    for (let run = 0; run < 100; run += 1) if (await isFound([one], 1)) found += 1
    assert.ok(found > 0 && found < 100, `${found} of 100`)
  }
})
