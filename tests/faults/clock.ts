// A wall clock that jumps during uploads (trust 12). By hand: node tests/faults/clock.ts --rounds 20
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { prepare, requestToken, tokenOf, trailId } from './harness/installation.ts'
import { createJumpingClock, day, year, type JumpingClock } from './harness/jumping-clock.ts'
import { startLoad, upload, type Acknowledged, type Load } from './harness/load.ts'
import { sha256Of, smallPng } from './harness/pictures.ts'
import { whyNoPreload } from './harness/preload.ts'
import { startServer, until, type Server } from './harness/server.ts'
import { count, finish, say, summaryOf } from './harness/summary.ts'
import { findLost, findProblemsInStore, repeatedIds } from './harness/verify.ts'

export interface ClockOptions {
  readonly folder: string
  /** Clock offsets, applied one after another under load. */
  readonly jumps: readonly number[]
  readonly program?: readonly string[]
}

export interface ClockReport {
  readonly jumps: number
  readonly acknowledged: number
  /** Responses other than 201, by status. */
  readonly others: ReadonlyMap<number, number>
  /** Maximum CPU time in an idle second after a jump. */
  readonly idleCpuMs: number
  readonly faults: readonly string[]
}

const lifeSeconds = 15 * 60
/** Tolerated clock difference in seconds (auth/access-tokens.ts). */
const clocksDifferBy = 60
const uploadsPerJump = 4
/** A server that uses more CPU when idle is busy with expired timers. */
const maxIdleCpuMs = 500

/** CPU time used by a process. */
async function cpuMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10 // always in hundredths of a second
}

const list = (url: string, token: string, address: string) =>
  fetch(`${url}${address}`, { headers: { authorization: `Bearer ${token}` } })

export async function runClockJumps({ folder, jumps, program }: ClockOptions): Promise<ClockReport> {
  const dataDir = path.join(folder, 'data')
  const authorization = await prepare(dataDir)
  const clock: JumpingClock = createJumpingClock(folder)
  const faults = new Set<string>()
  const ordered: Acknowledged[] = []
  const all: Acknowledged[] = []
  const others = new Map<number, number>()
  /** Tokens with the clock offset at their issue. */
  const tokens: { readonly token: string; readonly issuedAhead: number; readonly issuedAt: number }[] = []
  let [seed, ahead, idleCpuMs] = [1, 0, 0]
  let token = ''
  const start = () => startServer({ dataDir, settings: clock.settings, ...(program && { program }) })
  let server: Server = await start()

  async function renewToken(): Promise<void> {
    token = await tokenOf(server.url, authorization)
    tokens.push({ token, issuedAhead: ahead, issuedAt: performance.now() })
  }

  /**
   * A token must be refused if the current clock says it is expired or issued in the future. Of the others, the newest
   * must work; older ones may have been deleted while the clock was ahead.
   */
  async function judgeTokens(): Promise<void> {
    for (const { token: old, issuedAhead, issuedAt } of tokens) {
      const age = ahead - issuedAhead + (performance.now() - issuedAt) / 1_000
      const isAlive = age > -clocksDifferBy && age < lifeSeconds
      const { status } = await list(server.url, old, `/v2/images?limit=1`)
      const isRight = isAlive ? status === 200 || (status === 401 && old !== token) : status === 401
      if (!isRight) faults.add(`a token ${Math.round(age)} s old on the clock of now was answered ${status}`)
    }
  }

  /** Sequential uploads, so that their order is known. */
  async function uploadInOrder(): Promise<void> {
    for (let number = 0; number < uploadsPerJump; number += 1) {
      const bytes = smallPng(1_000_000 + seed)
      seed += 1
      const { status, body } = await upload({ url: server.url, token, bytes })
      if (status !== 201) faults.add(`an upload after a jump was answered ${status}`)
      const one = { imageId: Number(body), sha256: sha256Of(bytes), seed, answeredAt: performance.now() }
      if (status === 201) ordered.push(one)
    }
  }

  async function judgeIdle(): Promise<void> {
    const before = await cpuMsOf(server.pid)
    await pause(1_000)
    const spent = (await cpuMsOf(server.pid)) - before
    idleCpuMs = Math.max(idleCpuMs, spent)
    if (spent > maxIdleCpuMs) faults.add(`an idle second after a jump took ${spent} ms of processor time`)
  }

  async function endLoad(load: Load): Promise<void> {
    await load.stop()
    seed += load.used()
    all.push(...load.acknowledged)
    for (const [status, times] of load.others) others.set(status, (others.get(status) ?? 0) + times)
  }

  const startOwnLoad = (): Load =>
    startLoad({ url: server.url, token: () => token, clients: 4, firstSeed: seed })

  async function jump(to: number): Promise<void> {
    const load = startOwnLoad()
    await until(() => load.acknowledged.length >= 2, 'the load to run')
    ahead = to
    clock.set(to)
    await renewToken()
    const before = load.acknowledged.length
    await until(() => load.acknowledged.length >= before + 4, 'the load to go on after the jump')
    await endLoad(load)
    await judgeTokens()
    await uploadInOrder()
    await judgeIdle()
    const ready = await fetch(`${server.url}/health/ready`)
    if (!ready.ok) faults.add(`not ready after a jump: ${ready.status}`)
  }

  /** A start at which every blob looks old, with garbage collection and uploads at the same time. */
  async function restart(): Promise<void> {
    await server.end('SIGKILL')
    server = await start()
    const load = startOwnLoad()
    await until(() => load.acknowledged.length >= 8, 'the load beside the sweep')
    await until(() => server.progress.hasSwept, 'the sweep')
    await endLoad(load)
  }

  /** The classic list is in upload order, whatever the clock said. */
  async function judgeOrder(): Promise<void> {
    for (const { imageId } of ordered) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = '{"decision":"approve"}'
      const init = { method: 'POST', headers, body }
      const { status } = await fetch(`${server.url}/v2/images/${imageId}/review`, init)
      if (status !== 200) faults.add(`a review was answered ${status}`)
    }
    const answer = await list(server.url, token, `/Trails/${trailId}/Images`)
    const text = await answer.text()
    const ids = [...text.matchAll(/"imageID":"?(\d+)/g)].map(([, id]) => Number(id))
    const right = ordered.map(({ imageId }) => imageId)
    if (JSON.stringify(ids) !== JSON.stringify(right))
      faults.add(`the list is not in upload order: ${text.slice(0, 200)}`)
  }

  try {
    await renewToken()
    await uploadInOrder()
    for (const [number, to] of jumps.entries()) {
      await jump(to)
      if (number % 2 === 0) await restart()
    }
    await judgeOrder()
    all.push(...ordered)
    if (repeatedIds(all).length > 0) faults.add(`ids were given twice: ${repeatedIds(all).join(', ')}`)
    for (const lost of await findLost({ dataDir, url: server.url, token }, all)) faults.add(lost)
    for (const status of others.keys())
      if (![401, 503].includes(status)) faults.add(`the load was answered ${status}`)
    if (/"level":[56]0/.test(server.said.stdout)) faults.add('the log tells of an error')
    await server.end('SIGKILL')
    for (const problem of await findProblemsInStore(dataDir)) faults.add(problem)
  } finally {
    await server.end('SIGKILL')
    clock.close()
  }
  return { jumps: jumps.length, acknowledged: all.length, others, idleCpuMs, faults: [...faults] }
}

/** A client that reached the limit waits for at most one window, however the clock jumps. */
export async function findLimitFaults(folder: string): Promise<string[]> {
  const dataDir = path.join(folder, 'limited')
  const authorization = await prepare(dataDir)
  const clock = createJumpingClock(folder)
  const settings = { ...clock.settings, RATE_LIMIT_FACTOR: '1', RATE_TOKEN: '3' }
  const server = await startServer({ dataDir, settings })
  const faults: string[] = []
  const ask = () => requestToken(server.url, authorization)
  try {
    for (const to of [0, -day, year]) {
      clock.set(to)
      let answer = await ask()
      for (let tries = 0; answer.status === 200 && tries < 10; tries += 1) answer = await ask()
      const wait = Number(answer.headers.get('retry-after'))
      if (answer.status !== 429)
        faults.push(`with the clock ${to} s ahead the limit is not met: ${answer.status}`)
      if (!(wait >= 1 && wait <= 60)) faults.push(`with the clock ${to} s ahead Retry-After is ${wait}`)
    }
  } finally {
    await server.end('SIGKILL')
    clock.close()
  }
  return faults
}

/** Forwards and back, by years, days and seconds. */
export const someJumps = [year, -day, 0]
const manyJumps = [year, -day, 2, 0, -1, 10 * year, 0, -year, day]

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } })
  const reason = whyNoPreload()
  if (reason !== false) {
    say([`no clock is set here: ${reason}`])
    return
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-clock-'))
  const begun = performance.now()
  try {
    const jumps = Array.from({ length: Number(values.rounds) }, () => manyJumps).flat()
    const report = await runClockJumps({ folder, jumps })
    const limits = await findLimitFaults(folder)
    const lines = summaryOf(
      'a clock that jumps while uploads run: years, a day, seconds, both ways (trust 12)',
      {
        jumps: count(report.jumps),
        'uploads acknowledged, none lost, no id twice': count(report.acknowledged),
        'other answers to the load': [...report.others]
          .map(([status, times]) => `${status} × ${times}`)
          .join(', '),
        'processor time of an idle second, at most': `${report.idleCpuMs} ms`,
      },
    )
    await finish({ lines, faults: [...report.faults, ...limits], folder, begun })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) await main()
