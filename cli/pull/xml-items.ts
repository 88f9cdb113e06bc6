// Splits an XML list into one document per item while streaming, so that memory is limited to one item.
import { brokenList, maxItemCharacters } from './broken-list.ts'

const endings: readonly (readonly [string, string])[] = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
]
/** Real tags are far shorter, and the root's start tag is repeated before each item. */
const maxTagCharacters = 64 * 1024
const quoteOrEnd = /["'>]/g

/** Where the tag at `from` ends; undefined if more input is needed. An attribute value may contain `>`. */
function endOfTag(text: string, from: number): number | undefined {
  for (let at = from; ;) {
    quoteOrEnd.lastIndex = at
    const found = quoteOrEnd.exec(text)
    const end = found?.[0] === '>' ? found.index : undefined
    const closing = found && end === undefined ? text.indexOf(found[0], found.index + 1) : -1
    if ((end ?? (closing < 0 ? text.length : closing)) - from > maxTagCharacters)
      throw brokenList('has a tag of more than 64 kB')
    if (end !== undefined) return end + 1
    if (closing < 0) return undefined
    at = closing + 1
  }
}

/** Where the token at the start of the text ends; undefined if more input is needed. */
function endOfToken(text: string, from: number): number | undefined {
  if (text.charAt(from) !== '<') {
    const next = text.indexOf('<', from)
    return next < 0 ? undefined : next
  }
  const [start, ending] = endings.find(([word]) => text.startsWith(word, from)) ?? []
  if (start === undefined || ending === undefined) {
    // `<!-` may still become a comment.
    const isUndecided = endings.some(([word]) => word.startsWith(text.slice(from)))
    return isUndecided ? undefined : endOfTag(text, from)
  }
  const end = text.indexOf(ending, from + start.length)
  return end < 0 ? undefined : end + ending.length
}

/** @param listName of the root element, without a prefix. */
export function createXmlItems(listName: string) {
  let pending = ''
  /** The start and end tag of the root, with its namespace declarations. */
  let root: { readonly start: string; readonly end: string } | undefined
  let item = ''
  let depth = 0
  let isEnded = false

  function openRoot(token: string): void {
    if (isEnded) throw brokenList('goes on after its end')
    const name = /^<([^\s/>]+)/.exec(token)?.[1] ?? ''
    if (name.split(':').at(-1) !== listName) throw brokenList(`is not an ${listName}`)
    root = { start: token.replace(/\/>$/, '>'), end: `</${name}>` }
    if (token.endsWith('/>')) isEnded = true
    else depth = 1
  }

  /** @returns a complete item, if the token ends one. */
  function takeToken(token: string): string | undefined {
    const isTag = token.startsWith('<') && !/^<[!?]/.test(token)
    if (/^<!doctype/i.test(token)) throw brokenList('has a DOCTYPE')
    if (!isTag) {
      if (depth > 1) item += token
      else if (!token.startsWith('<') && /[^\t\n\r \uFEFF]/.test(token))
        throw brokenList('has text between its items')
      return undefined
    }
    if (depth === 0) {
      openRoot(token)
      return undefined
    }
    if (token.startsWith('</')) depth -= 1
    else if (!token.endsWith('/>')) depth += 1
    if (depth === 0) {
      isEnded = true
      return undefined
    }
    item += token
    if (depth > 1 || root === undefined) return undefined
    const whole = root.start + item + root.end
    item = ''
    return whole
  }

  return {
    /** @returns documents whose root has one child. @throws brokenList. */
    take: function* (text: string): Generator<string, void> {
      pending += text
      let from = 0
      for (let end = endOfToken(pending, 0); end !== undefined; end = endOfToken(pending, from)) {
        if (end === from) break
        const whole = takeToken(pending.slice(from, end))
        from = end
        if (whole !== undefined) yield whole
      }
      pending = pending.slice(from)
      if (pending.length + item.length > maxItemCharacters) throw brokenList('has an item of more than 64 MB')
    },
    /** @throws brokenList if the list is not complete. */
    end: (): void => {
      if (pending.trim() !== '' || !isEnded) throw brokenList('ends in the middle')
    },
  }
}
