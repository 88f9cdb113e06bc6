// Follows the recipe in docs/backup.md for PostgreSQL's own backup, with its commands: recovers to a time between two
// uploads.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { done } from '../cli/run-waymark.ts'
import { jpegPicture } from '../helpers/pictures.ts'
import { lastingPort } from '../helpers/ports.ts'
import { startPostgres, whyNoPostgres, type PostgresServer } from '../helpers/postgres.ts'
import { startWaymark } from '../helpers/waymark.ts'
import { fill } from '../operations/migration/moves.ts'

const run = promisify(execFile)
/** PostgreSQL refuses to run as root; helpers/postgres.ts then runs it as nobody. */
const nobody = { uid: 65_534, gid: 65_534 }
const asWhom = process.getuid?.() === 0 ? nobody : {}

/** A folder that PostgreSQL can access, unlike ours. */
async function folderOfPostgres(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-recovery-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  await mkdir(path.join(folder, 'wal'))
  for (const each of [folder, path.join(folder, 'wal')]) {
    if ('uid' in asWhom) await chown(each, nobody.uid, nobody.gid)
    await chmod(each, 0o700)
  }
  return folder
}

/** The commands of docs/backup.md, with another folder instead of /backup. */
async function recipeIn(folder: string) {
  const guide = await readFile(path.resolve(import.meta.dirname, '../../docs/backup.md'), 'utf8')
  const found = (form: RegExp): string => {
    const text = form.exec(guide)?.[1]
    assert.ok(text !== undefined, `docs/backup.md has ${form}`)
    return text.replaceAll('/backup', folder)
  }
  return {
    archive: found(/^ +archive_command = '(.+)'$/m),
    restore: found(/^ +restore_command = '(.+)'$/m),
    base: found(/^ +pg_basebackup --pgdata=.+?\) (--.+)$/m).split(' '),
    check: found(/^4\. .*`waymark ([^`]+)`/m).split(' '),
  }
}

async function valueOf(server: PostgresServer, text: string): Promise<string> {
  const [row] = await server.query(text)
  return String(Object.values(row ?? {})[0])
}

/** Waits until everything written is archived. */
async function archived(server: PostgresServer): Promise<void> {
  const last = await valueOf(server, 'select pg_walfile_name(pg_switch_wal())')
  const isDone = async () => (await valueOf(server, 'select last_archived_wal from pg_stat_archiver')) >= last
  while (!(await isDone())) await pause(50)
}

/** @returns once it has been promoted. */
async function recover(
  t: TestContext,
  bin: string,
  data: string,
  settings: Readonly<Record<string, string>>,
) {
  const port = await lastingPort()
  const all = {
    ...settings,
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: data,
  }
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const postgres = spawn(path.join(bin, 'postgres'), ['-D', data, ...args], {
    ...asWhom,
    cwd: data,
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => postgres.once('exit', resolve))
  t.after(async () => {
    postgres.kill('SIGINT')
    await ended
  })
  const isRecovered = async (): Promise<boolean> => {
    const client = new Client({ connectionString: `postgres://waymark@127.0.0.1:${port}/postgres` })
    await client.connect()
    const { rows } = await client.query<{ still: boolean }>('select pg_is_in_recovery() as still')
    await client.end()
    return rows[0]?.still === false
  }
  while (!(await isRecovered().catch(() => false))) {
    assert.equal(postgres.exitCode, null, 'it ended before it had recovered')
    await pause(100)
  }
  return (url: string): string => url.replace(/:\d+\//, `:${port}/`)
}

void test(
  'trust 20: a base backup and the archived log restore a point in time, with the photos copied after it',
  { skip: whyNoPostgres() },
  async (t) => {
    const folder = await folderOfPostgres(t)
    const recipe = await recipeIn(folder)
    const server = await startPostgres()
    t.after(() => server.end())
    for (const [name, value] of [
      ['archive_mode', 'on'],
      ['archive_command', recipe.archive],
    ])
      await server.query(`alter system set ${name} = '${value}'`)
    await server.kill()
    await server.start()
    const DATABASE_URL = await server.createDatabase()
    const waymark = await startWaymark({ environment: { DATABASE_URL } })
    t.after(() => waymark.close())
    const ann = await fill(waymark)
    const base = path.join(folder, 'base')
    const where = ['--host=127.0.0.1', `--port=${server.port}`, '--username=waymark']
    const bin = await valueOf(server, "select setting from pg_config() where name = 'BINDIR'")
    await run(path.join(bin, 'pg_basebackup'), [`--pgdata=${base}`, ...recipe.base, ...where], {
      ...asWhom,
      cwd: folder,
    })
    await waymark.upload(ann, 4711, await jpegPicture({ seed: 3 }))
    const target = await valueOf(server, 'select clock_timestamp()::text')
    await pause(50) // so that the next commit has a later time
    await waymark.upload(ann, 4711, await jpegPicture({ seed: 4 }))
    await archived(server)
    const dataDir = path.join(folder, 'restored')
    await cp(path.join(waymark.dataDir, 'blobs'), path.join(dataDir, 'blobs'), { recursive: true })
    await cp(path.join(waymark.dataDir, 'secret'), path.join(dataDir, 'secret'))

    await writeFile(path.join(base, 'recovery.signal'), '')
    const urlOf = await recover(t, bin, base, {
      archive_mode: 'off',
      max_connections: await valueOf(server, 'show max_connections'), // recovery requires at least the primary's value
      restore_command: recipe.restore,
      recovery_target_time: target,
      recovery_target_action: 'promote',
    })
    const check = await done(recipe.check, { dataDir, settings: { DATABASE_URL: urlOf(DATABASE_URL) } })
    assert.deepEqual(check, { ...(check as object), ok: true, images: 3, problems: [] })
  },
)
