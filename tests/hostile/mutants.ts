// Damaged images sent to a real server (trust 23). By hand: node tests/hostile/mutants.ts --count 50000 --seed 1
import { readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { imageSizes } from '../../src/shared/image-sizes.ts'
import { imageFormatOf } from '../../src/shared/formats/image-formats.ts'
import { count as counted, finish, summaryOf } from '../faults/harness/summary.ts'
import { openPicture } from '../helpers/pictures.ts'
import { makeMutants, type Mutant } from './mutations.ts'
import { canary, makeSeeds, type Seed } from './seeds.ts'
import { processesOf, startService, watchMemory, type Memory, type Service } from './service.ts'
import { uncodedOf } from './uncoded.ts'

export interface MutantOptions {
  readonly count: number
  readonly seed: number
  /** Uploads at once. */
  readonly clients?: number
  /** Called from time to time with the number sent. */
  readonly progress?: (sent: number) => void
}

export interface MutantReport {
  readonly seeds: number
  readonly sent: number
  /** Status to how many. */
  readonly statuses: ReadonlyMap<number, number>
  readonly slowest: { readonly milliseconds: number; readonly name: string }
  /** Views of accepted mutants that were requested and decoded. */
  readonly views: number
  readonly memory: Memory
  /** Violations, one sentence each. */
  readonly faults: readonly string[]
}

const corpus = path.resolve(import.meta.dirname, '../../../shared/corpus')
const corpusFolders = ['pngsuite', 'gif', 'jpeg-bad', 'orientation', 'gps', 'bmp/g', 'bmp/b']
/** Larger files would slow down the run without covering other code. */
const maxCorpusBytes = 60_000
const maxMilliseconds = 2_000

/** The small files of the shared corpus, if available. */
async function corpusSeeds(): Promise<Seed[]> {
  const seeds: Seed[] = []
  for (const folder of corpusFolders) {
    const names = await readdir(path.join(corpus, folder)).catch((): string[] => [])
    for (const name of names.toSorted()) {
      const bytes = await readFile(path.join(corpus, folder, name))
      const type = imageFormatOf(bytes)
      if (type !== undefined && bytes.length <= maxCorpusBytes)
        seeds.push({ name: `${folder}/${name}`, type, bytes })
    }
  }
  return seeds
}

/** What is wrong with one served size, if anything. */
async function judgeView(service: Service, imageId: number, size: string): Promise<string | undefined> {
  const answer = await service.view(imageId, size)
  if (answer.status !== 200) return `size ${size} answers ${answer.status}`
  const bytes = Buffer.from(await answer.arrayBuffer())
  const type = imageFormatOf(bytes)
  if (type === undefined || answer.headers.get('content-type') !== `image/${type}`)
    return `size ${size} is no ${type}`
  const isPrivate = size === 'lg' ? uncodedOf(bytes, type).includes(canary) : bytes.includes(canary)
  if (isPrivate) return `size ${size} tells private words`
  if (type === 'bmp') return undefined
  const decoded = openPicture(bytes, {
    failOn: size === 'lg' ? 'none' : 'error',
    pages: -1,
    limitInputPixels: false,
  })
  return decoded.stats().then(
    () => undefined,
    (error: unknown) => `size ${size} does not decode: ${String(error)}`,
  )
}

/** Sends the mutants to its own server and checks every response. */
export async function runMutants({
  count,
  seed,
  clients = 2,
  progress,
}: MutantOptions): Promise<MutantReport> {
  const seeds = [...(await makeSeeds()), ...(await corpusSeeds())]
  const service = await startService({ settings: { IMAGE_QUEUE: String(clients) } })
  const statuses = new Map<number, number>()
  const faults: string[] = []
  let slowest = { milliseconds: 0, name: '' }
  let [sent, views] = [0, 0]

  async function tryOne({ name, bytes }: Mutant): Promise<void> {
    if (bytes.length === 0) return
    const { status, text, milliseconds: first } = await service.post(bytes)
    // A slow one is tried again, in case the machine was busy.
    const isSlow = first > maxMilliseconds
    const second = isSlow ? (await service.post(Buffer.concat([bytes, Buffer.of(0)]))).milliseconds : first
    const milliseconds = Math.min(first, second)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (milliseconds > slowest.milliseconds) slowest = { milliseconds, name }
    if (milliseconds > maxMilliseconds) faults.push(`${name}: took ${Math.round(milliseconds)} ms`)
    if (![200, 201, 415, 422].includes(status)) faults.push(`${name}: ${status} ${text}`)
    if (text.includes('could not be processed')) faults.push(`${name}: tripped our own code or the decoder`)
    if (status !== 201) return
    for (const size of imageSizes) {
      const fault = await judgeView(service, Number(text), size)
      if (fault !== undefined)
        faults.push(`${name}: ${fault}; as base64 ${bytes.toString('base64').slice(0, 8_000)}`)
      views += 1
    }
  }

  const maxSeen = watchMemory(service.server.pid, 250)
  try {
    const mutants = makeMutants(seeds, count, seed)
    const client = async (): Promise<void> => {
      for (const mutant of mutants) {
        await tryOne(mutant).catch((error: unknown) => faults.push(`${mutant.name}: ${String(error)}`))
        sent += 1
        if (sent % 1_000 === 0) progress?.(sent)
        if (!service.server.isRunning()) return
      }
    }
    await Promise.all(Array.from({ length: clients }, client))
    if (!service.server.isRunning() || processesOf(service.server.pid).length === 0)
      faults.push('the server died')
    // The server explains refusals itself; anything it logs as an error is a fault.
    if (/"level":(50|60)/.test(service.server.said.stdout)) faults.push('the server logged an error')
    return { seeds: seeds.length, sent, statuses, slowest, views, memory: maxSeen(), faults }
  } finally {
    maxSeen()
    await service.end()
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { count: { type: 'string', default: '50000' }, seed: { type: 'string', default: '1' } },
  })
  const begun = performance.now()
  const report = await runMutants({
    count: Number(values.count),
    seed: Number(values.seed),
    progress: (sent) => process.stderr.write(`${sent}\r`),
  })
  const statuses = [...report.statuses].toSorted(([one], [other]) => one - other)
  const lines = summaryOf(`damaged images, from random seed ${values.seed} (trust 23)`, {
    'images that were damaged': counted(report.seeds),
    'mutants sent': counted(report.sent),
    ...Object.fromEntries(statuses.map(([status, times]) => [`answered ${status}`, counted(times)])),
    'sizes of taken mutants fetched and decoded': counted(report.views),
    'slowest answer': `${Math.round(report.slowest.milliseconds)} ms (${report.slowest.name})`,
    'most memory, server and its workers': `${Math.round(report.memory.resident)} MB resident, ${Math.round(report.memory.proportional)} MB with shared pages counted once`,
  })
  await finish({ lines, faults: report.faults, folder: tmpdir(), begun })
}

if (import.meta.main) await main()
