// Monitoring of a disk that really fills up and empties: a small tmpfs, if mounting is allowed.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { loggerTo } from '../../src/http/server.ts'
import { parseScrape } from '../helpers/metrics.ts'
import { startWaymark } from '../helpers/waymark.ts'

/** @returns the folder; undefined if mounting is not allowed. */
async function mountSmall(): Promise<string | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-test-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', folder], { stdio: 'ignore' })
    return folder
  } catch {
    await rmdir(folder)
    return undefined
  }
}

void test('a disk running low, and one with enough space again, are reported once each', async (t) => {
  const dataDir = await mountSmall()
  if (dataDir === undefined) return t.skip('this machine allows no mounts')
  const lines: string[] = []
  const waymark = await startWaymark({
    dataDir,
    environment: { DISK_FREE_WARNING_MB: '16' },
    logger: loggerTo({ write: (line) => void lines.push(line) }, 'info'),
  })
  t.after(async () => {
    await waymark.close()
    execFileSync('umount', [dataDir])
    await rmdir(dataDir)
  })
  const lowNow = async (): Promise<number | undefined> => {
    const { samples } = parseScrape(await (await waymark.fetch('/metrics')).text())
    return samples.get('waymark_disk_low{disk="blobs"}')
  }
  const filler = path.join(dataDir, 'filler')
  const seen: (number | undefined)[] = [await lowNow()]
  await writeFile(filler, Buffer.alloc(20 * 1024 ** 2))
  seen.push(await lowNow(), await lowNow())
  await rm(filler)
  seen.push(await lowNow(), await lowNow())
  assert.deepEqual(seen, [0, 1, 1, 0, 0])
  const reported = lines.filter((line) => /the disk (is nearly full|has enough free space again)/.test(line))
  assert.deepEqual(
    reported.map((line) => (JSON.parse(line) as { msg: string }).msg),
    ['the disk is nearly full', 'the disk has enough free space again'],
  )
  return undefined
})
