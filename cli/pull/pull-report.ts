// The result of a pull: counts for people and scripts, and a file with everything that could not be imported.
import { open, rename } from 'node:fs/promises'
import { exitCodes } from '../failures.ts'
import { counted, sized, type Answer } from '../output.ts'
import type { Loss } from './losses.ts'
import { countLosses, type Counted, type CountedImages, type PullCounts } from './pull-context.ts'
import type { PullState } from './pull-state.ts'

/** How many are listed in the output; the file has all of them. */
const maxListed = 100

export interface PullOutcome {
  readonly source: string
  /** Whether originals were requested. */
  readonly hasOriginals: boolean
  readonly isDryRun: boolean
  readonly isResumed: boolean
  readonly requests: number
  readonly counts: PullCounts
  readonly state: PullState
  /** File for the full report. */
  readonly report: string | undefined
}

const showLoss = ({ what, id, trailID, code, why }: Loss) => ({
  what,
  id,
  ...(trailID !== undefined && { trailID }),
  code,
  why,
})

const names: Readonly<Record<Loss['what'], string>> = {
  trail: 'trail',
  image: 'image',
  account: 'account',
  route: 'route',
  routes: 'routes of account',
}

const lineOf = (what: string, { new: made, changed, unchanged }: Counted, isDryRun: boolean): string =>
  `${what}: ${made.toLocaleString('en')} ${isDryRun ? 'would be new' : 'new'}, ${changed.toLocaleString('en')} changed, ${unchanged.toLocaleString('en')} unchanged.`

const formsOf = ({ new: made, originals }: CountedImages, isDryRun: boolean): string =>
  `Of the new images, ${originals.toLocaleString('en')} ${isDryRun ? 'would come' : 'came'} as originals and ${(made - originals).toLocaleString('en')} as size lg.`

async function writeReport(file: string, head: object, state: PullState): Promise<void> {
  const handle = await open(`${file}.part`, 'w', 0o600)
  try {
    await handle.appendFile(`${JSON.stringify(head).slice(0, -1)},"notKept":[`)
    let isFirst = true
    for await (const loss of state.readLosses()) {
      await handle.appendFile(`${isFirst ? '\n' : ',\n'}${JSON.stringify(showLoss(loss))}`)
      isFirst = false
    }
    await handle.appendFile('\n]}\n')
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.part`, file)
}

async function firstLosses(state: PullState): Promise<Loss[]> {
  const first: Loss[] = []
  for await (const loss of state.readLosses()) if (first.push(loss) >= maxListed) break
  return first
}

/** Writes the report file, if requested, and describes the result. */
export async function reportOf(outcome: PullOutcome): Promise<Answer> {
  const { source, hasOriginals, isDryRun, isResumed, requests, counts, state, report } = outcome
  const { trails, accounts, images, routes, bytes } = counts
  const losses = await countLosses(state)
  const head = {
    source,
    dryRun: isDryRun,
    resumed: isResumed,
    requests,
    trails,
    accounts,
    images: { ...images, bytes },
    routes,
    left: losses.left,
    conflicts: losses.conflict,
    notes: losses.note,
  }
  if (report !== undefined) await writeReport(report, head, state)
  const first = await firstLosses(state)
  const all = losses.left + losses.conflict + losses.note
  const more = all - first.length
  const isWhole = losses.left + losses.conflict === 0
  return {
    exitCode: isWhole ? exitCodes.ok : exitCodes.refused,
    document: { ...head, notKept: first.map(showLoss) },
    lines: [
      ...first.map(({ what, id, why }) => `${names[what]} ${id}: ${why}`),
      ...(more > 0
        ? [
            `… and ${more.toLocaleString('en')} more${report === undefined ? ': use --report FILE for all' : ''}.`,
          ]
        : []),
      lineOf('Trails', trails, isDryRun),
      lineOf('Accounts', accounts, isDryRun),
      `${lineOf('Images', images, isDryRun).slice(0, -1)}${bytes > 0 ? `, ${sized(bytes)}` : ''}.`,
      ...(hasOriginals ? [formsOf(images, isDryRun)] : []),
      lineOf('Routes', routes, isDryRun),
      `${counted(losses.left, 'item')} could not be imported, ${counted(losses.conflict, 'conflict')}, ${counted(losses.note, 'note')}.`,
      isDryRun
        ? `Dry run of ${source}: nothing was stored.`
        : `Pulled from ${source} with ${counted(requests, 'request')}.`,
    ],
  }
}
