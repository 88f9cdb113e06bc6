// `npm run bench [path…]`: runs the named paths or all, prints a table of ratios, and writes the results to
// bench/results/.
import { existsSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, release, tmpdir, type } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { BenchPath } from './parts/bench.ts'
import { endChildren } from './parts/child.ts'
import { nginxVersion } from './parts/nginx.ts'
import { jsonOf, markdownOf, rowsOf, screenTable, type Environment, type PathResult } from './parts/report.ts'
import { runCase, type RoundsOptions } from './parts/rounds.ts'
import { minRounds } from './parts/statistics.ts'

const pathFolder = path.join(import.meta.dirname, 'paths')
const usage =
  'npm run bench -- [path…] [--rounds n] [--quick] [--gate] [--results folder] [--base folder]: see docs/benchmarks.md.'

/** Other processes using a quarter of a core affect caches and latency; less is normal background activity. */
const maxForeignCores = 0.25
const measured = { sliceMs: 1_000, pacedMs: 2_000, maxForeignCores, isQuick: false }
const quick = { rounds: 1, sliceMs: 200, pacedMs: 200, maxForeignCores: Infinity, isQuick: true }

const say = (text: string): void => void process.stderr.write(`${text}\n`)

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: String(minRounds) },
      quick: { type: 'boolean', default: false },
      gate: { type: 'boolean', default: false },
      results: { type: 'string' },
      base: { type: 'string' },
    },
  })
  const rounds = Number(values.rounds)
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new RangeError('--rounds takes a whole number from 1 on.')
  const options: RoundsOptions = values.quick ? quick : { ...measured, rounds }
  const { gate: isGate, results } = values
  const base = values.base === undefined ? undefined : path.resolve(values.base)
  return { names: positionals, options, isGate, results, base }
}

/** @throws RangeError for an unknown path. */
async function loadPaths(names: readonly string[]): Promise<BenchPath[]> {
  const files = await readdir(pathFolder)
  const known = files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -'.ts'.length))
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new RangeError(`There is no path ${unknown}; there are ${known.join(', ')}.`)
  const wanted = names.length === 0 ? known.toSorted() : names
  return Promise.all(
    wanted.map(async (name) => {
      const module = (await import(path.join(pathFolder, `${name}.ts`))) as Record<string, BenchPath>
      const found = Object.values(module).find((exported) => exported.name === name)
      if (found === undefined) throw new RangeError(`bench/paths/${name}.ts exports no path of that name.`)
      return found
    }),
  )
}

async function runPath(
  bench: BenchPath,
  options: RoundsOptions,
  base: string | undefined,
): Promise<PathResult> {
  const { name, about } = bench
  const folder = await mkdtemp(path.join(tmpdir(), `waymark-bench-${name}-`))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  const notes: string[] = []
  const cases: PathResult['cases'][number][] = []
  const result = { name, about, cases, notes }
  const begun = performance.now()
  say(`${name}: ${about}`)
  try {
    const ground = { folder, base, isQuick: options.isQuick, note: (text: string) => void notes.push(text) }
    const prepared = await bench.prepare(ground)
    say(`  made ready in ${((performance.now() - begun) / 1_000).toFixed(0)} s`)
    try {
      for (const one of prepared.cases) {
        say(`  ${one.name}`)
        cases.push(await runCase(one, options))
      }
    } finally {
      await prepared.close()
    }
    say(`  took ${((performance.now() - begun) / 1_000).toFixed(0)} s`)
    return result
  } catch (error) {
    say(`\nFAILED, ${name}: ${sentenceOf(error)}\n`)
    return { ...result, failure: sentenceOf(error) }
  } finally {
    process.removeListener('exit', remove)
    await endChildren()
    await rm(folder, { recursive: true, force: true })
  }
}

function describeMachine(names: readonly string[]): Environment {
  return {
    date: new Date().toISOString().slice(0, 10),
    command: ['npm run bench', ...names].join(' '),
    node: process.version,
    cores: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown processor',
    kernel: `${type()} ${release()}`,
    nginx: nginxVersion() ?? 'no nginx',
  }
}

/** Never overwrites an earlier run, so that losses stay on record. */
async function write(folder: string, file: string, markdown: string, json: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  let name = file
  for (let count = 2; existsSync(path.join(folder, `${name}.md`)); count += 1) name = `${file}-${count}`
  await writeFile(path.join(folder, `${name}.md`), markdown)
  await writeFile(path.join(folder, `${name}.json`), json)
  return name
}

async function main(): Promise<number> {
  const { names, options, isGate, results, base } = readArguments()
  const paths = await loadPaths(names)
  const found: PathResult[] = []
  for (const bench of paths) found.push(await runPath(bench, options, base))
  const rows = rowsOf(found)
  process.stdout.write(`\n${screenTable(rows)}`)
  for (const { name, notes } of found) for (const note of notes) process.stdout.write(`${name}: ${note}\n`)
  if (options.isQuick)
    process.stdout.write('\nThis was a try of one short slice each: it proves NOTHING about speed.\n')
  const environment = describeMachine(names)
  // Quick runs are stored only on request, as in the tests.
  if (results !== undefined || !options.isQuick) {
    const folder = results ?? path.join(import.meta.dirname, 'results')
    const file = [environment.date, ...names].join('-')
    const written = await write(folder, file, markdownOf(environment, found), jsonOf(environment, found))
    process.stdout.write(`\nWritten to ${path.join(path.relative('.', folder), written)}.md and .json.\n`)
  }
  if (found.some(({ failure }) => failure !== undefined)) return 1
  return isGate && rows.some(({ verdict }) => verdict === 'NOT MET') ? 1 : 0
}

/** Servers first, since they would still write to the folders that are removed on exit. */
async function stop(): Promise<void> {
  await endChildren()
  process.exit(130)
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
try {
  // Exit immediately: handles left open by a version given with --base are not ours to close.
  process.exit(await main())
} catch (error) {
  say(`${sentenceOf(error)}\n${usage}`)
  process.exitCode = 2
}
