// waymark review: the queue, and decisions on it, interactively one by one or by ID for scripts.
import { isCancel, select, text } from '@clack/prompts'
import type { Command } from 'commander'
import { isWaymarkProblem, type QueueItem, type ReviewReason, type Waymark } from '../../client/client.ts'
import { wrongUsage } from '../failures.ts'
import { canonicalId, idOption } from '../options.ts'
import { counted, printable, table, type Output } from '../output.ts'
import { urlOption, withServer, type RemoteOptions } from '../remote/connection.ts'

interface Options extends RemoteOptions {
  readonly trail?: number
  readonly reason?: string
  readonly note?: string
}

const decisions = ['approve', 'reject', 'remove', 'restore', 'reopen'] as const
type Decision = (typeof decisions)[number]

const flagsOf = ({ queue }: QueueItem): string => queue.flags.map(({ code }) => code).join(' ')

function requireDecision(word: string): Decision {
  const found = decisions.find((decision) => decision === word)
  if (!found) throw wrongUsage(`Unknown decision '${word}'; use ${decisions.join(', ')}.`)
  return found
}

function requireIds(words: readonly string[]): number[] {
  return words.map((word) => {
    const id = canonicalId(word)
    if (id === undefined) throw wrongUsage(`'${word}' is not an imageID.`)
    return id
  })
}

/** Local time of the photo, to the minute. */
const takenOf = ({ takenAt }: QueueItem): string => takenAt?.slice(0, 16).replace('T', ' ') ?? ''

async function listQueue(waymark: Waymark, { trail }: Options, output: Output): Promise<void> {
  const items: QueueItem[] = []
  for await (const item of waymark.review.queue.each(trail === undefined ? {} : { trailID: trail }))
    items.push(item)
  const rows = items.map((item) => [
    String(item.imageID),
    item.queue.why.join(' '),
    item.trailName,
    item.displayName,
    takenOf(item),
    item.title,
    flagsOf(item),
  ])
  output.answer({
    document: { items },
    lines: [
      ...(rows.length > 0
        ? table([['IMAGEID', 'WHY', 'TRAIL', 'BY', 'TAKEN', 'TITLE', 'FLAGS'], ...rows])
        : []),
      `${counted(items.length, 'photo')} in the queue.`,
    ],
  })
}

async function decide(
  waymark: Waymark,
  word: string,
  ids: readonly string[],
  options: Options,
  output: Output,
) {
  const decision = requireDecision(word)
  const { reason, note } = options
  const { results } = await waymark.review.bulk({
    ids: requireIds(ids),
    decision,
    ...(reason !== undefined && { reason }),
    ...(note !== undefined && { note }),
  })
  const refused = results.filter((result) => 'problem' in result && result.problem !== undefined)
  output.answer({
    document: { results },
    lines: results.map((result) =>
      'status' in result && result.status !== undefined
        ? `${result.imageID}: ${result.status}`
        : `${result.imageID}: refused. ${'problem' in result ? (result.problem?.detail ?? result.problem?.title ?? '') : ''}`,
    ),
    exitCode: refused.length > 0 ? 2 : 0,
  })
}

type Choice = 'approve' | 'reject' | 'skip' | 'quit'

async function ask(item: QueueItem): Promise<Choice> {
  const { title, caption, trailName, displayName, imageID, takenAt, urls } = item
  const taken = takenAt === null ? '' : `Taken ${takenOf(item)}`
  const facts = [`${trailName}, by ${displayName}`, caption, taken, flagsOf(item), urls['640']]
  const choice = await select<Choice>({
    message: [title || `Photo ${imageID}`, ...facts.filter((fact) => fact !== '')].map(printable).join('\n'),
    options: [
      { value: 'approve', label: 'Approve' },
      { value: 'reject', label: 'Reject' },
      { value: 'skip', label: 'Skip' },
      { value: 'quit', label: 'Stop here' },
    ],
  })
  return isCancel(choice) ? 'quit' : choice
}

/** @returns undefined if the reviewer cancelled. */
async function askReason(reasons: readonly ReviewReason[]) {
  const fitting = reasons.filter(({ decisions: fits }) => fits.includes('reject'))
  const reason = await select({
    message: 'Why?',
    options: [
      ...fitting.map(({ code, label }) => ({ value: code, label: printable(label) })),
      { value: '', label: 'No reason' },
    ],
  })
  if (isCancel(reason)) return undefined
  const note = await text({ message: 'A note for the history', placeholder: 'none' })
  if (isCancel(note)) return undefined
  return { ...(reason !== '' && { reason }), ...(note !== undefined && note !== '' && { note }) }
}

async function walkQueue(waymark: Waymark, { trail }: Options, output: Output): Promise<void> {
  const reasons = await waymark.review.reasons()
  const done = { approved: 0, rejected: 0, skipped: 0 }
  for await (const item of waymark.review.queue.each(trail === undefined ? {} : { trailID: trail })) {
    const choice = await ask(item)
    if (choice === 'quit') break
    const why = choice === 'reject' ? await askReason(reasons) : {}
    if (choice === 'skip' || why === undefined) {
      done.skipped += 1
      continue
    }
    try {
      await waymark.review.decide(item.imageID, { decision: choice, ...why })
      done[choice === 'approve' ? 'approved' : 'rejected'] += 1
    } catch (error) {
      if (!isWaymarkProblem(error) || error.status !== 409) throw error
      output.remark(error.detail ?? error.title) // another reviewer was faster: continue with the next
    }
  }
  output.answer({
    document: done,
    lines: [`${done.approved} approved, ${done.rejected} rejected, ${done.skipped} skipped.`],
  })
}

export function addReview(parent: Command, output: Output): void {
  parent
    .command('review')
    .description('review photos: one by one in a terminal, or those given by ID')
    .argument('[decision]', `${decisions.join(', ')}; lists the queue if omitted`)
    .argument('[imageIDs...]', 'the photos')
    .option('--trail <trailID>', 'only photos of this trail', idOption('--trail'))
    .option('--reason <code>', 'reason code')
    .option('--note <text>', 'note for the history')
    .option(...urlOption)
    .action((word: string | undefined, ids: string[], options: Options) =>
      withServer(options, async (waymark) => {
        if (word !== undefined && ids.length === 0) throw wrongUsage('Give the imageIDs of the photos.')
        if (word !== undefined) return decide(waymark, word, ids, options, output)
        const isJson = parent.opts<{ json?: boolean }>().json === true
        const isWatched = process.stdin.isTTY && process.stdout.isTTY && !isJson
        return isWatched ? walkQueue(waymark, options, output) : listQueue(waymark, options, output)
      }),
    )
}
