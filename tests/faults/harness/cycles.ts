// Repeatedly crashes a loaded server, restarts it, and checks that nothing acknowledged is lost.
import { setTimeout as pause } from 'node:timers/promises'
import { tokenOf } from './installation.ts'
import { startLoad, type Acknowledged } from './load.ts'
import { startServer, until, type Server } from './server.ts'
import { findLost, findProblems, repeatedIds } from './verify.ts'

export interface CycleOptions {
  readonly cycles: number
  /** Approximate number of uploads to acknowledge. */
  readonly uploads: number
  readonly clients?: number
  /** Node arguments of a faulty variant, which gets the load. The real server is restarted afterwards. */
  readonly program?: readonly string[]
  /** Stops once a faulty variant has been detected. */
  readonly stopAtLoss?: boolean
}

export interface Struck {
  readonly dataDir: string
  /** The client's credentials from prepare(). */
  readonly authorization: string
  /**
   * Ends the process in the tested way.
   * @returns the time before which responses count.
   */
  readonly strike: (server: Server) => Promise<number>
  /** Runs before the restart. */
  readonly recover?: () => Promise<void>
}

export interface CycleReport {
  readonly strikes: number
  /** Acknowledged before the crash of its cycle. */
  readonly acknowledged: number
  /** Acknowledged during the crash; not counted. */
  readonly tooLate: number
  /** Uploads without a response. */
  readonly unanswered: number
  /** A sentence for each acknowledged upload that is lost or changed. */
  readonly lost: readonly string[]
  readonly repeatedIds: number
  /** Restarts after which `waymark check` found nothing. */
  readonly goodRestarts: number
  readonly problems: readonly string[]
}

const maxLoadMs = 300_000
/** Longer than an upload, so that crashes hit each of its steps. */
const jitterMs = 50

/** Stops the server at the end. */
export async function runCycles(options: CycleOptions, struck: Struck): Promise<CycleReport> {
  const { cycles, uploads, clients = 16, program, stopAtLoss = false } = options
  const { dataDir, authorization } = struck
  const all: Acknowledged[] = []
  const lost = new Set<string>()
  const problems = new Set<string>()
  let [seed, strikes, goodRestarts, tooLate, unanswered] = [1, 0, 0, 0, 0]
  let server: Server | undefined

  /**
   * Runs the load until a crash.
   * @returns what was acknowledged before.
   */
  async function strikeOnce(running: Server): Promise<Acknowledged[]> {
    const token = await tokenOf(running.url, authorization)
    const load = startLoad({ url: running.url, token, clients, firstSeed: seed })
    // Varies the amount, so that crashes come early and late in the life of a process.
    const share = Math.ceil((uploads / cycles) * (0.5 + Math.random()))
    await until(() => load.acknowledged.length >= share, `${share} acknowledged uploads`, maxLoadMs)
    await pause(Math.random() * jitterMs)
    const countedUntil = await struck.strike(running)
    await load.stop()
    seed += load.used()
    unanswered += load.others.get(0) ?? 0
    const inTime = load.acknowledged.filter(({ answeredAt }) => answeredAt < countedUntil)
    tooLate += load.acknowledged.length - inTime.length
    strikes += 1
    return inTime
  }

  async function look(running: Server, acknowledged: readonly Acknowledged[]): Promise<void> {
    const token = await tokenOf(running.url, authorization)
    for (const fault of await findLost({ dataDir, url: running.url, token }, acknowledged)) lost.add(fault)
  }

  try {
    server = await startServer({ dataDir })
    const isEnough = (): boolean => strikes >= cycles || (stopAtLoss && lost.size > 0)
    while (!isEnough()) {
      if (program) {
        await server.end('SIGTERM')
        server = await startServer({ dataDir, program })
      }
      const acknowledged = await strikeOnce(server)
      await struck.recover?.()
      server = await startServer({ dataDir })
      await look(server, acknowledged)
      all.push(...acknowledged)
      const found = await findProblems(dataDir)
      if (found.length === 0) goodRestarts += 1
      for (const problem of found) problems.add(problem)
    }
    await look(server, all) // a later crash must not lose earlier uploads either
  } finally {
    await server?.end('SIGKILL')
  }
  return {
    strikes,
    acknowledged: all.length,
    tooLate,
    unanswered,
    lost: [...lost],
    repeatedIds: repeatedIds(all).length,
    goodRestarts,
    problems: [...problems],
  }
}
