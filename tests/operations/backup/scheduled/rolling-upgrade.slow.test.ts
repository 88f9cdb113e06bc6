// A rolling upgrade with a migration that only adds: scheduled backups are made by the newer nodes.
import assert from 'node:assert/strict'
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '../../../../src/database/open-database.ts'
import { noteBackupState } from '../../../../src/operations/backup/scheduled/backup-state.ts'
import { readManifest } from '../../../../src/operations/backup/manifest.ts'
import { readConfig } from '../../../../src/settings/config.ts'
import {
  runWaymark,
  startServer,
  until,
  type Server,
  type ServerOptions,
} from '../../../faults/harness/server.ts'
import { readZip } from '../../../helpers/backups.ts'
import { newFolder } from '../../../helpers/folders.ts'
import { startPostgres, whyNoPostgres } from '../../../helpers/postgres.ts'
import { makeDue, sampleOf, untilMade, type Settings } from './servers.ts'

const root = path.resolve(import.meta.dirname, '../../../..')
const added = '9999-something-added'
const migration = `export async function up(db) {
  await db.schema.alterTable('trail').addColumn('something', 'text').execute()
}
`
const sentence =
  'a newer version of Waymark has changed the schema: the scheduled backup is left to its nodes'

const failuresOf = ({ url }: Server): Promise<number> => sampleOf(url, 'waymark_job_failures{name="backup"}')

/** This program with one more migration. @returns the node arguments of its command. */
async function makeNewer(folder: string): Promise<string[]> {
  for (const name of ['bin', 'cli', 'client', 'src', 'scripts', 'package.json'])
    await cp(path.join(root, name), path.join(folder, name), { recursive: true })
  await mkdir(path.join(folder, 'tests')) // a checkout, as here
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  await writeFile(path.join(folder, `src/database/migrations/${added}.ts`), migration)
  return [path.join(folder, 'bin/waymark.cjs')]
}

const minuteMs = 60_000

/** A daily schedule of which a backup has been due for half an hour. */
async function makeJustDue(dataDir: string, settings: Settings): Promise<string> {
  const dueAt = new Date(Date.now() - 30 * minuteMs)
  const { db, close } = await openDatabase(readConfig({ DATA_DIR: dataDir, ...settings }).databasePlace)
  await noteBackupState(db, { since: dueAt.getTime() - 2 * minuteMs }, Date.now())
  await close()
  return `${dueAt.getUTCMinutes()} ${dueAt.getUTCHours()} * * *`
}

void test(
  'an older node leaves the backup to the newer one, which makes it',
  { skip: whyNoPostgres() },
  async (t) => {
    const folder = await newFolder(t)
    const to = path.join(folder, 'backups')
    await mkdir(to)
    const program = await makeNewer(path.join(folder, 'program'))
    const postgres = await startPostgres()
    t.after(() => postgres.end())
    const shared = {
      DATABASE_URL: await postgres.createDatabase(),
      BLOB_URL: '', // each its own folder: there are no photos
      SECRET_FILE: path.join(folder, 'secret'),
    }
    const [ofOlder, ofNewer] = [path.join(folder, 'older'), path.join(folder, 'newer')]
    const begin = async (options: ServerOptions) => {
      const server = await startServer(options)
      t.after(() => server.end('SIGTERM'))
      return server
    }
    // The secret and the schema of before, then that of the newer version.
    const before = await startServer({ dataDir: ofOlder, settings: shared })
    assert.equal((await before.end('SIGTERM')).code, 0)
    const migrated = await runWaymark(['migrate'], { dataDir: ofNewer, settings: shared, program })
    assert.equal(migrated.code, 0, migrated.stderr)
    assert.match(migrated.stdout, new RegExp(added))

    const schedule = await makeJustDue(ofOlder, shared)
    const settings = { ...shared, BACKUP_SCHEDULE: schedule, BACKUP_TO: to, SITE_TIME_ZONE: 'UTC' }
    const older = await begin({ dataDir: ofOlder, settings })
    await until(() => older.said.stdout.includes(sentence), 'the older node to leave it')
    assert.deepEqual(await readdir(to), [])
    assert.equal(await failuresOf(older), 0)

    const newer = await begin({ dataDir: ofNewer, settings, program: [...program, 'serve'] })
    await untilMade(newer.url)
    const names = await readdir(to)
    assert.equal(names.length, 1)
    const file = path.join(to, names[0] ?? '')
    const [first] = await readZip(file)
    assert.ok(first)
    assert.equal(readManifest(first[1], file).schema, added)
    assert.equal(await failuresOf(newer), 0)
    // The older node sees the success, and had no failure of its own.
    await untilMade(older.url)
    assert.equal(await failuresOf(older), 0)
    assert.equal(older.said.stdout.split(sentence).length, 2, 'it was logged once')
  },
)

void test('where no newer node makes it, the older one says why the backup is missing', async (t) => {
  const folder = await newFolder(t)
  const [dataDir, to] = [path.join(folder, 'data'), path.join(folder, 'backups')]
  await mkdir(to)
  const first = await startServer({ dataDir })
  assert.equal((await first.end('SIGTERM')).code, 0)
  const { db, close } = await openDatabase(readConfig({ DATA_DIR: dataDir }).databasePlace)
  await sql`insert into kysely_migration (name, timestamp) values (${added}, '2099')`.execute(db)
  await close()
  await makeDue(dataDir, {})
  const settings = { BACKUP_SCHEDULE: '15 3 * * *', BACKUP_TO: to }
  const server = await startServer({ dataDir, settings })
  t.after(() => server.end('SIGTERM'))
  const why = `written by a newer version of Waymark, which has ${added}`
  await until(() => server.said.stdout.includes(why), 'the backup to fail')
  assert.deepEqual(await readdir(to), [])
})
