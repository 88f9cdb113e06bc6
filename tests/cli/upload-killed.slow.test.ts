// waymark upload killed at twenty different times: the same command resumes, and no photo is lost or uploaded twice.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { newFolder } from '../helpers/folders.ts'
import { isUpload, startHttpProxy, type Meddling } from '../helpers/http-proxy.ts'
import { pngPicture } from '../helpers/pictures.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { run, startChild } from './run-waymark.ts'

const photos = 200
const rounds = 20

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function makePhotos(t: TestContext, count: number) {
  const folder = path.join(await newFolder(t), 'photos')
  await mkdir(folder)
  const hashes: string[] = []
  for (let at = 0; at < count; at += 1) {
    const photo = await pngPicture({ seed: at + 1, width: 40 + at, height: 30 })
    await writeFile(path.join(folder, `${at}.png`), photo)
    hashes.push(sha256Of(photo))
  }
  return { folder, hashes: hashes.toSorted() }
}

/**
 * Kills at the n-th upload: once its body has begun, or once the photo is stored and the response is on its way; in the
 * first round, before any upload.
 */
function killing(round: number, kill: () => void): Meddling {
  const nth = Math.max(1, Math.round((round / rounds) * photos) - 3)
  let begun = 0
  let answered = 0
  if (round === 0)
    return {
      onRequest: ({ url }) => {
        if (url === '/v2/me') kill()
        return undefined
      },
    }
  if (round % 2 === 0)
    return {
      onBody: (request, piece) => {
        if (!isUpload(request)) return piece
        begun += 1
        if (begun < nth) return piece
        kill()
        return piece.subarray(0, piece.length / 2)
      },
    }
  return {
    onAnswer: (request) => {
      if (!isUpload(request)) return true
      answered += 1
      if (answered < nth) return true
      kill()
      return false
    },
  }
}

void test(`${rounds} of ${rounds} killed uploads of ${photos} photos resume without duplicates (issue 27)`, async (t) => {
  const waymark = await startWaymark({ environment: { QUOTA_PENDING_IMAGES: '0' } })
  t.after(() => waymark.close())
  const proxy = await startHttpProxy(t, waymark.url)
  const { folder, hashes } = await makePhotos(t, photos)
  const dataDir = await newFolder(t)
  const { token } = await waymark.addPerson()
  const settings = { WAYMARK_URL: proxy.url, WAYMARK_TOKEN: token }
  let lost = 0

  for (let round = 0; round < rounds; round += 1) {
    const trailId = 5_000 + round
    await waymark.addTrail(trailId, `Trail ${round}`)
    const command = ['upload', folder, '--trail', String(trailId), '--concurrency', '8']
    let isKilled = false
    const child = startChild(command, { dataDir, settings })
    child.stdout.resume()
    child.stderr.resume()
    const closed = once(child, 'close')
    proxy.meddle(
      killing(round, () => {
        isKilled = true
        child.kill('SIGKILL')
      }),
    )
    assert.deepEqual(await closed, [null, 'SIGKILL'], `round ${round}`)
    assert.ok(isKilled)

    const sent = new Map<string, number>()
    proxy.meddle({})
    const resumed = await run([...command, '--json'], { dataDir, settings })
    assert.equal(resumed.exitCode, 0, resumed.stderr)
    const outcomes = resumed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { status: string; sha256: string; imageID: number })
    assert.equal(outcomes.length, photos)
    for (const { status, sha256, imageID } of outcomes) {
      assert.ok(status === 'sent' || status === 'known', status)
      sent.set(sha256, imageID)
    }
    const answer = await waymark.fetch(`/v2/images?trailID=${trailId}&limit=500`, { token })
    const { items } = (await answer.json()) as { items: { imageID: number; sha256: string }[] }
    assert.deepEqual(items.map(({ sha256 }) => sha256).toSorted(), hashes, `round ${round}`)
    for (const { imageID, sha256 } of items) assert.equal(sent.get(sha256), imageID)
    lost += outcomes.filter(({ status }) => status === 'known').length
  }
  t.diagnostic(`${lost} of ${rounds * photos} photos were uploaded before the kill`)
})
