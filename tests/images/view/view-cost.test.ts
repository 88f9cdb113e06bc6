// Views count by the bytes sent, with or without the cache (C38, decision 0090).
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { startWaymark } from '../../helpers/waymark.ts'

const waymark = await startWaymark()
after(() => waymark.close())

void test('a view costs 1, plus 1 for every 2 MiB sent', async () => {
  await waymark.addTrail(7, 'Rim Trail')
  const ana = await waymark.addPerson({ role: 'reviewer' })
  const [width, height] = [1_500, 1_100]
  const noise = sharp(randomBytes(3 * width * height), { raw: { width, height, channels: 3 } })
  const id = await waymark.upload(ana, 7, await noise.png({ compressionLevel: 0 }).toBuffer(), 'image/png')
  await waymark.review(ana, id, 'approve')
  const lefts: number[] = []
  const left = async (): Promise<number> =>
    Number(/r=(\d+)/.exec((await waymark.fetch('/ImageHandler?id=1')).headers.get('ratelimit') ?? '')?.[1])
  let bytes = 0
  const ask = async (size: string, init: RequestInit = {}): Promise<void> => {
    const answer = await waymark.fetch(`/ImageHandler?id=${id}&t=${size}`, init)
    assert.ok(answer.ok, String(answer.status))
    bytes = Math.max(bytes, (await answer.arrayBuffer()).byteLength)
    // Public responses have no limit headers; a 404 has, and costs 1 itself.
    assert.equal(answer.headers.get('ratelimit'), null)
    lefts.push(await left())
  }
  const before = waymark.app.answersFromMemory()
  await ask('sm')
  await ask('lg')
  await ask('lg', { headers: { 'user-agent': 'plain' } })
  await ask('lg', { headers: { range: 'bytes=0-99' } })
  await ask('lg', { method: 'HEAD' })
  await ask('sm')
  assert.ok(waymark.app.answersFromMemory() > before, 'none was answered ahead of Fastify')
  const more = Math.floor(bytes / 2 ** 21)
  assert.ok(more >= 2, String(bytes))
  const costs = lefts.slice(1).map((left, at) => (lefts[at] ?? 0) - left - 1)
  assert.deepEqual(costs, [1 + more, 1 + more, 1, 1, 1])
})
