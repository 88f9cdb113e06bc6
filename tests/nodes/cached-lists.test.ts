// Cached lists of one node while another writes (issue 26): a write to another trail does not drop them.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentOfFolders } from '../helpers/folders.ts'
import { parseScrape } from '../helpers/metrics.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startPostgres, whyNoPostgres, type PostgresServer } from '../helpers/postgres.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'

const [read, written] = [4711, 4712]
const withinMs = 5_000
/** The cache is also dropped at intervals, whatever was written. The test is then repeated. */
const tries = 5

void describe('a list cached on one node while another node writes', { skip: whyNoPostgres() }, () => {
  let folder = ''
  let postgres: PostgresServer
  let writer: Waymark
  let reader: Waymark
  let ana: Person
  let rob: Person
  let seed = 0

  before(async () => {
    folder = await mkdtemp(path.join(parentOfFolders(), 'waymark-kept-lists-'))
    postgres = await startPostgres()
    const environment = {
      DATABASE_URL: await postgres.createDatabase(),
      SECRET_FILE: path.join(folder, 'secret'),
      METRICS_ALLOW: '127.0.0.1/32',
    }
    writer = await startWaymark({ environment })
    reader = await startWaymark({ environment })
    await writer.addTrail(read, 'Rim Trail')
    await writer.addTrail(written, 'Valley Trail')
    ana = await writer.addPerson()
    rob = await writer.addPerson({ role: 'reviewer' })
    for (const trail of [read, written]) await approve(await uploadTo(trail))
  })

  after(async () => {
    await reader?.close()
    await writer?.close()
    await postgres?.end()
    await rm(folder, { recursive: true, force: true })
  })

  async function uploadTo(trail: number): Promise<number> {
    seed += 1
    return writer.upload(ana, trail, await jpegPicture({ width: 40, height: 30, seed }))
  }

  async function approve(imageId: number): Promise<void> {
    assert.equal((await writer.review(rob, imageId, 'approve')).status, 200)
  }

  async function countKept(): Promise<number> {
    const { samples } = parseScrape(await (await reader.fetch('/metrics')).text())
    return samples.get('waymark_answers_from_memory_total') ?? assert.fail('the metric is missing')
  }

  /** @returns the ids in the trail's list, as the reader sees it. */
  async function list(trail: number): Promise<readonly number[]> {
    const answer = await reader.fetch(`/Trails/${trail}/Images`, { token: ana.token })
    assert.equal(answer.status, 200)
    return ((await answer.json()) as { imageID: number }[]).map(({ imageID }) => imageID)
  }

  /** @returns whether the next response came from memory. */
  async function isKept(trail: number): Promise<boolean> {
    const before = await countKept()
    await list(trail)
    return (await countKept()) > before
  }

  async function warm(): Promise<void> {
    const until = performance.now() + withinMs
    while (!((await isKept(read)) && (await isKept(written))))
      assert.ok(performance.now() < until, 'the lists are not kept')
  }

  /** Whether the list is still cached once the reader shows the write to the other trail. */
  async function staysKept(write: () => Promise<void>, isShown: () => Promise<boolean>): Promise<boolean> {
    await warm()
    await write()
    const until = performance.now() + withinMs
    while (!(await isShown())) {
      assert.ok(performance.now() < until, 'the other node does not show what was written')
      await sleep(5)
    }
    return isKept(read)
  }

  async function isKeptInAnyTry(
    write: () => Promise<void>,
    isShown: () => Promise<boolean>,
  ): Promise<boolean> {
    for (let count = 0; count < tries; count += 1) if (await staysKept(write, isShown)) return true
    return false
  }

  void test('stays cached when a photo of another trail is uploaded and approved', async () => {
    let imageId = 0
    const write = async (): Promise<void> => {
      imageId = await uploadTo(written)
      await approve(imageId)
    }
    assert.ok(await isKeptInAnyTry(write, async () => (await list(written)).includes(imageId)))
  })

  void test('stays cached when a photo of another trail is removed', async () => {
    let imageId = 0
    const write = async (): Promise<void> => {
      imageId = (await list(written))[0] ?? 0
      assert.equal((await writer.review(rob, imageId, 'remove')).status, 200)
    }
    const removed = async (): Promise<boolean> => !(await list(written)).includes(imageId)
    for (let count = 0; count < tries; count += 1) await approve(await uploadTo(written))
    assert.ok(await isKeptInAnyTry(write, removed))
  })

  void test('stays cached when a route is renamed', async () => {
    const headers = { 'content-type': 'application/json' }
    const routes = `/Accounts/${ana.accountId}/Routes`
    const made = await writer.fetch(routes, {
      method: 'POST',
      token: ana.token,
      headers,
      body: '{"name":"Ridge"}',
    })
    assert.equal(made.status, 201)
    const route = `${routes}/${await made.text()}`
    let name = ''
    const write = async (): Promise<void> => {
      seed += 1
      name = `Ridge ${seed}`
      const body = JSON.stringify([{ name }])
      const changed = await writer.fetch(route, { method: 'PUT', token: ana.token, headers, body })
      assert.equal(changed.status, 200)
    }
    const isShown = async (): Promise<boolean> =>
      (await (await reader.fetch(route, { token: ana.token })).text()).includes(name)
    assert.ok(await isKeptInAnyTry(write, isShown))
  })

  void test('shows changes to its own trail at once', async () => {
    await warm()
    const imageId = await uploadTo(read)
    await approve(imageId)
    const until = performance.now() + withinMs
    while (!(await list(read)).includes(imageId))
      assert.ok(performance.now() < until, 'the other node keeps what is past')
  })
})
