// GET /v2/me/takeout: all of one's own data and nothing of others, byte for byte, at the speed of the reader.
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { after, before, describe, it } from 'node:test'
import { originalKey, renditionKey } from '../../src/images/storage/blob-keys.ts'
import { createDataExport } from '../../src/account-data/data-export.ts'
import { unpackUtf8 } from '../../src/account-routes/gpx/packed.ts'
import { storeAsBefore } from '../helpers/older-store.ts'
import { assertProblem } from '../helpers/problems.ts'
import {
  addOwner,
  browserHeaders,
  filesIn,
  furnish,
  jsonOf,
  takeOut,
  type OwnedThings,
  type Owner,
} from '../helpers/leaving.ts'
import { startWaymark, type Person, type Waymark } from '../helpers/waymark.ts'

const trailId = 4711
const { signal } = new AbortController()

describe('takeout (issue 6)', () => {
  let waymark: Waymark
  let reviewer: Person
  let ann: Owner
  let ben: Owner
  let annHas: OwnedThings
  let benHas: OwnedThings
  let files: Map<string, Buffer>

  before(async () => {
    waymark = await startWaymark()
    await waymark.addTrail(trailId, 'Rim Trail')
    reviewer = await waymark.addPerson({ role: 'reviewer', name: 'Rita Reviewer' })
    ann = await addOwner(waymark)
    ben = await addOwner(waymark)
    annHas = await furnish(waymark, ann, { trailId, reviewer, mark: 'anns' })
    benHas = await furnish(waymark, ben, { trailId, reviewer, mark: 'bens' })
    const { answer, zip } = await takeOut(waymark, ann)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'application/zip')
    assert.equal(answer.headers.get('cache-control'), 'private, no-store')
    const name = `waymark-${ann.accountId}-2026-05-14.zip`
    assert.equal(answer.headers.get('content-disposition'), `attachment; filename="${name}"`)
    files = await filesIn(zip)
  })
  after(() => waymark.close())

  it('contains every part once, and README.txt describes each', () => {
    const photos = [...annHas.originals.keys()].map((id) => `photos/${id}.jpg`)
    const routes = [annHas.routeId, annHas.unreadableRouteId].map((id) => `routes/${id}.gpx`)
    assert.deepEqual([...files.keys()].toSorted(), [
      'README.txt',
      'account.json',
      'images.json',
      ...photos.toSorted(),
      'routes.json',
      ...routes.toSorted(),
    ])
    const readme = files.get('README.txt')?.toString() ?? ''
    for (const name of ['account.json', 'images.json', 'photos/', 'routes.json', 'routes/', 'MISSING.txt'])
      assert.ok(readme.includes(name), name)
    assert.match(readme, /takenAt has the local UTC offset/)
  })

  it('has the originals byte for byte, including those in the trash, and each GPX as stored, readable or not', () => {
    for (const [id, original] of annHas.originals)
      assert.ok(files.get(`photos/${id}.jpg`)?.equals(original), String(id))
    assert.equal(files.get(`routes/${annHas.routeId}.gpx`)?.toString(), annHas.gpx)
    assert.equal(files.get(`routes/${annHas.unreadableRouteId}.gpx`)?.toString(), '<gpx>not closed')
  })

  it('describes the images with their state, their history and everything that v2 shows of them', async () => {
    const images = jsonOf(files, 'images.json') as Record<string, unknown>[]
    const reported = new Map(images.map(({ imageID, status, file }) => [imageID, [status, file].join(' ')]))
    const { pending, listed: approved, trash } = annHas.images
    assert.equal(images.length, 3)
    assert.equal(reported.get(pending), `pending photos/${pending}.jpg`)
    assert.equal(reported.get(approved), `approved photos/${approved}.jpg`)
    assert.equal(reported.get(trash), `deleted photos/${trash}.jpg`)
    const listed = images.find(({ imageID }) => imageID === annHas.images.listed)
    const shown = (await (
      await waymark.fetch(`/v2/images/${approved}`, { token: ann.token })
    ).json()) as Record<string, unknown>
    // Her own id and name, what the accepted texts contain, and URLs that are useless without the site.
    const left = new Set(['submitterID', 'displayName', 'edited', 'urls'])
    for (const [field, value] of Object.entries(shown))
      if (!left.has(field)) assert.deepEqual(listed?.[field], value, field)
    const history = listed?.['history'] as { actor: object; from: unknown; to: unknown }[]
    assert.deepEqual(
      history.map(({ from, to }) => [from, to]),
      [
        [null, 'pending'],
        ['pending', 'approved'],
      ],
    )
    assert.deepEqual(history[1]?.actor, { acctID: reviewer.accountId, displayName: 'Rita Reviewer' })
  })

  it('describes the account without secrets', async () => {
    const account = jsonOf(files, 'account.json') as Record<string, unknown>
    const named = (field: string) => (account[field] as { name?: string }[]).map(({ name }) => name)
    assert.equal(account['email'], ann.email)
    assert.equal(account['mails'], 'on')
    assert.deepEqual(named('passkeys'), ['anns passkey'])
    assert.deepEqual(named('apiKeys'), ['anns key'])
    assert.deepEqual(named('zones'), ['anns home'])
    assert.ok(named('clients').includes('anns app'))
    assert.deepEqual(named('applications'), ['anns app'])
    assert.equal((account['sessions'] as object[]).length, 1)
    assert.deepEqual((account['webhooks'] as { url: string }[])[0]?.url, 'https://hooks.example/anns')
    assert.ok((account['audit'] as object[]).length >= 3)
    const { db } = waymark.installation.database
    const session = await db
      .selectFrom('session')
      .select('token_hash as hash')
      .where('account_id', '=', ann.accountId)
      .executeTakeFirstOrThrow()
    const key = await db
      .selectFrom('api_key')
      .select('key_hash as hash')
      .where('account_id', '=', ann.accountId)
      .executeTakeFirstOrThrow()
    const text = files.get('account.json')?.toString() ?? ''
    for (const secret of [session.hash, key.hash, 'sealed anns', 'salt anns', ann.password, 'argon2'])
      assert.ok(!text.includes(secret), secret)
  })

  it('contains nothing of another account', () => {
    const foreign = [ben.email, String(ben.accountId), 'bens', String(benHas.routeId), benHas.clientId]
    const others = [...foreign, ...[...benHas.originals.keys()].map(String)]
    for (const [name, bytes] of files) {
      if (name.startsWith('photos/')) continue
      for (const text of others)
        assert.ok(!bytes.includes(text) && !name.includes(text), `${text} is in ${name}`)
    }
  })

  it('requires a signed-in session of the account; tokens and other accounts are refused', async () => {
    const anonymous = await waymark.fetch('/v2/me/takeout')
    await assertProblem(anonymous, 'credential-required')
    await assertProblem(await waymark.fetch('/v2/me/takeout', { token: ann.token }), 'forbidden')
  })

  it('answers HEAD without starting an export', async () => {
    const address = `${waymark.url}/v2/me/takeout`
    const answer = await fetch(address, { method: 'HEAD', headers: browserHeaders(ann) })
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/zip'])
  })

  it('lists in MISSING.txt what is missing from the store or damaged, and sends the rest', async () => {
    const { blobs, database } = waymark.installation
    const carl = await addOwner(waymark)
    const has = await furnish(waymark, carl, { trailId, reviewer, mark: 'carls' })
    const shaOf = async (id: number): Promise<string> => {
      const query = database.db.selectFrom('image').select('sha256').where('id', '=', id)
      return (await query.executeTakeFirstOrThrow()).sha256
    }
    for (const id of [has.images.pending, has.images.listed])
      await storeAsBefore(waymark.installation, await shaOf(id))
    await blobs.remove(renditionKey(await shaOf(has.images.pending), 'lg'))
    await blobs.remove(originalKey(await shaOf(has.images.pending)))
    await blobs.put(originalKey(await shaOf(has.images.listed)), Buffer.from('damaged'), 'remakeable')
    const packed = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2, 3])
    await database.db
      .updateTable('route_gpx')
      .set({ gpx: packed })
      .where('route_id', '=', has.routeId)
      .execute()
    const { answer, zip } = await takeOut(waymark, carl)
    assert.equal(answer.status, 200)
    const taken = await filesIn(zip)
    const missing = taken.get('MISSING.txt')?.toString().trimEnd().split('\n') ?? []
    assert.equal(missing.length, 3, missing.join())
    assert.match(missing.join('\n'), new RegExp(`photos/${has.images.pending}.jpg: .*not in the store`))
    assert.match(missing.join('\n'), new RegExp(`photos/${has.images.listed}.jpg: .*damaged`))
    assert.match(missing.join('\n'), new RegExp(`routes/${has.routeId}.gpx: .*damaged`))
    assert.equal(taken.get(`photos/${has.images.listed}.jpg`)?.toString(), 'damaged')
    assert.ok(
      taken.get(`photos/${has.images.trash}.jpg`)?.equals(has.originals.get(has.images.trash) ?? packed),
    )
  })

  it('is written no faster than it is read, one at a time, and ends when the client disconnects', async () => {
    const dora = await addOwner(waymark)
    const has = await furnish(waymark, dora, { trailId, reviewer, mark: 'doras' })
    const { db } = waymark.installation.database
    const large = Buffer.alloc(8 * 1024 * 1024, 'x') // of one photo; ten rows show it
    const { sha256 } = await db
      .selectFrom('image')
      .select('sha256')
      .where('id', '=', has.images.pending)
      .executeTakeFirstOrThrow()
    await storeAsBefore(waymark.installation, sha256)
    await waymark.installation.blobs.put(originalKey(sha256), large, 'remakeable')
    const row = await db
      .selectFrom('image')
      .selectAll()
      .where('id', '=', has.images.pending)
      .executeTakeFirstOrThrow()
    for (let more = 1; more < 10; more += 1)
      await db
        .insertInto('image')
        .values({ ...row, id: waymark.system.newId(), seq: row.seq + 10_000 + more })
        .execute()

    const headers = browserHeaders(dora)
    const asked = request(`${waymark.url}/v2/me/takeout`, { headers })
    asked.end()
    const [answer] = (await once(asked, 'response')) as [import('node:http').IncomingMessage]
    answer.on('error', () => undefined)
    await once(answer, 'readable') // and no more: 80 MB wait
    const second = await takeOut(waymark, dora)
    assert.equal(second.answer.status, 429)
    assert.match(second.zip.toString(), /already in progress/)
    assert.equal((await takeOut(waymark, ann)).answer.status, 200) // others do not wait
    asked.destroy()
    for (let tries = 0; waymark.app.requestsUnderWay() > 0 && tries < 3_000; tries += 1) await pause(10)
    assert.equal(waymark.app.requestsUnderWay(), 0)
    for (let tries = 0; tries < 3_000; tries += 1) {
      const again = request(`${waymark.url}/v2/me/takeout`, { headers }).end()
      const [begun] = (await once(again, 'response')) as [import('node:http').IncomingMessage]
      begun.on('error', () => undefined)
      again.destroy()
      if (begun.statusCode === 200) return
      await pause(10)
    }
    assert.fail('the takeout that was left is still under way')
  })

  it('is written in pieces, no matter how long a photo or a list is', async () => {
    const { database, blobs } = waymark.installation
    const { db } = database
    const { write } = createDataExport({ db, blobs, now: () => 0, unpackGpx: unpackUtf8 })
    const owner = await db
      .selectFrom('image')
      .select('submitter_id as id')
      .groupBy('submitter_id')
      .orderBy((expression) => expression.fn.countAll(), 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    let largest = 0
    const sink = async (bytes: Uint8Array): Promise<void> => {
      largest = Math.max(largest, bytes.length)
      await Promise.resolve()
    }
    const report = await write(owner.id, { sink, signal })
    assert.ok(report.bytes > 80 * 1024 * 1024, String(report.bytes))
    assert.ok(largest <= 2 * 1024 * 1024, `${largest} bytes at once`)
  })
})
