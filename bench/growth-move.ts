// `node bench/growth-move.ts 100000 1000000`: measures how long an installation with these numbers of images is read-only
// while `waymark move` migrates its rows to PostgreSQL and back to SQLite, with clients that write all the time. Prints
// Markdown.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { openDatabase } from '../src/database/open-database.ts'
import { databaseUrl, fileOf } from '../src/settings/database-settings.ts'
import { startPostgres } from '../tests/helpers/postgres.ts'
import { endChildren } from './parts/child.ts'
import { growDatabase } from './parts/grow.ts'
import { oursEnvironment, prepareData, startOurs } from './parts/ours.ts'
import { addRoutes } from './parts/route-rows.ts'

const writers = 4
const pauseMs = 20

interface Writer {
  readonly path: string
  readonly routeId: number
  readonly token: string
  acknowledged: string
}

interface Written {
  readonly count: number
  readonly longestMs: number
  /** Time of the first response that reported read-only mode. */
  readonly readOnlyAt: number | undefined
}

const say = (line: string): void => void process.stderr.write(`${line}\n`)
const secondsSince = (begun: number): string => ((performance.now() - begun) / 1_000).toFixed(1)

async function rename(url: string, writer: Writer, name: string): Promise<number> {
  const response = await fetch(`${url}${writer.path}`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${writer.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify([{ name }]),
  })
  await response.text()
  return response.status
}

/** Renames the writer's route repeatedly until the installation is read-only. */
async function write(url: string, writer: Writer, signal: AbortSignal): Promise<Written> {
  let [count, longestMs] = [0, 0]
  for (; !signal.aborted; count += 1) {
    const name = `Walk ${count}`
    const begun = performance.now()
    const status = await rename(url, writer, name)
    if (status === 503) return { count, longestMs, readOnlyAt: begun }
    if (status !== 200) throw new Error(`A rename was answered with ${status}.`)
    writer.acknowledged = name
    longestMs = Math.max(longestMs, performance.now() - begun)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return { count, longestMs, readOnlyAt: undefined }
}

interface Moved {
  readonly rows: number
  readonly images: number
  readonly resumed: boolean
}

async function runMove(environment: Readonly<Record<string, string>>, target: string): Promise<Moved> {
  const command = path.resolve(import.meta.dirname, '../bin/waymark.cjs')
  const child = spawn(process.execPath, [command, 'move', '--json', '--to-database', target], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const said = await text(child.stdout)
  if ((await ended) !== 0) throw new Error(`waymark move failed: ${said}`)
  return JSON.parse(said) as Moved
}

/** @returns a row of the table. */
async function measure(
  what: string,
  environment: Readonly<Record<string, string>>,
  target: string,
  all: readonly Writer[],
): Promise<string> {
  const ours = await startOurs(environment.DATA_DIR ?? '', environment)
  const stopped = new AbortController()
  try {
    const writing = Promise.all(all.map((writer) => write(ours.url, writer, stopped.signal)))
    const begun = performance.now()
    const moved = await runMove(environment, target)
    const end = performance.now()
    stopped.abort()
    const written = await writing
    const readOnlyAt = Math.min(...written.map((one) => one.readOnlyAt ?? end))
    const { db, close } = await openDatabase(databaseUrl(target))
    const names = await db
      .selectFrom('route')
      .select(['id', 'name'])
      .where(
        'id',
        'in',
        all.map(({ routeId }) => routeId),
      )
      .execute()
    await close()
    const nameOf = new Map(names.map(({ id, name }) => [id, name]))
    const lost = all.filter(({ routeId, acknowledged }) => nameOf.get(routeId) !== acknowledged)
    const count = written.reduce((sum, one) => sum + one.count, 0)
    const longest = Math.max(...written.map(({ longestMs }) => longestMs))
    const cells = [what, moved.images, moved.rows, ((end - begun) / 1_000).toFixed(0)]
    const figures = [((end - readOnlyAt) / 1_000).toFixed(1), count, longest.toFixed(0), lost.length]
    return `| ${[...cells, ...figures].join(' | ')} |`
  } finally {
    stopped.abort()
    await ours.close()
  }
}

async function fill(dataDir: string, images: number): Promise<Writer[]> {
  const file = await prepareData(dataDir, async ({ installation }) =>
    fileOf(installation.config.databasePlace),
  )
  const begun = performance.now()
  growDatabase(file, images, Date.now())
  say(`${images} images filled in after ${secondsSince(begun)} s`)
  return prepareData(dataDir, async (filling) => {
    const made: Writer[] = []
    for (let index = 0; index < writers; index += 1) {
      const accountId = await filling.addAccount(`Writer ${index}`)
      const [routeId = 0] = await addRoutes(filling, accountId, { count: 1, gpxBytes: 2_000 })
      const token = await filling.addToken(accountId)
      made.push({ routeId, token, path: `/Accounts/${accountId}/Routes/${routeId}`, acknowledged: 'Route' })
    }
    return made
  })
}

const sizes = process.argv.slice(2).map(Number)
if (sizes.length === 0 || sizes.some((size) => !Number.isInteger(size) || size < 1_000))
  throw new RangeError('How many images? One number or several, each a thousand or more.')
const folder = await mkdtemp(path.join(tmpdir(), 'waymark-growth-move-'))
const postgres = await startPostgres()
try {
  const rows: string[] = []
  for (const size of sizes) {
    const dataDir = path.join(folder, String(size))
    const all = await fill(dataDir, size)
    const database = await postgres.createDatabase({ isEmpty: true })
    const environment = oursEnvironment(dataDir)
    rows.push(await measure('SQLite → PostgreSQL', environment, database, all))
    say(rows.at(-1) ?? '')
    const onPostgres = { ...environment, DATABASE_URL: database }
    const back = `sqlite:${path.join(folder, `${size}-back.sqlite`)}`
    rows.push(await measure('PostgreSQL → SQLite', onPostgres, back, all))
    say(rows.at(-1) ?? '')
    await postgres.dropDatabase(database)
  }
  const columns = 'move | images | rows | s in all | s read-only | renames meanwhile | longest ms | lost'
  process.stdout.write(`| ${columns} |\n|${'---|'.repeat(8)}\n${rows.join('\n')}\n`)
} finally {
  await endChildren()
  await postgres.end()
  await rm(folder, { recursive: true, force: true })
}
