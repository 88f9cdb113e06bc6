// The output of `waymark verify`: counts per group, each violation in full, and what was skipped and why.
import { exitCodes, type ExitCode } from '../failures.ts'
import { counted, table } from '../output.ts'
import type { Outcome, RunResult } from './run-checks.ts'

export interface ReportOptions {
  readonly baseUrl: string
  /** Differences from Waymark's decisions count as failures. */
  readonly isStrict: boolean
  /** Print every check on its own line. */
  readonly isVerbose: boolean
  /** Credentials, to be masked. */
  readonly secrets: readonly string[]
}

/** Shorter ones would also mask ordinary words. */
const minSecretLength = 8

type Word = 'passed' | 'failed' | 'differs' | 'skipped'

/** Another server may have decided differently from Waymark, which is not a fault. */
const wordOf = ({ verdict, basis }: Outcome): Word =>
  verdict.result === 'failed' && basis === 'decided' ? 'differs' : verdict.result

const isCredential = ({ verdict }: Outcome): boolean =>
  verdict.result === 'failed' && verdict.isCredential === true

function countsOf(outcomes: readonly Outcome[]): Readonly<Record<Word, number>> {
  const counts = { passed: 0, failed: 0, differs: 0, skipped: 0 }
  for (const outcome of outcomes) counts[wordOf(outcome)] += 1
  return counts
}

function exitCodeOf(outcomes: readonly Outcome[], isStrict: boolean): ExitCode {
  if (outcomes.some(isCredential)) return exitCodes.credential
  const { failed, differs } = countsOf(outcomes)
  if (failed > 0 || (isStrict && differs > 0)) return exitCodes.refused
  // If nothing in Part A was checked, there is no result for the server.
  const isSeen = outcomes.some(({ basis, verdict }) => basis === 'given' && verdict.result === 'passed')
  return isSeen ? exitCodes.ok : exitCodes.refused
}

const tellCounts = (outcomes: readonly Outcome[]): string =>
  Object.entries(countsOf(outcomes))
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${word}`)
    .join(', ')

const marks: Readonly<Record<Word, string>> = {
  passed: 'ok',
  failed: 'FAILED',
  differs: 'differs',
  skipped: 'skipped',
}

function rowOf(outcome: Outcome): string[] {
  return [marks[wordOf(outcome)], outcome.about.join(' '), outcome.id, `${outcome.title}.`]
}

/** Table rows with the details of each below it, aligned with the title. */
function breachLines(outcomes: readonly Outcome[]): string[] {
  const rows = table(outcomes.map((outcome) => rowOf(outcome)))
  return outcomes.flatMap(({ verdict, title }, at) => {
    const row = rows[at] ?? ''
    const indent = ' '.repeat(Math.max(row.length - title.length - 1, 0))
    if (verdict.result !== 'failed') return [row]
    return [row, `${indent}${verdict.asked}:`, `${indent}${verdict.seen}.`]
  })
}

function skippedLines(outcomes: readonly Outcome[]): string[] {
  const reasons = new Map<string, number>()
  for (const { verdict } of outcomes)
    if (verdict.result === 'skipped') reasons.set(verdict.why, (reasons.get(verdict.why) ?? 0) + 1)
  return reasons.size === 0
    ? []
    : [
        '',
        'Not checked:',
        ...table([...reasons].map(([why, count]) => [`  ${String(count).padStart(3)}`, why])),
      ]
}

function groupLines(outcomes: readonly Outcome[]): string[] {
  const seen = outcomes.filter(({ verdict }) => verdict.result !== 'skipped')
  const groups = [...new Set(seen.map(({ group }) => group))]
  return table(
    groups.map((group) => [group, tellCounts(outcomes.filter((outcome) => outcome.group === group))]),
  )
}

function leftLines({ left, troubles }: RunResult): string[] {
  return [
    ...troubles.map((trouble) => `Cleanup failed: ${trouble}`),
    ...(left.routes.length > 0 ? [`Left on the server; delete: ${tellIds('route', left.routes)}.`] : []),
    ...(left.images.length > 0
      ? [`Left on the server; have a reviewer reject: ${tellIds('pending image', left.images)}.`]
      : []),
  ]
}

const tellIds = (word: string, ids: readonly string[]): string =>
  `${word}${ids.length === 1 ? '' : 's'} ${ids.join(', ')}`

function conclusionOf(outcomes: readonly Outcome[], { isStrict, baseUrl }: ReportOptions): string {
  const { failed, differs } = countsOf(outcomes)
  const counts = `${counted(outcomes.length, 'check')}: ${tellCounts(outcomes)}.`
  if (outcomes.some(isCredential))
    return `${counts} A credential was refused, so this says little about ${baseUrl}.`
  if (failed > 0) return `${counts} ${baseUrl} violates the contract.`
  if (exitCodeOf(outcomes, false) !== exitCodes.ok)
    return `${counts} Nothing specified by the contract could be checked.`
  const others =
    differs > 0 ? ' Differences are choices that Part A leaves open and Waymark made otherwise.' : ''
  return `${counts} No violation of the contract was found.${isStrict && differs > 0 ? ' --strict counts the differences.' : others}`
}

export function reportOf(result: RunResult, options: ReportOptions) {
  const { outcomes, left, troubles } = result
  const kept = options.secrets
    .filter(({ length }) => length >= minSecretLength)
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
  const safe = (text: string): string => kept.reduce((line, secret) => line.replaceAll(secret, '…'), text)
  const breaches = outcomes.filter(({ verdict }) => verdict.result === 'failed')
  const details = breachLines(options.isVerbose ? outcomes : breaches)
  const lines = [
    ...groupLines(outcomes),
    ...(details.length > 0 ? ['', ...details] : []),
    ...skippedLines(outcomes),
    '',
    ...leftLines(result),
    conclusionOf(outcomes, options),
  ]
  const exitCode = exitCodeOf(outcomes, options.isStrict)
  const checks = outcomes.map((outcome) => {
    const { id, about, title, group, basis, verdict } = outcome
    const { result: _, ...more } = verdict
    const fields = Object.entries(more).map(([name, value]) => [
      name,
      typeof value === 'string' ? safe(value) : value,
    ])
    return { id, about, basis, group, title, result: wordOf(outcome), ...Object.fromEntries(fields) }
  })
  const document = {
    ok: exitCode === exitCodes.ok,
    url: options.baseUrl,
    counts: countsOf(outcomes),
    checks,
    left: { images: left.images, routes: left.routes },
    troubles: troubles.map(safe),
  }
  return { document, lines: lines.map(safe), exitCode }
}
