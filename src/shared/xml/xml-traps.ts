// Looks through XML text ahead of the parser for what saxes would tell late or badly.

export interface XmlTrap {
  /** A sentence without its full stop. */
  readonly problem: string
  /** Where in the text. */
  readonly index: number
}

/** No reference is longer than a thousand characters: to look for the end of one through megabytes would take too long. */
const landmark = /<!--|<!\[CDATA\[|<\?|<!doctype|&(?!#\d{1,1000};|#x[\da-f]{1,1000};|[^\s;&<#]{1,1000};)/gi
const endings: Readonly<Record<string, string>> = { '<!--': '-->', '<![cdata[': ']]>', '<?': '?>' }
export interface TrapOptions {
  readonly stepCharacters?: number
  /** Comments, CDATA sections and instructions: they cost the parser as much as elements do. */
  readonly maxSections?: number
}

/** Some 1 ms of looking. */
const usualStepCharacters = 64 * 1024

/**
 * A DOCTYPE, refused at its first token so that nothing inside it is ever looked at (XXE, entity bombs), and an
 * & that begins no reference, which saxes would follow to the next semicolon or the end. Whatever this finds is
 * a fault: outside comments, CDATA sections and instructions, no well-formed document holds either.
 */
export function* findingTrap(
  text: string,
  { stepCharacters = usualStepCharacters, maxSections = Infinity }: TrapOptions = {},
): Generator<undefined, XmlTrap | undefined> {
  if (text.startsWith('\u{feff}')) return { problem: 'The body has a second byte-order mark', index: 0 }
  let index = 0
  let window = ''
  let windowStart = 0
  let sections = 0
  while (index < text.length) {
    if (index >= windowStart + window.length) {
      windowStart = index
      window = text.slice(index, endOfWindow(text, index + stepCharacters))
      yield
    }
    landmark.lastIndex = index - windowStart
    const match = landmark.exec(window)
    if (match === null) {
      index = windowStart + window.length
      continue
    }
    const [found] = match
    const at = windowStart + match.index
    const ending = endings[found.toLowerCase()]
    if (ending === undefined) {
      const problem =
        found === '&' ? 'An & that begins no reference is written &amp;' : 'DOCTYPE is not allowed'
      return { problem, index: at }
    }
    sections += 1
    if (sections > maxSections) {
      return {
        problem: `The body has more than ${maxSections} comments, CDATA sections and processing instructions`,
        index: at,
      }
    }
    const end = yield* findingEnding(text, ending, at + found.length)
    // Never closed: saxes tells, and a search from every further opening would be quadratic.
    if (end === -1) return undefined
    index = end + ending.length
  }
  return undefined
}

const beginning = /[&<]/g

/** Right before what may be a landmark: none goes on over the beginning of another. */
function endOfWindow(text: string, from: number): number {
  beginning.lastIndex = from
  return beginning.exec(text)?.index ?? text.length
}

/** Some 1 ms of looking. */
const stepOfEnding = 256 * 1024

/** As `indexOf`, in steps; of megabytes of brackets that takes ten times as long: Horspool's search. */
export function* findingEnding(text: string, ending: string, from: number): Generator<undefined, number> {
  const { length } = ending
  const first = ending.charCodeAt(0)
  const last = ending.charCodeAt(length - 1)
  let index = from + length - 1
  let turnAt = index + stepOfEnding
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === last && text.startsWith(ending, index - length + 1)) return index - length + 1
    index += code === first ? 1 : length
    if (index < turnAt) continue
    turnAt = index + stepOfEnding
    yield
  }
  return -1
}
