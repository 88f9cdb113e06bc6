// A server killed at any point of a deletion: afterwards, the account is complete or gone, never partial.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cp, readdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { createGarbageCollection } from '../../src/images/storage/garbage-collection.ts'
import { readConfig } from '../../src/settings/config.ts'
import { openInstallation } from '../../src/installation.ts'
import { run, startChild, startServer } from '../cli/run-waymark.ts'
import { newFolder } from '../helpers/folders.ts'
import { addMember, createVisitor, type Member } from '../helpers/visitor.ts'
import { startWaymark, type Waymark } from '../helpers/waymark.ts'
import { addPhotos } from './many-photos.ts'

const photos = 400
const publicUrl = 'https://trails.example'
const settings = { PORT: '0', PUBLIC_URL: publicUrl }

async function prepare(t: TestContext) {
  const dataDir = await newFolder(t)
  const waymark = await startWaymark({ dataDir })
  await waymark.addTrail(4711, 'Rim Trail')
  await addMember(waymark, 'admin')
  const member = await addMember(waymark)
  await addPhotos(waymark.installation, {
    accountId: member.accountId,
    trailId: 4711,
    count: photos,
    bytes: 20_000,
  })
  await waymark.close()
  return { dataDir, member, waymark }
}

/** A browser session with another server process. */
async function signIn({ installation, secrets }: Waymark, url: string, { email, password }: Member) {
  const visitor = createVisitor({ url, installation, secrets })
  const { status } = await visitor.post('/sign-in', { email, password })
  return { visitor, isIn: status === 303 }
}

async function serve(dataDir: string, more: Readonly<Record<string, string>>) {
  const child = startChild(['serve'], { dataDir, settings: { ...settings, ...more } })
  child.stdout.resume()
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
  const closed = once(child, 'close')
  while (!/listens on/.test(said)) await Promise.race([once(child.stderr, 'data'), closed])
  return { child, closed, url: /listens on (http:\S+)/.exec(said)?.[1] ?? '' }
}

/** Below the data folder. */
async function originalsIn(dataDir: string): Promise<string[]> {
  const folder = path.join('blobs', 'kept', 'original')
  const names = await readdir(path.join(dataDir, folder), { recursive: true }).catch(() => [])
  return names.filter((name) => /[0-9a-f]{64}$/.test(name)).map((name) => path.join(folder, name))
}

/** When to kill, after the request has been sent: after a time, or once the original of this photo is deleted. */
interface Moment {
  readonly afterMs?: number
  readonly photo?: number
}
const moments: readonly Moment[] = [{ afterMs: 40 }, { afterMs: 250 }, { photo: 100 }, { photo: 300 }]

const preload = path.resolve(import.meta.dirname, '../helpers/kill-itself.ts')

/** Settings of a server that kills itself once this file is deleted. */
function endingWith(file: string | undefined): Readonly<Record<string, string>> {
  if (file === undefined) return {}
  return {
    NODE_OPTIONS: `--import "${preload}"`,
    KILL_IN: path.dirname(file),
    KILL_AT: path.basename(file),
  }
}

void test('a SIGKILL during DELETE /v2/me leaves the account complete or deleted (issue 6)', async (t) => {
  const prepared = await prepare(t)
  const { member, waymark } = prepared
  let whole = 0
  let cutShort = 0
  for (const { afterMs, photo } of moments) {
    const dataDir = path.join(await newFolder(t), 'data')
    await cp(prepared.dataDir, dataDir, { recursive: true })
    const originals = (await originalsIn(dataDir)).map((name) => path.join(dataDir, name))
    assert.equal(originals.length, photos)
    const { child, closed, url } = await serve(
      dataDir,
      endingWith(photo === undefined ? undefined : originals[photo]),
    )
    const { visitor } = await signIn(waymark, url, member)
    const asked = visitor.call('DELETE', '/v2/me', { photos: 'delete' }).catch(() => undefined)
    if (afterMs !== undefined) {
      await pause(afterMs)
      child.kill('SIGKILL')
    }
    assert.deepEqual(await closed, [null, 'SIGKILL'])
    await asked
    const left = (await originalsIn(dataDir)).length

    const checked = await run(['check'], { dataDir, settings })
    assert.equal(checked.exitCode, 0, checked.stdout)
    const server = await startServer(t, { dataDir, settings })
    const again = await signIn(waymark, server.url, member)
    if (again.isIn) {
      whole += 1
      assert.equal(left, photos)
      const me = await again.visitor.call('GET', '/v2/images?limit=1')
      assert.match(me.text, /"status"/)
      const answer = await again.visitor.call('DELETE', '/v2/me', { photos: 'delete' })
      assert.equal((JSON.parse(answer.text) as { photosDeleted: number }).photosDeleted, photos)
    } else if (left > 0) cutShort += 1
    assert.equal(await server.stop(), 0)

    const installation = await openInstallation(readConfig({ DATA_DIR: dataDir, ...settings }))
    const { database, blobs } = installation
    const { db } = database
    try {
      const account = await db
        .selectFrom('account')
        .select(['display_name', 'deleted_at'])
        .where('id', '=', member.accountId)
        .executeTakeFirstOrThrow()
      assert.equal(account.display_name, 'Former member')
      assert.equal((await db.selectFrom('image').select('id').execute()).length, 0)
      const deletions = db.selectFrom('audit').select('position').where('action', '=', 'account.deleted')
      assert.equal((await deletions.execute()).length, 1)
      await db.updateTable('content').set({ condemned_at: 0 }).where('condemned_at', 'is not', null).execute()
      await createGarbageCollection(db, blobs, () => Date.now() + 25 * 3_600_000).run() // as a day later
      assert.deepEqual(await originalsIn(dataDir), [])
      assert.equal((await db.selectFrom('content').select('sha256').execute()).length, 0)
    } finally {
      await installation.close()
    }
  }
  assert.ok(cutShort > 0, 'no kill came between the rows and the files')
  t.diagnostic(`${whole} whole, ${cutShort} with files left, of ${moments.length}`)
})
