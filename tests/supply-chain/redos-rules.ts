// Whether input can make an expression slow: decided by redos-detector if possible, otherwise by a reviewed list.
import { isSafePattern } from 'redos-detector'
import type { Expression, Expressions } from './expressions.ts'

/** A text of `start`, many repetitions of `pump`, and `end`. */
export interface WorstInput {
  readonly start?: string
  readonly pump: string
  readonly end?: string
}

/** A manually reviewed expression that the detector cannot analyse or overrates. */
export interface Reviewed {
  readonly file: string
  readonly expression: string
  readonly because: string
  /** The worst known inputs; the test checks that they take linear time. */
  readonly linearOn?: readonly WorstInput[]
  /** Slow on long input, but its input is limited to this many characters. */
  readonly maxCharacters?: number
  /** Slow on long input that only the operator can provide. */
  readonly operatorsOwn?: true
}

export function written({ pattern, flags }: Pick<Expression, 'pattern' | 'flags'>): string {
  return `/${pattern}/${flags}`
}

/** Lookaheads and lookbehinds, whose content the detector ignores. */
const lookaround = /\(\?<?[=!]/

/** Ways to match the same text; ours have fewer than 20, a slow expression has an unlimited number. */
const maxWays = 50
/** Maximum analysis steps; an expression that needs more counts as slow. */
const maxSteps = 5000

/** Why an expression is not known to be harmless; undefined if it is. */
export function danger({ pattern, flags }: Expression): string | undefined {
  if (lookaround.test(pattern)) return 'looks around, which the detector does not follow'
  // A sticky expression starts at one position, like one with ^.
  const anchored = flags.includes('y') ? `^(?:${pattern})` : pattern
  try {
    const { safe } = isSafePattern(anchored, {
      caseInsensitive: flags.includes('i'),
      unicode: flags.includes('u'),
      dotAll: flags.includes('s'),
      multiLine: flags.includes('m'),
      maxScore: maxWays,
      maxSteps,
    })
    return safe ? undefined : 'can be made slow by its input'
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    return `cannot be judged: ${reason}`
  }
}

/** Every possibly slow expression without a review, and every unnecessary review. */
export function redosViolations({ known, built }: Expressions, reviewed: readonly Reviewed[]): string[] {
  const found = built.map(({ file, code }) => `${file} builds an expression at run time: ${code}`)
  const needed = new Set<Reviewed>()
  for (const expression of known) {
    const review = reviewed.find(
      (one) => one.file === expression.file && one.expression === written(expression),
    )
    const why = danger(expression)
    if (why !== undefined && review) needed.add(review)
    if (why !== undefined && !review)
      found.push(`${expression.file} has ${written(expression)}, which ${why}`)
  }
  const unreasoned = reviewed.filter(
    ({ linearOn, maxCharacters, operatorsOwn }) =>
      [linearOn?.length, maxCharacters, operatorsOwn].filter(Boolean).length !== 1,
  )
  return found.concat(
    unreasoned.map(({ file, expression }) => `the review of ${expression} in ${file} states no one reason`),
    reviewed
      .filter((review) => !needed.has(review))
      .map(({ file, expression }) => `the review of ${expression} in ${file} is not needed any more`),
  )
}

const longInput = 20_000

/** CPU milliseconds for the worst input of a review, about 20,000 characters long. */
export function worstTimeMs({ expression, linearOn = [] }: Reviewed): number {
  const end = expression.lastIndexOf('/')
  const times = linearOn.map((input) => {
    const pumps = input.pump.repeat(Math.ceil(longInput / input.pump.length))
    const text = `${input.start ?? ''}${pumps}${input.end ?? ''}`
    const matcher = new RegExp(expression.slice(1, end), expression.slice(end + 1))
    const before = process.cpuUsage()
    if (matcher.global) text.replaceAll(matcher, '')
    else matcher.test(text)
    return process.cpuUsage(before).user / 1000
  })
  return Math.max(0, ...times)
}
