// An extraction of more than 100,000 tiles, killed twenty times: recorded tiles are not fetched again, all tiles are
// right, and memory stays within its limit.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { findProgress } from '../../src/base-map/archive/progress-file.ts'
import { done, startChild } from '../cli/run-waymark.ts'
import { archiveOf, readerOf, tilesOf } from '../helpers/archives.ts'
import { newFolder } from '../helpers/folders.ts'
import { startRangeServer } from '../helpers/range-server.ts'

const kills = 20
const maxMegabytes = 200

/** About 500 incompressible bytes that differ for each tile; the sea is one tile. */
function bytesOf(z: number, x: number, y: number): Buffer {
  if (x % 5 === 4) return Buffer.from('sea')
  const seed = hash('sha256', `${z}/${x}/${y}`, 'buffer')
  return Buffer.concat(
    Array.from({ length: 12 + ((x + y) % 8) }, (_, at) =>
      hash('sha256', Buffer.concat([seed, Buffer.of(at)]), 'buffer'),
    ),
  )
}

const tiles = [...tilesOf(0, 8, bytesOf), ...tilesOf(9, 9, bytesOf).filter(({ x }) => x < 128)]
const args = (url: string, target: string) => [
  'map',
  'extract',
  '--from',
  url,
  '--bbox',
  '-180,-85,180,85',
  '--to',
  target,
]

/** Peak memory of the process in MB; undefined if the system does not expose it. */
async function peakOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024
}

async function assertSame(file: string): Promise<void> {
  const archive = await readerOf(file)
  let differing = 0
  for (const tile of tiles) {
    const found = await archive.getZxy(tile.z, tile.x, tile.y)
    if (!found || !Buffer.from(found.data).equals(tile.bytes)) differing += 1
  }
  assert.equal(differing, 0, 'differing tiles')
}

void test(`${tiles.length} tiles, killed ${kills} times`, async (t) => {
  const folder = await newFolder(t)
  const target = path.join(folder, 'base.pmtiles')
  const server = await startRangeServer(t, archiveOf(tiles, { tileCompression: 1, leafEntries: 4_000 }))
  server.slow(6_000) // so that it takes seconds
  let peak = 0
  let killed = 0
  for (let run = 0; run < kills; run += 1) {
    const before = await findProgress(`${target}.part.state`)
    await before?.close()
    const from = server.asked.length
    const child = startChild(args(server.url, target), { dataDir: folder })
    const closed = once(child, 'close')
    child.stdout.resume()
    child.stderr.resume()
    // Once more progress has been recorded, or is about to be.
    const stateFile = `${target}.part.state`
    // It may be replaced in the meantime.
    const size = async () => (await stat(stateFile).catch(() => ({ size: 0 }))).size
    const begun = await size()
    const until = performance.now() + 20_000
    while ((await size()) <= begun + 8 * (run % 3) && performance.now() < until && child.exitCode === null) {
      peak = Math.max(peak, (await peakOf(child.pid ?? 0)) ?? 0)
      await sleep(5)
    }
    killed += child.exitCode === null ? 1 : 0
    child.kill('SIGKILL')
    await closed
    if (!before) continue
    const { plan, copies, requests, isDone } = before
    const noted = [...isDone.keys()].filter((request) => isDone[request] === 1)
    for (const { start, end } of server.asked.slice(from)) {
      const again = noted.find((request) => {
        const first = plan.sourceTilesAt + (copies.from[requests[request] ?? 0] ?? 0)
        return start <= first && first < end && start >= plan.sourceTilesAt
      })
      assert.equal(again, undefined, 'what was noted is fetched again')
    }
  }
  assert.ok(killed >= kills - 2, `killed ${killed} times`)
  server.slow(undefined)
  const last = startChild([...args(server.url, target), '--json'], { dataDir: folder })
  const closed = once(last, 'close')
  last.stdout.resume()
  while (last.exitCode === null && last.signalCode === null) {
    peak = Math.max(peak, (await peakOf(last.pid ?? 0)) ?? 0)
    await Promise.race([closed, sleep(5)])
  }
  assert.equal(last.exitCode, 0)
  await assertSame(target)
  t.diagnostic(`peak ${peak.toFixed(0)} MB, sent ${server.sent()} bytes for ${(await stat(target)).size}`)
  assert.ok(peak <= maxMegabytes, `${peak.toFixed(0)} MB`)
})

void test('in one piece, from an unordered source', async (t) => {
  const folder = await newFolder(t)
  const target = path.join(folder, 'base.pmtiles')
  const server = await startRangeServer(t, archiveOf(tiles, { tileCompression: 1, isShuffled: true }))
  const startedAt = performance.now()
  const document = (await done(args(server.url, target), { dataDir: folder })) as Record<string, number>
  const seconds = (performance.now() - startedAt) / 1_000
  await assertSame(target)
  assert.equal(document['tiles'], tiles.length)
  assert.ok((document['receivedBytes'] ?? 0) <= (document['bytes'] ?? 0) * 1.06)
  t.diagnostic(`${seconds.toFixed(1)} s, ${server.asked.length} requests, ${JSON.stringify(document)}`)
})
