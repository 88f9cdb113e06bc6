// Fails every file-system call of a request in turn (trust 4). By hand: node tests/faults/syscalls.ts
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sweepADayLater } from './harness/day-later.ts'
import { createFailingCalls, type FailingCalls, type Failure } from './harness/failing-calls.ts'
import { prepare, tokenOf } from './harness/installation.ts'
import { upload, type Acknowledged, type Answer } from './harness/load.ts'
import { smallPng } from './harness/pictures.ts'
import { whyNoPreload } from './harness/preload.ts'
import {
  detailsRequest,
  listRequest,
  reviewRequest,
  tokenRequest,
  uploadRequest,
  viewRequest,
  type RequestKind,
} from './harness/requests.ts'
import { startServer, type Server } from './harness/server.ts'
import { count, finish, say, summaryOf } from './harness/summary.ts'
import { findLost, findProblemsInStore } from './harness/verify.ts'

/** Exit code after an accepted write was lost. */
const lossExitCode = 2
const lossSentence = 'A write to disk failed after it had been accepted'

export interface SyscallOptions {
  readonly dataDir: string
  /** For the shared control file; outside dataDir. */
  readonly folder: string
  readonly failures: readonly Failure[]
  /** Picks the calls to fail, counted from 1, from those of an undisturbed request. */
  readonly choose: (calls: readonly string[], failure: Failure) => readonly number[]
  readonly program?: readonly string[]
}

export interface SyscallReport {
  readonly attempts: number
  /** Number of responses by request and status, such as `upload 507`. */
  readonly answers: ReadonlyMap<string, number>
  /** Failed calls by kind, such as `rename blobs/kept/original/*`. */
  readonly sites: ReadonlyMap<string, number>
  readonly stops: number
  /** Blobs without an image left by failed uploads, before garbage collection. */
  readonly orphans: number
  readonly acknowledged: number
  readonly faults: readonly string[]
}

/** Random names and hashes are removed, so that a step of the request is recognisable. */
export const siteOf = (call: string): string =>
  call
    .replace(/blobs\/tmp\/.+$/, 'blobs/tmp/*')
    .replace(/\/[0-9a-f]{2}\/[0-9a-f]{64}/, '/*')
    .replace(/removed\.[0-9a-f]{16}/, 'removed')
    .replace(/(original|rendition)\/[0-9a-f]{2}$/, '$1/?')

/** Each step once: the first and the last call of every site. */
export function stepsOf(calls: readonly string[]): number[] {
  const sites = calls.map(siteOf)
  return sites.flatMap((site, at) =>
    sites.indexOf(site) === at || sites.lastIndexOf(site) === at ? [at + 1] : [],
  )
}

/** Checks of one attempt; one sentence for each violation. */
interface Attempt {
  readonly what: string
  readonly answer: Answer | undefined
  readonly failed: string
}

const isReady = ({ url }: Server): Promise<boolean> =>
  fetch(`${url}/health/ready`).then(
    ({ status }) => status === 200,
    () => false,
  )

/** Store files that the process has open; between requests there must be none but its lock. */
async function openBlobFiles(pid: number, dataDir: string): Promise<string[]> {
  const folder = `/proc/${pid}/fd`
  const links = (await readdir(folder)).map((name) => readlink(path.join(folder, name)).catch(() => ''))
  const files = (await Promise.all(links)).filter((file) => file.startsWith(path.join(dataDir, 'blobs')))
  return files.map((file) => path.relative(dataDir, file)).filter((file) => !file.startsWith('blobs/server'))
}

export async function runSyscalls(options: SyscallOptions): Promise<SyscallReport> {
  const { dataDir, folder, failures, choose, program } = options
  const authorization = await prepare(dataDir)
  const calls: FailingCalls = createFailingCalls(dataDir, folder)
  const ledger: Acknowledged[] = []
  const answers = new Map<string, number>()
  const sites = new Map<string, number>()
  const faults = new Set<string>()
  let [attempts, stops, orphans, seed] = [0, 0, 0, 1]
  const start = () => startServer({ dataDir, settings: calls.settings, ...(program && { program }) })
  let server: Server = await start()
  let token = await tokenOf(server.url, authorization)

  /**
   * An upload without faults.
   * @returns its id.
   */
  async function uploadPlainly(): Promise<number> {
    seed += 1
    const answer = await upload({ url: server.url, token, bytes: smallPng(seed) })
    if (answer.status !== 201) faults.add(`an upload with nothing in its way answered ${answer.status}`)
    return Number(answer.body)
  }

  async function requireStop({ what }: Attempt): Promise<void> {
    const { code, signal } = await server.ended
    stops += 1
    if (code !== lossExitCode) faults.add(`${what}: the process ended with ${code ?? signal}`)
    if (!server.said.stderr.includes(lossSentence)) faults.add(`${what}: the end was not explained`)
    server = await start()
    token = await tokenOf(server.url, authorization)
  }

  function judgeAnswer({ what, answer }: Attempt, kind: RequestKind): void {
    const isGood = answer !== undefined && [kind.success, 503, 507].includes(answer.status)
    if (!isGood) faults.add(`${what}: answered ${answer?.status ?? 'nothing'} ${answer?.body.slice(0, 300)}`)
    const key = `${kind.name} ${answer?.status ?? 'nothing'}`
    answers.set(key, (answers.get(key) ?? 0) + 1)
  }

  async function judgeLeftovers({ what, failed }: Attempt): Promise<void> {
    const open = await openBlobFiles(server.pid, dataDir)
    if (open.length > 0) faults.add(`${what}: left open ${siteOf(open.join(', '))}`)
    const temporary = path.join(dataDir, 'blobs', 'tmp')
    const left = await readdir(temporary)
    if (left.length > 0 && !failed.startsWith('unlink'))
      faults.add(`${what}: left ${left.length} temporary files`)
    for (const name of left) await rm(path.join(temporary, name)) // each attempt is checked separately
  }

  async function attempt(kind: RequestKind, nth: number, failure: Failure): Promise<void> {
    calls.arm(nth, failure)
    const answer = await kind.send({ url: server.url, token }).catch(() => undefined)
    const { failed } = calls.disarm()
    if (failed === undefined) {
      // This request had no such call, so it must have succeeded.
      if (answer) await kind.findLie({ url: server.url, token }, answer)
      return
    }
    attempts += 1
    const site = siteOf(failed)
    sites.set(site, (sites.get(site) ?? 0) + 1)
    const one = { what: `${kind.name}, ${failure} at ${site}`, answer, failed }
    judgeAnswer(one, kind)
    const mustStop = failure === 'EIO' && failed.startsWith('fsync')
    // Opening a file only to sync it is part of the sync.
    const isPartOfSync = failure === 'EIO' && /^(open|close) blobs/.test(failed)
    // SQLite does not report why its sync failed.
    const mayStop = mustStop || isPartOfSync || failed.startsWith('fsync waymark.sqlite')
    const isStopping = !(await isReady(server))
    if (isStopping && !mayStop) faults.add(`${one.what}: is no reason to stop`)
    if (mustStop && !isStopping) faults.add(`${one.what}: goes on serving`)
    if (isStopping) await requireStop(one)
    else await judgeLeftovers(one)
    const lie = answer && (await kind.findLie({ url: server.url, token }, answer))
    if (lie !== undefined) faults.add(`${one.what}: ${lie}`)
    if (kind.success === 201 || isStopping) await uploadPlainly()
  }

  async function failAll(kind: RequestKind): Promise<void> {
    for (const failure of failures) {
      calls.arm(0)
      const answer = await kind.send({ url: server.url, token })
      const trace = calls.disarm().calls
      if (answer.status !== kind.success)
        faults.add(`${kind.name}: an undisturbed one answered ${answer.status}`)
      await kind.findLie({ url: server.url, token }, answer)
      for (const nth of choose(trace, failure)) await attempt(kind, nth, failure)
    }
  }

  try {
    const imageId = await uploadPlainly()
    const kinds = [
      uploadRequest(ledger),
      detailsRequest(imageId),
      reviewRequest(imageId),
      tokenRequest(authorization),
      viewRequest(imageId, 'md'),
      viewRequest(imageId, 'lg'),
      listRequest(),
    ]
    for (const kind of kinds) await failAll(kind)
    await server.end('SIGKILL')
    server = await startServer({ dataDir })
    for (const lost of await findLost({ dataDir, url: server.url, token }, ledger)) faults.add(lost)
    await server.end('SIGKILL')
    const later = await sweepADayLater(dataDir)
    orphans = later.left.unreferencedBlobs
    for (const fault of later.faults) faults.add(fault)
    for (const problem of await findProblemsInStore(dataDir)) faults.add(problem)
  } finally {
    await server.end('SIGKILL')
    calls.close()
  }
  return { attempts, answers, sites, stops, orphans, acknowledged: ledger.length, faults: [...faults] }
}

async function main(): Promise<void> {
  const reason = whyNoPreload()
  if (reason !== false) {
    say([`no calls are failed here: ${reason}`])
    return
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'waymark-calls-'))
  const begun = performance.now()
  try {
    const report = await runSyscalls({
      dataDir: path.join(folder, 'data'),
      folder,
      failures: ['EIO', 'ENOSPC', 'EMFILE'],
      choose: (calls) => calls.map((_, at) => at + 1),
    })
    const lines = summaryOf(
      'every file-system call of a request failed in turn: EIO, ENOSPC, EMFILE (trust 4)',
      {
        'calls failed': count(report.attempts),
        'kinds of calls': count(report.sites.size),
        answers: [...report.answers].map(([answer, times]) => `${answer} × ${count(times)}`).join(', '),
        'stops for a lost write': count(report.stops),
        'uploads acknowledged under a fault, all found whole': count(report.acknowledged),
        'blobs left without an image, all swept': count(report.orphans),
        'lies, other answers, other ends': count(report.faults.length),
      },
    )
    const table = [...report.sites].map(([site, times]) => `    ${String(times).padStart(4)}  ${site}`)
    await finish({ lines: [...lines, ...table], faults: report.faults, folder, begun })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) await main()
