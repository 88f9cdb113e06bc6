// The complete demo by command: stopped and killed while it is created, resumed, and used as described.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { readConfig } from '../../src/settings/config.ts'
import { ensureDemo } from '../../src/demo/demo.ts'
import { demoTrails } from '../../src/demo/story.ts'
import { heronLake } from '../../src/demo/trails/heron-lake.ts'
import { openInstallation, type Installation } from '../../src/installation.ts'
import { newFolder } from '../helpers/folders.ts'
import { openPicture } from '../helpers/pictures.ts'
import { originalOf } from '../helpers/older-store.ts'
import { lastingPort } from '../helpers/ports.ts'
import { startChild } from '../cli/run-waymark.ts'

const runFile = promisify(execFile)
const patienceMs = 180_000
const timeout = 600_000

async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + patienceMs
  while (!(await condition())) {
    assert.ok(Date.now() < end, `waited in vain for ${what}`)
    await pause(20)
  }
}

function startDemo(t: TestContext, dataDir: string, port: number) {
  const child = startChild(['serve', '--demo'], { dataDir, settings: { PORT: String(port) } })
  const closed = once(child, 'close') as Promise<[number | null, string | null]>
  let said = ''
  child.stdout.resume()
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
  })
  t.after(async () => {
    child.kill('SIGKILL')
    await closed
  })
  return { child, closed, said: () => said, isDone: () => /listens on/.test(said) || child.exitCode !== null }
}

async function open(t: TestContext, dataDir: string): Promise<Installation> {
  const installation = await openInstallation(readConfig({ DATA_DIR: dataDir }))
  t.after(() => installation.close())
  return installation
}

const imagesIn = ({ database }: Installation) =>
  database.db.selectFrom('image').selectAll().orderBy('posted_at').execute()

/** Whether the picture shows something: a flat one has no contrast. */
async function contrastOf(bytes: Uint8Array): Promise<number> {
  const { channels } = await openPicture(bytes).stats()
  return Math.max(...channels.slice(0, 3).map(({ stdev }) => stdev))
}

void test(
  'D1: --demo in an empty folder, stopped, killed and started again, is the complete demo',
  { timeout },
  async (t) => {
    const dataDir = path.join(await newFolder(t), 'data')
    const port = await lastingPort()
    const stopped = startDemo(t, dataDir, port)
    await until(() => stopped.said().includes('Adding'), 'the first words')
    const installation = await open(t, dataDir)
    const count = async () => (await imagesIn(installation)).length
    await until(async () => (await count()) >= 2, 'two photos')
    stopped.child.kill('SIGTERM')
    assert.deepEqual(await stopped.closed, [0, null])
    assert.match(stopped.said(), /continues\.\n$/)
    assert.doesNotMatch(stopped.said(), /listens|wm_|password/)

    const killed = startDemo(t, dataDir, port)
    const before = await count()
    await until(async () => (await count()) >= before + 3, 'three more photos')
    killed.child.kill('SIGKILL')
    await killed.closed
    assert.doesNotMatch(killed.said(), /wm_|password/)

    const whole = startDemo(t, dataDir, port)
    await until(whole.isDone, 'the demo')
    const said = whole.said()
    assert.match(said, /These secrets are shown only once:[\s\S]*listens on/)
    const images = await imagesIn(installation)
    const planned = demoTrails.flatMap(({ photos }) => photos)
    assert.equal(images.length, planned.length)
    assert.equal(new Set(images.map(({ posted_at: at }) => at)).size, images.length)
    const countOf = (state: string) => images.filter((image) => image.state === state).length
    assert.deepEqual([countOf('rejected'), countOf('removed')], [1, 1])
    assert.equal(countOf('pending'), planned.filter(({ fate }) => fate.is === 'pending').length)
    const types = new Set(images.map(({ mime_type: type }) => type))
    assert.deepEqual([...types].toSorted(), ['image/bmp', 'image/gif', 'image/jpeg', 'image/png'])
    for (const { sha256, title, mime_type: type, state } of images) {
      if (type === 'image/bmp' || state === 'rejected') continue // sharp reads no BMP; the rejected one is a blur
      assert.ok((await contrastOf(await originalOf(installation, sha256))) > 12, title)
    }

    const hasCurl = await runFile('curl', ['--version']).then(Boolean, () => false)
    if (hasCurl) {
      const script = said.slice(said.indexOf('  curl '), said.indexOf('Waymark listens'))
      const file = path.join(dataDir, '..', 'photo.jpg')
      const { stdout } = await runFile('bash', [
        '-euo',
        'pipefail',
        '-c',
        script.replace('-o photo.jpg', `-o ${file}`),
      ])
      assert.match(stdout, /"title":"First look at the lower lake"/)
      assert.match(stdout, /"status":"pending"/)
      assert.match(stdout, /"status":"approved"/)
      assert.equal((await openPicture(await readFile(file)).metadata()).width, 1600)
    } else t.diagnostic('curl is not installed: what --demo says to paste was not tried')

    whole.child.kill('SIGTERM')
    assert.deepEqual(await whole.closed, [0, null])
    const again = startDemo(t, dataDir, port)
    await until(again.isDone, 'the server')
    assert.match(again.said(), /^The demo already exists\./)
    assert.doesNotMatch(again.said(), /wm_|wms_|wmc_/)
    assert.equal(await count(), planned.length)
  },
)

/** The content of a demo without ids and times. */
async function shapeOf(installation: Installation) {
  const { db } = installation.database
  const images = await imagesIn(installation)
  const place = new Map(images.map(({ id }, index) => [id, index]))
  const moves = await db.selectFrom('image_history').selectAll().orderBy('position').execute()
  const events = await db.selectFrom('outbox').selectAll().orderBy('position').execute()
  return {
    images: images.map(({ title, caption, state, sha256 }) => [title, caption, state, sha256]),
    moves: moves.map(({ image_id: id, to_state: to, reason }) => [place.get(id), to, reason]),
    events: events.map(({ image_id: id, type }) => [place.get(id ?? 0), type]),
  }
}

void test(
  'a demo created in three runs is the same as one created at once: no step repeated, none missing',
  { timeout },
  async (t) => {
    const make = (installation: Installation, stopping: AbortSignal, say: (text: string) => void) =>
      ensureDemo({ installation, say, stopping, trails: [heronLake] })
    const never = new AbortController().signal
    // Both start at the same time, which affects the photos' bytes.
    const value = Date.now()
    const openBegun = async () => {
      const installation = await open(t, await newFolder(t))
      await installation.database.db.insertInto('counter').values({ name: 'demo-begun', value }).execute()
      return installation
    }
    const whole = await openBegun()
    assert.equal(await make(whole, never, () => undefined), true)

    const chunks = await openBegun()
    for (const min of [1, 4]) {
      const stopping = new AbortController()
      const cutOff = make(chunks, stopping.signal, (text) => assert.doesNotMatch(text, /wm_|wms_/))
      await until(async () => (await imagesIn(chunks)).length >= min, 'some photos')
      stopping.abort()
      assert.equal(await cutOff, false)
      assert.ok((await imagesIn(chunks)).length < heronLake.photos.length)
      const accounts = await chunks.database.db.selectFrom('account').select('password_hash').execute()
      assert.ok(
        accounts.every(({ password_hash: hash }) => hash === null),
        'nobody can sign in yet',
      )
    }
    assert.equal(await make(chunks, never, () => undefined), true)
    assert.deepEqual(await shapeOf(chunks), await shapeOf(whole))
  },
)
