// Several servers started on the same data (trust 18). By hand: node tests/faults/double-start.ts --rounds 20
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { launchServer, startServer, type Server, type ServerOptions } from './harness/server.ts'
import { count, finish, summaryOf } from './harness/summary.ts'

export interface DoubleStartOptions {
  /** Empty. */
  readonly folder: string
  readonly rounds: number
  /** Number of servers started at once in each round. */
  readonly atOnce: number
  readonly program?: readonly string[]
}

export interface DoubleStartReport {
  readonly starts: number
  readonly refused: number
  /** Maximum time from the start of the next server, after a kill, until it listened. */
  readonly maxTakeoverMs: number
  readonly faults: readonly string[]
}

/** Contract, part C: refused. */
const refusedCode = 2

export async function runDoubleStarts(options: DoubleStartOptions): Promise<DoubleStartReport> {
  const { folder, rounds, atOnce, program } = options
  const faults: string[] = []
  let [starts, refused, maxTakeoverMs] = [0, 0, 0]
  const started: Server[] = []

  const launch = (server: ServerOptions) => {
    starts += 1
    const launched = launchServer({ ...server, ...(program && { program }) })
    started.push(launched.server)
    return launched
  }

  /** It must exit by itself, with one sentence and the exit code of a refusal. */
  async function requireRefusal(what: string, server: Server): Promise<void> {
    const { code } = await server.ended
    const isOneSentence = /^[A-Z][^\n]+\.\n$/.test(server.said.stderr)
    if (code !== refusedCode) faults.push(`${what} ended with ${code}: ${server.said.stderr}`)
    else if (!isOneSentence) faults.push(`${what} said more or less than one sentence: ${server.said.stderr}`)
    else refused += 1
  }

  /** @returns the server that serves. */
  async function startAtOnce(dataDir: string): Promise<Server | undefined> {
    const launched = Array.from({ length: atOnce }, () => launch({ dataDir }))
    const listens = await Promise.all(launched.map(({ listening }) => listening()))
    const [winner, ...more] = launched.filter((_, at) => listens[at])
    if (!winner || more.length > 0)
      faults.push(`of ${atOnce} servers ${more.length + (winner ? 1 : 0)} serve`)
    for (const [at, { server }] of launched.entries())
      if (!listens[at]) await requireRefusal('a start at the same moment', server)
    return winner?.server
  }

  async function startSecond(what: string, server: ServerOptions): Promise<void> {
    const second = launch(server)
    if (await second.listening()) faults.push(`${what} serves as well`)
    else await requireRefusal(what, second.server)
  }

  async function round(number: number): Promise<void> {
    const dataDir = path.join(folder, `data-${number}`)
    const winner = await startAtOnce(dataDir)
    if (!winner) return
    // With aliases of the same folder, and with only one of the two stores.
    const alias = path.join(folder, `alias-${number}`)
    await symlink(dataDir, alias)
    await startSecond('a second start', { dataDir })
    await startSecond('a second start through a symbolic link', { dataDir: alias })
    const elsewhere = path.join(folder, `elsewhere-${number}`)
    await mkdir(elsewhere)
    const blobs = { BLOB_URL: `file:${path.join(dataDir, 'blobs')}` }
    await startSecond('a start with another database and the same photos', {
      dataDir: elsewhere,
      settings: blobs,
    })
    const database = { DATABASE_URL: `sqlite:${path.join(dataDir, 'waymark.sqlite')}` }
    await startSecond('a start with the same database and other photos', {
      dataDir: elsewhere,
      settings: database,
    })
    if (!(await fetch(`${winner.url}/health/ready`)).ok) faults.push('the first server is no longer ready')

    await winner.end('SIGKILL')
    const killedAt = performance.now()
    const next = await startServer({ dataDir })
    starts += 1
    maxTakeoverMs = Math.max(maxTakeoverMs, Math.round(performance.now() - killedAt))
    await next.end('SIGTERM')
  }

  try {
    for (let number = 1; number <= rounds && faults.length === 0; number += 1) await round(number)
  } finally {
    for (const server of started) await server.end('SIGKILL')
  }
  return { starts, refused, maxTakeoverMs, faults }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '20' }, at: { type: 'string', default: '5' } },
  })
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-double-'))
  const begun = performance.now()
  try {
    const report = await runDoubleStarts({ folder, rounds: Number(values.rounds), atOnce: Number(values.at) })
    const lines = summaryOf('several servers started on the same data (trust 18)', {
      starts: count(report.starts),
      'refused with one sentence and code 2': count(report.refused),
      'longest start after a kill -9 of the one before': `${count(report.maxTakeoverMs)} ms`,
      'more than one serving, or another end': count(report.faults.length),
    })
    await finish({ lines, faults: report.faults, folder, begun })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) await main()
