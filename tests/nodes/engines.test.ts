// Move, backup, restore and check with both engines: data goes from SQLite to PostgreSQL and back unchanged.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { sql } from 'kysely'
import { copyRows } from '../../src/database/copy-rows.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { layoutOf } from '../../src/database/layout.ts'
import { migrate } from '../../src/database/migrate.ts'
import { newFolder } from '../helpers/folders.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { startPostgres, whyNoPostgres, type PostgresServer } from '../helpers/postgres.ts'
import { blobUrlBelow, startSwift, whyNoSwift } from '../helpers/swift.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { assertOneSentence, done, run, runJson, startServer } from '../cli/run-waymark.ts'
import { blobsAt, digestsAt, fill } from '../operations/migration/moves.ts'

const skip = whyNoPostgres()

void describe('both engines', { skip }, () => {
  let server: Promise<PostgresServer> | undefined
  const postgres = (): Promise<PostgresServer> => (server ??= startPostgres())
  after(async () => (await server)?.end())

  void test('both have the same tables, and the copy includes all of them', async (t) => {
    const folder = await newFolder(t)
    const sqlite = await openDatabase({ engine: 'sqlite', file: path.join(folder, 'a.sqlite') })
    t.after(() => sqlite.close())
    await migrate(sqlite)
    const other = await openDatabase({ engine: 'postgres', url: await (await postgres()).createDatabase() })
    t.after(() => other.close())
    const [one, two] = [await layoutOf(sqlite), await layoutOf(other)]
    const byName = (tables: typeof one) =>
      tables
        .map((table) => ({ ...table, refersTo: table.refersTo.toSorted() }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    assert.deepEqual(byName(two), byName(one))
    const all = (await sqlite.db.introspection.getTables()).map(({ name }) => name)
    // Triggers rebuild map squares and trigrams when images and trails are inserted.
    assert.deepEqual(
      one.map(({ name }) => name).toSorted(),
      all.filter((name) => name !== 'map_square' && name !== 'trail_gram').toSorted(),
    )
    for (const [index, { name, refersTo }] of one.entries())
      for (const target of refersTo)
        assert.ok(one.findIndex((table) => table.name === target) < index, `${name} comes after ${target}`)
  })

  void test('a value altered during the copy is reported, and nothing is copied', async (t) => {
    const folder = await newFolder(t)
    const from = await openDatabase({ engine: 'sqlite', file: path.join(folder, 'a.sqlite') })
    t.after(() => from.close())
    await migrate(from)
    const to = await openDatabase({ engine: 'postgres', url: await (await postgres()).createDatabase() })
    t.after(() => to.close())
    const tables = await layoutOf(from)
    const copy = () => to.db.transaction().execute((tx) => copyRows({ from: from.db, to: tx, tables }))
    const trail = { version: 1, created_at: 1, sort_key: '', search: '' }
    await from.db
      .insertInto('trail')
      .values({ ...trail, id: 1, name: 'Rim\0Trail', slug: 'rim' })
      .execute()
    await assert.rejects(copy(), /row 1 of the table trail has the character U\+0000 in name/)
    await from.db.updateTable('trail').set({ name: 'Rim Trail' }).execute()
    const server = await postgres()
    const url = await server.createDatabase()
    const spoilt = await openDatabase({ engine: 'postgres', url })
    t.after(() => spoilt.close())
    await sql`create function spoil() returns trigger language plpgsql as
      $$ begin new.name := new.name || '.'; return new; end $$`.execute(spoilt.db)
    await sql`create trigger spoil before insert on trail for each row execute function spoil()`.execute(
      spoilt.db,
    )
    const spoil = () => spoilt.db.transaction().execute((tx) => copyRows({ from: from.db, to: tx, tables }))
    await assert.rejects(spoil(), /The table trail was not copied correctly/)
    assert.deepEqual(await spoilt.db.selectFrom('trail').selectAll().execute(), [])
    await copy()
    assert.equal((await to.db.selectFrom('trail').selectAll().execute()).length, 1)
  })

  void test(
    'moved to PostgreSQL and S3, served there, and moved back to files, every table and photo is the same',
    { skip: whyNoSwift() },
    async (t) => {
      const swift = await startSwift()
      t.after(() => swift.end())
      Object.assign(process.env, swift.environment)
      const folder = await newFolder(t)
      const dataDir = path.join(folder, 'old')
      const waymark = await startWaymark({ dataDir })
      const ann = await fill(waymark)
      await waymark.close()
      const DATABASE_URL = await (await postgres()).createDatabase({ isEmpty: true })
      const before = await digestsAt({ DATA_DIR: dataDir })
      const settings = { DATABASE_URL, BLOB_URL: swift.blobUrl, ...swift.environment }
      const photos = await blobsAt({ DATA_DIR: dataDir })
      const go = ['move', '--to-database', DATABASE_URL, '--to-blobs', swift.blobUrl]
      for (const [bucket, secret, why] of [
        ['nothing-here', {}, /cannot be used: .+ has no such bucket/],
        ['waymark', { AWS_SECRET_ACCESS_KEY: 'wrong' }, /refuses these credentials \(403\)/],
      ] as const) {
        const address = swift.blobUrl.replace('s3://waymark', `s3://${bucket}`)
        const environment = { ...swift.environment, ...secret }
        const inside = { dataDir, settings: { ...environment, BLOB_URL: address } }
        for (const [variable, wrong] of [
          ['--to-blobs', await run(['move', '--to-blobs', address], { dataDir, settings: environment })],
          ['BLOB_URL', await run(['check'], inside)],
          ['BLOB_URL', await run(['backup', path.join(folder, 'wrong.zip')], inside)],
        ] as const) {
          assert.equal(wrong.exitCode, 1, wrong.stderr)
          assertOneSentence(wrong.stderr)
          assert.match(wrong.stderr, why)
          assert.ok(wrong.stderr.startsWith(`${variable} s3://`), wrong.stderr)
        }
      }
      assert.ok(!existsSync(path.join(folder, 'wrong.zip')))
      const there = await runJson(go, { dataDir, settings: swift.environment })
      assert.equal(there.exitCode, 0, there.stderr)
      assert.deepEqual(await blobsAt({ DATA_DIR: dataDir, ...settings }), photos)
      const moved = await digestsAt({ DATA_DIR: dataDir, ...settings })
      assert.deepEqual(moved, await digestsAt({ DATA_DIR: dataDir }))
      const ofSwitch = { audit: 0, counter: 0 } // the switch is audited and counted
      assert.deepEqual({ ...moved, ...ofSwitch }, { ...before, ...ofSwitch })
      const served = await startServer(t, { dataDir, settings })
      assert.equal((await fetch(`${served.url}/health/ready`)).status, 200)
      const file = path.join(folder, 'waymark.zip')
      await done(['backup', file], { dataDir, settings })
      const busy = await run(['restore', file], { dataDir: path.join(folder, 'b'), settings })
      assert.deepEqual([busy.exitCode, /server uses this database/.test(busy.stderr)], [2, true])
      await served.stop()
      const second = { DATABASE_URL: await (await postgres()).createDatabase({ isEmpty: true }) }
      const restored = { ...settings, ...second, BLOB_URL: blobUrlBelow(swift.blobUrl, 'restored') }
      await done(['restore', file], { dataDir: path.join(folder, 'c'), settings: restored })
      assert.deepEqual(await blobsAt({ DATA_DIR: dataDir, ...restored }), photos)
      const check = await done(['check', '--store', '--audit'], { dataDir, settings })
      assert.equal((check as { ok: boolean }).ok, true)

      const back = {
        DATABASE_URL: `sqlite:${folder}/back/waymark.sqlite`,
        BLOB_URL: `file:${folder}/back/blobs`,
      }
      const args = ['move', '--to-database', back.DATABASE_URL, '--to-blobs', back.BLOB_URL]
      const returned = await runJson(args, { dataDir, settings })
      assert.equal(returned.exitCode, 0, returned.stderr)
      const { tables } = returned.document as { tables: unknown }
      assert.deepEqual(await digestsAt({ DATA_DIR: dataDir, ...back }), tables)
      assert.deepEqual(await blobsAt({ DATA_DIR: dataDir, ...back }), photos)
      const again = await startWaymark({ dataDir, environment: back })
      t.after(() => again.close())
      const token = await again.tokenFor(ann.accountId, 'images:write')
      assert.ok(await again.upload({ ...ann, token }, 4711, await jpegPicture({ seed: 9 })))
    },
  )

  void test('D4: a database that cannot be moved to is refused in one sentence, and stays unchanged', async (t) => {
    const dataDir = path.join(await newFolder(t), 'old')
    await done(['trails', 'add', '--id', '1', '--name', 'Rim Trail'], { dataDir })
    const move = (url: string) => run(['move', '--to-database', url], { dataDir })
    const url = await (await postgres()).createDatabase({ isEmpty: true })
    const nobodys = new URL(url)
    nobodys.pathname = '/nobodys'
    const closed = new URL(url)
    closed.port = '1'
    const other = await openDatabase({ engine: 'postgres', url })
    t.after(() => other.close())
    await sql`create table visits (day text)`.execute(other.db)
    await sql`insert into visits values ('Monday')`.execute(other.db)
    for (const [wrong, exitCode, why] of [
      ['mysql://ann@localhost/waymark', 1, /^--to-database must/],
      [nobodys.href, 1, /database "nobodys" does not exist\.$/m],
      [closed.href, 2, /cannot be used: .*ECONNREFUSED/],
      [url, 2, /already contains data, in the table visits: choose an empty database\.$/m],
    ] as const) {
      const reported = await move(wrong)
      assert.deepEqual([reported.exitCode, reported.stdout], [exitCode, ''], reported.stderr)
      assertOneSentence(reported.stderr)
      assert.match(reported.stderr, why)
    }
    assert.deepEqual((await sql`select day from visits`.execute(other.db)).rows, [{ day: 'Monday' }])
    assert.match((await run(['read-only', 'status'], { dataDir })).stdout, /Not read-only/)
  })

  void test('trust 20: PostgreSQL is backed up under load, and restored into SQLite and into PostgreSQL', async (t) => {
    const folder = await newFolder(t)
    const dataDir = path.join(folder, 'old')
    const settings = { DATABASE_URL: await (await postgres()).createDatabase() }
    const waymark = await startWaymark({ dataDir, environment: settings })
    t.after(() => waymark.close())
    const ann = await fill(waymark)
    const apiKey = await waymark.addKey(ann.accountId)
    const file = path.join(folder, 'waymark.zip')
    const ended = new AbortController()
    const backup = done(['backup', file], { dataDir, settings }).finally(() => ended.abort())
    let uploads = 0
    for (let seed = 500; !ended.signal.aborted && seed < 700; seed += 1, uploads += 1)
      await waymark.upload(ann, 4711, await jpegPicture({ seed }))
    const { images } = (await backup) as { images: number }
    assert.ok(uploads > 0 && images >= 2 && images <= uploads + 2)

    const inFile = path.join(folder, 'in-file')
    await done(['restore', file], { dataDir: inFile })
    const elsewhere = path.join(folder, 'elsewhere')
    const other = { DATABASE_URL: await (await postgres()).createDatabase({ isEmpty: true }) }
    await done(['restore', file], { dataDir: elsewhere, settings: other })
    const digests = await digestsAt({ DATA_DIR: inFile })
    assert.equal(digests['image']?.rows, images)
    assert.deepEqual(await digestsAt({ DATA_DIR: elsewhere, ...other }), digests)
    for (const [dir, where] of [
      [inFile, {}],
      [elsewhere, other],
    ] as const) {
      const check = await done(['check', '--store', '--audit'], { dataDir: dir, settings: where })
      assert.deepEqual(check, { ...(check as object), ok: true, images, problems: [] })
    }
    const served = await startServer(t, { dataDir: elsewhere, settings: other })
    const verify = ['verify', served.url, '--trail', '4711', '--strict']
    await done(verify, { dataDir: folder, settings: { WAYMARK_API_KEY: apiKey } })
    await served.stop()
    const over = await run(['restore', file], { dataDir: path.join(folder, 'c'), settings: other })
    assert.deepEqual([over.exitCode, /already contains data/.test(over.stderr)], [2, true])
    assertOneSentence(over.stderr)
  })
})
