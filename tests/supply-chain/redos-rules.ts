// Whether input can make an expression slow: decided by redos-detector if possible, otherwise by a reviewed list.
import { isSafePattern } from 'redos-detector'
import type { Expression, Expressions } from './expressions.ts'

/** A text of `start`, `pump` over and over, and `end`. */
export interface WorstInput {
  readonly start?: string
  readonly pump: string
  readonly end?: string
}

/** An expression that somebody looked at, because the detector cannot follow it or sees more than there is. */
export interface Reviewed {
  readonly file: string
  readonly expression: string
  readonly because: string
  /** The worst inputs known: the test holds that they take linear time all the same. */
  readonly linearOn?: readonly WorstInput[]
  /** It is slow on long input and gets none: the most characters that come to it. */
  readonly maxCharacters?: number
  /** It is slow on long input, which only who runs Waymark could give it. */
  readonly operatorsOwn?: true
}

export function written({ pattern, flags }: Pick<Expression, 'pattern' | 'flags'>): string {
  return `/${pattern}/${flags}`
}

/** Lookaheads and lookbehinds; the detector takes their insides for granted. */
const lookaround = /\(\?<?[=!]/

/** Ways in which the same text may be read; ours have fewer than 20, a slow one has no end of them. */
const maxWays = 50
/** Work for one expression; what needs more counts as slow. */
const maxSteps = 5000

/** Why an expression is not known to be harmless; undefined where it is. */
export function danger({ pattern, flags }: Expression): string | undefined {
  if (lookaround.test(pattern)) return 'looks around, which the detector does not follow'
  // A sticky expression starts at one place, like one that begins with ^.
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

/** Every expression that may be slow and was not looked at, and every review that nothing needs any more. */
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

/**
 * Milliseconds for the worst of the inputs of a review, each about 20,000 characters long: processor time, so that a busy
 * machine changes nothing.
 */
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
