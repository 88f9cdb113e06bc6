// The output of `waymark upload`: a progress bar in a terminal, a line per file otherwise, and at the end what was
// not uploaded.
import { progress } from '@clack/prompts'
import { counted, printable, sized, type Output } from '../output.ts'
import type { Outcome } from './upload-report.ts'

const phrases: Readonly<Record<Outcome['status'], string>> = {
  sent: 'uploaded',
  known: 'already uploaded',
  'would-send': 'would be uploaded',
  skipped: 'skipped',
  refused: 'refused',
  'not-sent': 'not uploaded',
}

const statuses = ['sent', 'would-send', 'known', 'skipped', 'refused', 'not-sent'] as const

/** How many of the files that were not reached are named. */
const maxNamed = 10

export function lineOf({ file, status, imageID, reason, checked }: Outcome): string {
  const what = imageID === undefined ? phrases[status] : `${phrases[status]} as image ${imageID}`
  const doubt =
    checked === false && reason === undefined ? '. Checksum mismatch: the server stored different bytes.' : ''
  return `${file}: ${what}${reason === undefined ? '' : `. ${reason}`}${doubt}`
}

export const isBad = ({ status, checked }: Outcome): boolean => status === 'refused' || checked === false

/** Every file that was refused, with the reason, and the files that were not reached. */
export function troubleLines(outcomes: readonly Outcome[]): string[] {
  const left = outcomes.filter(({ status }) => status === 'not-sent')
  const unnamed = left.length - maxNamed
  return [
    ...outcomes.filter(isBad).map(lineOf),
    ...left.slice(0, maxNamed).map(lineOf),
    ...(unnamed > 0 ? [`… and ${counted(unnamed, 'more file')} not uploaded.`] : []),
  ]
}

export function summaryOf(outcomes: readonly Outcome[]): string {
  const counts = statuses.flatMap((status) => {
    const count = outcomes.filter((outcome) => outcome.status === status).length
    return count === 0 ? [] : [`${count} ${phrases[status]}`]
  })
  const bytes = outcomes.reduce((sum, { status, bytes = 0 }) => sum + (status === 'sent' ? bytes : 0), 0)
  const size = bytes > 0 ? `, ${sized(bytes)}` : ''
  return `${counted(outcomes.length, 'file')}: ${counts.join(', ') || 'none'}${size}`
}

export interface ReporterOptions {
  readonly files: number
  readonly isJson: boolean
  readonly isQuiet: boolean
}

/** A progress bar on a terminal, otherwise a line for each file; with --json, a JSON document for each. */
export function createReporter(output: Output, { files, isJson, isQuiet }: ReporterOptions) {
  const isWatched = process.stderr.isTTY && !isJson && !isQuiet
  const bar = isWatched ? progress({ max: files, output: process.stderr }) : undefined
  let bytes = 0
  let done = 0
  const state = (): string => `${done} of ${counted(files, 'file')}, ${sized(bytes)} sent`
  bar?.start(state())
  return {
    bytes: (more: number): void => {
      bytes += more
      bar?.message(state())
    },
    outcome: (outcome: Outcome): void => {
      done += 1
      bar?.advance(1, state())
      if (isJson) output.line(outcome)
      else if (!isWatched && !isQuiet) output.remark(lineOf(outcome))
    },
    wait: (seconds: number, why: string): void => {
      const sentence = `${why} Waiting ${counted(seconds, 'second')}…`
      if (bar) bar.message(`${state()}. ${printable(sentence)}`)
      else if (!isJson && !isQuiet) output.remark(sentence)
    },
    end: (): void => bar?.stop(state()),
  }
}
