// Kills during a migration (trust 19). By hand, at every statement and every call: node tests/faults/migration-kill.ts
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql, type Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import type { ColumnTypes, Database } from '../../src/database/database.ts'
import { openDatabase } from '../../src/database/open-database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createFailingCalls } from './harness/failing-calls.ts'
import { whyNoPreload } from './harness/preload.ts'
import { command, runWaymark } from './harness/server.ts'
import { count, finish, summaryOf } from './harness/summary.ts'

const migrationFolder = path.resolve(import.meta.dirname, '../../src/database/migrations')
const killer = path.join(import.meta.dirname, 'harness/kill-at-statement.ts')

export interface MigrationKillOptions {
  /** Empty, for copies of the databases. */
  readonly folder: string
  /** Starting points: an empty database, also the oldest version, or also every version. */
  readonly from: 'nothing' | 'oldest' | 'every'
  /** Picks statements or calls to be killed at. */
  readonly choose: (total: number) => readonly number[]
  /** Whether to kill at file-system calls too. */
  readonly atCalls: boolean
  /** Modules that break the killed command. */
  readonly preload?: readonly string[]
}

export interface MigrationKillReport {
  readonly kills: number
  readonly starts: readonly string[]
  readonly statements: number
  readonly faults: readonly string[]
}

const databaseIn = (folder: string) =>
  openDatabase({ engine: 'sqlite', file: path.join(folder, 'waymark.sqlite') })

async function withDatabase<T>(folder: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await databaseIn(folder)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

type Up = (db: Kysely<unknown>, types: ColumnTypes) => Promise<void>

async function migrationsByName(): Promise<[string, Up][]> {
  const files = (await readdir(migrationFolder)).filter((name) => name.endsWith('.ts')).toSorted()
  return Promise.all(
    files.map(async (file): Promise<[string, Up]> => {
      const { up } = (await import(path.join(migrationFolder, file))) as { up: Up }
      return [file.replace(/\.ts$/, ''), up]
    }),
  )
}

/** Applies the first few migrations, like an older Waymark. */
async function migratePartly({ db, types }: Database, migrations: readonly [string, Up][]): Promise<void> {
  const entries = migrations.map(([name, up]): [string, Migration] => [
    name,
    { up: (inner) => up(inner, types) },
  ])
  const provider = { getMigrations: async () => Object.fromEntries(entries) }
  const { error } = await new Migrator({ db, provider }).migrateToLatest()
  if (error !== undefined) throw new Error('an older schema could not be made', { cause: error })
}

/** A few images of an older Waymark, so that migrations have rows to change. Uses the schema of the first migration. */
async function fill({ db }: Database): Promise<void> {
  await sql`insert into trail (id, name, slug, version, created_at) values (1, 'Rim Trail', 'rim-trail', 3, 1)`.execute(
    db,
  )
  await sql`insert into account (id, display_name, email, email_key, role, created_at)
    values (1, 'Ann', 'ann@trails.example', 'ann@trails.example', 'member', 1)`.execute(db)
  for (const id of [1, 2, 3]) {
    const sha256 = String(id).repeat(64)
    await sql`insert into content (sha256, bytes) values (${sha256}, 10)`.execute(db)
    await sql`insert into image (id, seq, trail_id, submitter_id, state, title, caption, lat, lon, mime_type, sha256, bytes,
      width, height, posted_at, updated_at) values (${id}, ${id}, 1, 1, ${id === 1 ? 'approved' : 'pending'}, 'title', '', '0',
      '0', 'image/png', ${sha256}, 10, 1, 1, ${id}, ${id})`.execute(db)
  }
}

/** Schema and rows as text, without the times of migrations. */
const contentsOf = (folder: string): Promise<string> =>
  withDatabase(folder, async (database) => {
    const { db } = database
    const schema = await sql<{ name: string; type: string; sql: string | null }>`
      select type, name, sql from sqlite_schema order by type, name`.execute(db)
    const tables = schema.rows.filter(({ type }) => type === 'table').map(({ name }) => name)
    const rows: unknown[] = []
    for (const table of tables) {
      const { rows: found } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(
        db,
      )
      rows.push([table, found.map((row) => JSON.stringify({ ...row, timestamp: undefined })).toSorted()])
    }
    return JSON.stringify([schema.rows, rows, await database.findDamage()], null, 1)
  })

export async function runMigrationKills(options: MigrationKillOptions): Promise<MigrationKillReport> {
  const { folder, from, choose, atCalls, preload = [] } = options
  const faults: string[] = []
  const starts: string[] = []
  let [kills, statements] = [0, 0]
  const modules = [...preload, killer].flatMap((module) => ['--import', module])
  const calls = atCalls ? createFailingCalls(path.join(folder, 'killed'), folder) : undefined

  const killed = path.join(folder, 'killed')
  async function copyOf(start: string): Promise<string> {
    await rm(killed, { recursive: true, force: true })
    await cp(start, killed, { recursive: true })
    return killed
  }

  const run = (dataDir: string, settings: Readonly<Record<string, string>>) =>
    runWaymark(['migrate'], { dataDir, settings, program: [...modules, ...command] })

  /** After a kill at any point, one more start gives the same result as without it. */
  async function judge(what: string, dataDir: string, right: string): Promise<void> {
    kills += 1
    try {
      await withDatabase(dataDir, migrate)
      if ((await contentsOf(dataDir)) !== right)
        faults.push(`${what}: the database is another one than without the kill`)
    } catch (error) {
      faults.push(`${what}: the next start failed: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  async function killEverywhere(name: string, start: string): Promise<void> {
    starts.push(name)
    const dataDir = await copyOf(start)
    calls?.arm(0)
    const { code, stderr } = await run(dataDir, calls?.settings ?? {})
    const seen = calls?.disarm().calls ?? []
    if (code !== 0) throw new Error(`an undisturbed migration failed: ${stderr}`)
    const right = await contentsOf(dataDir)
    const total = Number(/statements: (\d+)/.exec(stderr)?.[1])
    statements += total
    for (const nth of choose(total)) {
      const { signal } = await run(await copyOf(start), { KILL_AT_STATEMENT: String(nth) })
      if (signal === 'SIGKILL') await judge(`${name}, statement ${nth} of ${total}`, dataDir, right)
    }
    if (!calls) return
    for (const nth of choose(seen.length)) {
      const copy = await copyOf(start)
      calls.armKill(nth)
      const { signal } = await run(copy, calls.settings)
      calls.disarm()
      if (signal === 'SIGKILL') await judge(`${name}, call ${nth} of ${seen.length}`, dataDir, right)
    }
  }

  try {
    const empty = path.join(folder, 'empty')
    await mkdir(empty)
    await killEverywhere('a first start', empty)
    const migrations = await migrationsByName()
    const max = { nothing: 0, oldest: 1, every: migrations.length - 1 }[from]
    for (let done = 1; done <= max; done += 1) {
      const older = path.join(folder, `older-${done}`)
      await mkdir(older)
      await withDatabase(older, async (database) => {
        await migratePartly(database, migrations.slice(0, 1))
        await fill(database)
        await migratePartly(database, migrations.slice(0, done))
      })
      await killEverywhere(`from ${migrations[done - 1]?.[0] ?? ''}`, older)
    }
  } finally {
    calls?.close()
  }
  return { kills, starts, statements, faults }
}

async function main(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-migration-'))
  const begun = performance.now()
  try {
    const report = await runMigrationKills({
      folder,
      from: 'every',
      choose: (total) => Array.from({ length: total }, (_, at) => at + 1),
      atCalls: whyNoPreload() === false,
    })
    const lines = summaryOf(
      'kill -9 at every statement and every file-system call of a migration (trust 19)',
      {
        'databases to start from': report.starts.join(', '),
        'statements in all': count(report.statements),
        kills: count(report.kills),
        'starts afterwards that did not complete it': count(report.faults.length),
      },
    )
    await finish({ lines, faults: report.faults, folder, begun })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) await main()
