// `node bench/growth-postgres.ts 100000 1000000`: prints, as Markdown, the size of each table and the plans of all
// queries of tests/database/query-plans.ts on PostgreSQL databases with these numbers of images, filled by SQL.
import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Client } from 'pg'
import { clientConfig } from '../src/database/postgres/connections.ts'
import { insertParents } from '../tests/database/database-suite.ts'
import { planQuestions } from '../tests/database/query-plans.ts'
import { startPostgres } from '../tests/helpers/postgres.ts'
import { explain, openAsked, type Asked, type Cost } from './parts/explain-postgres.ts'
import { growPostgres } from './parts/grow-postgres.ts'

/** Measured per image: rows, indexes, and the space needed to sort them. */
const bytesOfImage = 6_000
const spareBytes = 5e9
/** Below this, one index page more or less does not count as growth. */
const fewPages = 60
const growsBy = 2

interface Table {
  readonly name: string
  readonly rows: number
  readonly heap: number
  readonly indexes: number
}

const say = (text: string): void => void process.stderr.write(`${text}\n`)
const print = (text = ''): void => void process.stdout.write(`${text}\n`)

async function tablesOf(client: Client): Promise<readonly Table[]> {
  const { rows } = await client.query<Table>(
    `select relname as name, reltuples::float8 as rows, pg_table_size(oid)::float8 as heap, pg_indexes_size(oid)::float8 as indexes
      from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by pg_total_relation_size(oid) desc`,
  )
  return rows
}

interface Question {
  readonly name: string
  readonly asked: Asked
}

interface Answered extends Question {
  readonly costs: readonly Cost[]
}

/** The queries, collected on a nearly empty database, where all of them can run. */
async function listQuestions(url: string): Promise<Question[]> {
  const asked = await openAsked(url)
  const questions: Question[] = []
  try {
    await insertParents(asked.db)
    for (const [name, ask] of planQuestions)
      for (const one of await asked.ask(ask)) questions.push({ name, asked: one })
  } finally {
    await asked.close()
  }
  return questions
}

async function measure(client: Client, questions: readonly Question[]): Promise<Answered[]> {
  await client.query("set statement_timeout = '60s'")
  const answered: Answered[] = []
  for (const question of questions)
    answered.push({ ...question, costs: await explain(client, question.asked) })
  return answered
}

function printTables(images: number, tables: readonly Table[]): void {
  print(
    `## ${images} images: bytes of each\n\n| table | rows | rows' bytes | indexes' bytes |\n|---|---|---|---|`,
  )
  const each = (bytes: number): string => (bytes / images).toFixed(0)
  for (const { name, rows, heap, indexes } of tables.filter((table) => table.heap + table.indexes > images))
    print(`| ${name} | ${Math.max(0, rows)} | ${each(heap)} | ${each(indexes)} |`)
  const sum = tables.reduce((bytes, { heap, indexes }) => bytes + heap + indexes, 0)
  print(`| **all** | | ${each(sum)} with indexes | |\n`)
}

/** One row per query: milliseconds and pages with a custom plan and with a generic plan. */
function printCosts(sizes: readonly number[], all: readonly (readonly Answered[])[]): void {
  print(`## What grows, and what is slow\n`)
  print(`| question | ${sizes.map((size) => `${size}: ms, pages; kept plan`).join(' | ')} | nodes |`)
  print(`|---|${sizes.map(() => '---|').join('')}---|`)
  const last = all.at(-1) ?? []
  for (const [index, { name, costs }] of last.entries()) {
    const rows = all.map((answered) => answered[index]?.costs ?? [])
    const pagesOf = (found: readonly Cost[]): number => Math.max(...found.map(({ pages }) => pages))
    const first = Math.max(pagesOf(rows[0] ?? []), fewPages)
    const isFine = sizes.length > 1 ? pagesOf(costs) < growsBy * first : pagesOf(costs) < fewPages
    if (isFine && !costs.some(({ failure }) => failure !== undefined)) continue
    const cells = rows.map((found) =>
      found.map(({ ms, pages, failure }) => failure ?? `${ms.toFixed(1)}, ${pages}`).join('; '),
    )
    print(`| ${name} | ${cells.join(' | ')} | ${costs.map(({ nodes }) => nodes).join('; ')} |`)
  }
}

const sizes = process.argv.slice(2).map(Number)
if (sizes.length === 0 || sizes.some((size) => !Number.isInteger(size) || size < 1_000))
  throw new RangeError('How many images? One number or several, each a thousand or more.')
const { bavail, bsize } = statfsSync(tmpdir())
const needed = bytesOfImage * Math.max(...sizes) + spareBytes
if (bavail * bsize < needed)
  throw new RangeError(`${(needed / 1e9).toFixed(0)} GB are needed in ${tmpdir()}, more than are free.`)
const postgres = await startPostgres()
try {
  // Filled once, then only read, and easily recreated: durability does not matter.
  for (const setting of ["max_wal_size = '4GB'", 'autovacuum = off', 'max_parallel_workers_per_gather = 0'])
    await postgres.query(`alter system set ${setting}`)
  await postgres.query('select pg_reload_conf()')
  const questions = await listQuestions(await postgres.createDatabase())
  const all: Answered[][] = []
  for (const images of sizes) {
    const url = await postgres.createDatabase()
    const client = new Client(clientConfig({ url, name: 'growth', isPatient: true }))
    await client.connect()
    const begun = performance.now()
    const seconds = (): string => ((performance.now() - begun) / 1_000).toFixed(0)
    await growPostgres(client, images, (made) => say(`${made} of ${images} images, ${seconds()} s`))
    say(`filled in ${seconds()} s`)
    printTables(images, await tablesOf(client))
    all.push(await measure(client, questions))
    await client.end()
    say(`measured in ${seconds()} s`)
    await postgres.dropDatabase(url)
  }
  printCosts(sizes, all)
} finally {
  await postgres.end()
}
