// Reports a run as a table on the screen, as Markdown and as JSON: ratios with their intervals, including losses.
import type { Figure, Goal, Slice } from './bench.ts'
import type { CaseResult, Pacing } from './rounds.ts'
import {
  bootstrapInterval,
  figureOf,
  judge,
  median,
  quantileOf,
  reachesStretch,
  type Interval,
  type Verdict,
} from './statistics.ts'

export interface PathResult {
  readonly name: string
  readonly about: string
  readonly cases: readonly CaseResult[]
  readonly notes: readonly string[]
  /** Why the measurement was aborted. */
  readonly failure?: string
}

/** Only what figures depend on: no names, addresses or folders of the machine. */
export interface Environment {
  readonly date: string
  readonly command: string
  readonly node: string
  readonly cores: number
  readonly processor: string
  readonly kernel: string
  readonly nginx: string
}

export interface Row {
  readonly path: string
  readonly case: string
  readonly goal: Goal
  readonly ratios: readonly number[]
  readonly ratio: number | undefined
  readonly interval: Interval | undefined
  readonly verdict: Verdict
  /** Why it was not measured. */
  readonly why?: string
}

function rowOf(path: string, result: CaseResult, goal: Goal): Row {
  const named = { path, case: result.name, goal }
  const of = result.slices.get(goal.of)
  const to = result.slices.get(goal.to)
  if (of === undefined || to === undefined) {
    const missing = result.absent.find(({ name }) => name === goal.of || name === goal.to)
    if (missing === undefined)
      throw new Error(
        `${path}: the goal "${goal.what}" compares ${goal.of} with ${goal.to}, and one of them is no contender.`,
      )
    const none = { ratios: [], ratio: undefined, interval: undefined }
    return { ...named, ...none, verdict: 'not measured', why: missing.absent }
  }
  const ratios = of.map(
    (slice, round) => figureOf(goal.figure, slice) / figureOf(goal.figure, to[round] as Slice),
  )
  const interval = bootstrapInterval(ratios)
  return { ...named, ratios, ratio: median(ratios), interval, verdict: judge(goal, interval, ratios.length) }
}

export const rowsOf = (paths: readonly PathResult[]): Row[] =>
  paths.flatMap(({ name, cases }) =>
    cases.flatMap((result) => result.goals.map((goal) => rowOf(name, result, goal))),
  )

/** Three significant digits. */
function brief(figure: number): string {
  if (!Number.isFinite(figure)) return '–'
  const digits = figure >= 100 ? 0 : figure >= 10 ? 1 : 2
  return figure.toFixed(digits)
}

const figureWords: Readonly<Record<Figure, string>> = { cpu: 'CPU', rate: 'rate', p50: 'p50' }

function goalText({ atMost, atLeast, stretch }: Goal): string {
  const parts = [
    ...(atMost === undefined ? [] : [`≤ ${atMost} ×`]),
    ...(atLeast === undefined ? [] : [`≥ ${atLeast} ×`]),
  ]
  const wanted = parts.length === 0 ? '–' : parts.join(', ')
  return stretch === undefined ? wanted : `${wanted} (stretch ${stretch} ×)`
}

const header = ['path', 'case', 'what', 'ratio', '95 % interval', 'goal', 'verdict']

function cellsOf({ path, case: name, goal, ratio, interval, verdict, why }: Row): string[] {
  const isStretched = verdict === 'met' && reachesStretch(goal, ratio ?? Number.NaN)
  return [
    path,
    name,
    `${goal.what} (${figureWords[goal.figure]}: ${goal.of} / ${goal.to})`,
    ratio === undefined ? '–' : `${brief(ratio)} ×`,
    interval === undefined ? '–' : `${brief(interval.low)}–${brief(interval.high)}`,
    goalText(goal),
    why === undefined ? `${verdict}${isStretched ? ', stretch too' : ''}` : `${verdict}: ${why}`,
  ]
}

const tableOf = (head: readonly string[], lines: readonly (readonly string[])[]): string[] =>
  [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`)

/** Columns as wide as their widest cell, except the last. */
export function screenTable(rows: readonly Row[]): string {
  const lines = [header, ...rows.map(cellsOf)]
  const widths = header.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  const padded = lines.map((cells) =>
    cells
      .map((cell, column) => (column === header.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  '),
  )
  return `${padded.join('\n')}\n`
}

function contenderCells(name: string, slices: readonly Slice[], pacing: Pacing | undefined): string[] {
  const medianOf = (figure: Figure): number => median(slices.map((slice) => figureOf(figure, slice)))
  const hasLatencies = slices.some(({ latenciesMs }) => latenciesMs !== undefined)
  const steady = pacing?.latenciesMs ?? []
  return [
    name,
    brief(medianOf('cpu')),
    brief(medianOf('rate')),
    hasLatencies ? brief(medianOf('p50')) : '–',
    pacing === undefined
      ? '–'
      : `${brief(quantileOf(steady, 0.5))} / ${brief(quantileOf(steady, 0.99))} / ${brief(Math.max(...steady))} at ${brief(pacing.perSecond)}/s`,
  ]
}

const contenderHeader = [
  'contender',
  'CPU µs each',
  'each second',
  'p50 ms',
  'p50 / p99 / longest ms at a steady rate',
]

function caseLines(result: CaseResult): string[] {
  const { name, rounds, sliceMs, discarded, disturbed, ddMs, absent } = result
  const measured = [...result.slices].map(([contender, slices]) =>
    contenderCells(contender, slices, result.pacings.get(contender)),
  )
  const missing = absent.map(({ name: contender, absent: why }) => [
    contender,
    `not measured: ${why}`,
    '',
    '',
    '',
  ])
  const noise = [
    `${rounds} rounds of ${sliceMs} ms.`,
    ...(discarded > 0 ? [`${discarded} slices thrown away because of foreign CPU.`] : []),
    ...(disturbed > 0 ? [`${disturbed} kept in spite of it.`] : []),
    ...(ddMs.length > 0
      ? [
          `dd conv=fsync of as many bytes: ${brief(median(ddMs))} ms (${brief(Math.min(...ddMs))}–${brief(Math.max(...ddMs))}).`,
        ]
      : []),
  ]
  return [`### ${name}`, '', noise.join(' '), '', ...tableOf(contenderHeader, [...measured, ...missing]), '']
}

export function markdownOf(environment: Environment, paths: readonly PathResult[]): string {
  const { date, command, node, cores, processor, kernel, nginx } = environment
  const rows = rowsOf(paths)
  const details = paths.flatMap(({ name, about, cases, notes, failure }) => [
    `## ${name}: ${about}`,
    '',
    // The sentence may contain folders and addresses of the machine, so it is only printed on the screen.
    ...(failure === undefined ? [] : ['**Not measured to its end: it failed, and the run said why.**', '']),
    ...cases.flatMap(caseLines),
    ...(notes.length === 0 ? [] : [...notes.map((note) => `- ${note}`), '']),
  ])
  return [
    `# Benchmark, ${date}`,
    '',
    `\`${command}\` with Node ${node} and ${nginx} on ${cores} cores (${processor}, ${kernel}). How to read it: docs/benchmarks.md. Only the ratios mean something elsewhere.`,
    '',
    ...tableOf(header, rows.map(cellsOf)),
    '',
    ...details,
  ].join('\n')
}

function jsonSlice({ done, cpuUs, wallMs, latenciesMs }: Slice) {
  const p50Ms = latenciesMs === undefined ? undefined : median(latenciesMs)
  return { done, cpuUs: Math.round(cpuUs), wallMs: Math.round(wallMs), p50Ms }
}

function jsonCase(result: CaseResult) {
  const { name, rounds, sliceMs, discarded, disturbed, ddMs, absent } = result
  const contenders = [...result.slices].map(([contender, slices]) => {
    const pacing = result.pacings.get(contender)
    const steady = pacing && {
      perSecond: pacing.perSecond,
      p50Ms: quantileOf(pacing.latenciesMs, 0.5),
      p99Ms: quantileOf(pacing.latenciesMs, 0.99),
      maxMs: Math.max(...pacing.latenciesMs),
    }
    return { name: contender, steady, slices: slices.map(jsonSlice) }
  })
  return { name, rounds, sliceMs, discarded, disturbed, ddMs, contenders, absent }
}

export function jsonOf(environment: Environment, paths: readonly PathResult[]): string {
  const found = paths.map(({ name, about, cases, notes, failure }) => ({
    name,
    about,
    isWhole: failure === undefined,
    notes,
    cases: cases.map(jsonCase),
  }))
  return `${JSON.stringify({ environment, rows: rowsOf(paths), paths: found }, undefined, 1)}\n`
}
