// Scans GPX text ahead of the parser for problems that saxes would report late, unclearly, or at a high cost in
// memory.

export interface Scanned {
  /** The text that can be parsed now; line ends are LF. */
  readonly text: string
  /** The error right after that text, which ends the parsing: a sentence without its full stop. */
  readonly problem?: string
}

export interface GpxScanner {
  readonly take: (chunk: string) => Scanned
  readonly end: () => Scanned
}

/** Maximum length of a tag, a comment, a CDATA section or an instruction. */
export const maxTokenCharacters = 512 * 1024

const landmark = /<!--|<!\[CDATA\[|<\?|<!doctype|&/gi
const endings: Readonly<Record<string, string>> = { '<!--': '-->', '<![cdata[': ']]>', '<?': '?>' }
const reference = /&(?:lt|gt|amp|quot|apos|#\d+|#x[\da-f]+);/iy
const entity = /&[\p{L}_:][\p{L}\d._:-]{0,40};/uy
const openings = [...Object.keys(endings), '<!doctype']
/** Long enough for any valid reference, with any reasonable number of leading zeros. */
const maxReferenceLength = 256

/**
 * A DOCTYPE is refused at its first character, so that nothing inside it is processed (XXE, entity bombs). So is an
 * `&` that begins no reference; saxes would follow it to the next semicolon or the end. No document that we accept contains
 * either outside comments, CDATA sections and instructions.
 * saxes collects a token character by character if it consists of hyphens, brackets, tabs or similar, which takes 30
 * times its length in memory. Hence the limit on its length, and line ends are converted to LF beforehand. The end of
 * a chunk that may begin a token is held back until the next chunk.
 */
export function createGpxScanner(): GpxScanner {
  let kept = ''
  /** The end of the open comment, section or instruction; '' outside them. */
  let ending = ''
  let openCharacters = 0

  const scan = (added: string, isLast: boolean): Scanned => {
    const text = withLineFeeds(kept + added, isLast)
    kept = text.kept
    const content = text.content
    const handOn = (until: number, problem?: string): Scanned => {
      kept = problem === undefined && !isLast ? content.slice(until) + kept : ''
      const passed = content.slice(0, isLast && problem === undefined ? content.length : until)
      return problem === undefined ? { text: passed } : { text: passed, problem }
    }

    let index = 0
    for (;;) {
      if (ending !== '') {
        const end = content.indexOf(ending, index)
        const until = end === -1 ? Math.max(index, content.length - ending.length + 1) : end + ending.length
        openCharacters += until - index
        if (openCharacters > maxTokenCharacters) {
          return handOn(index, 'A comment, CDATA section or processing instruction is longer than 512 KiB')
        }
        if (end === -1) return handOn(until)
        index = until
        ending = ''
      }
      landmark.lastIndex = index
      const match = landmark.exec(content)
      if (match === null) return handOn(startOfOpening(content, index))
      const found = match[0].toLowerCase()
      if (found === '&') {
        reference.lastIndex = match.index
        if (reference.test(content)) {
          index = reference.lastIndex
          continue
        }
        const isCutOff =
          content.length - match.index < maxReferenceLength && !content.includes(';', match.index)
        if (isCutOff && !isLast) return handOn(match.index)
        return handOn(match.index, referenceProblem(content, match.index))
      }
      ending = endings[found] ?? ''
      if (ending === '') return handOn(match.index, 'DOCTYPE is not allowed')
      index = match.index + found.length
      openCharacters = found.length
    }
  }

  return { take: (chunk) => scan(chunk, false), end: () => scan('', true) }
}

/** A carriage return at the end of a chunk waits for the next character. */
function withLineFeeds(text: string, isLast: boolean): { content: string; kept: string } {
  if (!text.includes('\r')) return { content: text, kept: '' }
  const isOpen = !isLast && text.endsWith('\r')
  const content = (isOpen ? text.slice(0, -1) : text).replaceAll(/\r\n?/g, '\n')
  return { content, kept: isOpen ? '\r' : '' }
}

/** Where an opening that is cut off by the end of the text begins; the end of the text if there is none. */
function startOfOpening(content: string, from: number): number {
  const start = content.lastIndexOf('<')
  if (start < from) return content.length
  const tail = content.slice(start).toLowerCase()
  return openings.some((opening) => opening.startsWith(tail)) ? start : content.length
}

function referenceProblem(content: string, index: number): string {
  entity.lastIndex = index
  const [name] = entity.exec(content) ?? []
  return name === undefined
    ? 'An & that begins no reference is written &amp;'
    : `The entity ${name} is not declared`
}
