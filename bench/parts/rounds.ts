// Runs one case: slices of its contenders in rotated order, round by round. Slices disturbed by other processes are
// repeated.
import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Absent, Case, Contender, Goal, Slice } from './bench.ts'
import { measureForeign } from './cpu.ts'
import { figureOf, median } from './statistics.ts'

export interface RoundsOptions {
  /** For cases without a number of their own. */
  readonly rounds: number
  readonly sliceMs: number
  /** Only one short slice each, whatever the case says, to check that everything works. */
  readonly isQuick: boolean
  /** Cores that other processes may use during a slice before it is discarded. */
  readonly maxForeignCores: number
  /** Duration of steady-rate requests for contenders with a goal. */
  readonly pacedMs: number
}

export interface Pacing {
  readonly perSecond: number
  readonly latenciesMs: readonly number[]
}

export interface CaseResult {
  readonly name: string
  readonly goals: readonly Goal[]
  readonly sliceMs: number
  readonly rounds: number
  /** By contender, one per round. */
  readonly slices: ReadonlyMap<string, readonly Slice[]>
  readonly absent: readonly Absent[]
  /** Slices discarded because of other processes, and those accepted in spite of them. */
  readonly discarded: number
  readonly disturbed: number
  /** Milliseconds of a plain durable write in each round, if the case writes to a disk. */
  readonly ddMs: readonly number[]
  /** By contender, for those with goals that support a steady rate. */
  readonly pacings: ReadonlyMap<string, Pacing>
}

const maxPerSecond = 20_000
const run = promisify(execFile)

/** The disk's own time: `dd conv=fsync`. */
async function plainWriteMs({ folder, bytes }: NonNullable<Case['disk']>): Promise<number> {
  const blocks = Math.max(1, Math.round(bytes / 65_536))
  const begun = performance.now()
  const to = `of=${path.join(folder, 'dd')}`
  await run('dd', ['if=/dev/zero', to, 'bs=64k', `count=${blocks}`, 'conv=fsync', 'status=none'])
  return performance.now() - begun
}

const isPresent = (contender: Contender | Absent): contender is Contender => !('absent' in contender)

async function paceOf(
  contender: Contender,
  slices: readonly Slice[],
  pacedMs: number,
): Promise<Pacing | undefined> {
  if (contender.pace === undefined || slices.length === 0) return undefined
  const perSecond = Math.min(maxPerSecond, median(slices.map((slice) => figureOf('rate', slice))) / 2)
  return { perSecond, latenciesMs: await contender.pace(perSecond, pacedMs) }
}

/** @throws Error if a contender ends or responds wrongly. */
export async function runCase(bench: Case, options: RoundsOptions): Promise<CaseResult> {
  const { goals } = bench
  const { rounds, sliceMs } = options.isQuick ? options : { ...options, ...bench }
  const contenders = bench.contenders.filter(isPresent)
  const slices = new Map(contenders.map(({ name }) => [name, [] as Slice[]]))
  const ddMs: number[] = []
  let discarded = 0
  let disturbed = 0
  /** A limit, since on a busy machine the run would never end. */
  let repeatsLeft = Math.ceil((rounds * contenders.length) / 2)

  async function quietSlice(contender: Contender): Promise<Slice> {
    for (;;) {
      const foreign = measureForeign()
      const slice = await contender.slice(sliceMs)
      if (foreign() <= options.maxForeignCores) return slice
      if (repeatsLeft === 0) {
        disturbed += 1
        return slice
      }
      repeatsLeft -= 1
      discarded += 1
    }
  }

  for (let round = 0; round < rounds; round += 1) {
    if (bench.disk) ddMs.push(await plainWriteMs(bench.disk))
    const first = round % Math.max(1, contenders.length)
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)])
      slices.get(contender.name)?.push(await quietSlice(contender))
  }
  const pacings = new Map<string, Pacing>()
  const asked = new Set(goals.map(({ of }) => of))
  for (const contender of contenders.filter(({ name }) => asked.has(name))) {
    const pacing = await paceOf(contender, slices.get(contender.name) ?? [], options.pacedMs)
    if (pacing) pacings.set(contender.name, pacing)
  }
  const absent = bench.contenders.filter((contender): contender is Absent => !isPresent(contender))
  return { name: bench.name, goals, sliceMs, rounds, slices, absent, discarded, disturbed, ddMs, pacings }
}
