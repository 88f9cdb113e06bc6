// The tags and texts of an XML document that `readGpx` has accepted. Nothing is validated again, which takes only a
// third of the time. For malformed text the result is arbitrary, or it throws; it never hangs.

export interface TagHandler {
  /** @param attributes alternating names and values, in document order; often the same empty list. */
  readonly open: (name: string, attributes: readonly string[]) => void
  readonly close: () => void
  /** Whether the following text is needed. */
  readonly wantsText: () => boolean
  /** With its references resolved; a text may come in several parts. */
  readonly text: (text: string) => void
}

/** About 2 ms of work with the shortest elements, so that each step stays short. */
const charactersOfStep = 8 * 1024

const none: readonly string[] = []
const named: Readonly<Partial<Record<string, string>>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const reference = /&([^&;]{1,255});/g

/** The character for a reference; the reference itself if it is unknown. */
function meaningOf(all: string, name: string): string {
  if (!name.startsWith('#')) return named[name.toLowerCase()] ?? all
  const isHex = name[1] === 'x' || name[1] === 'X'
  const code = isHex ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code <= 0x10ffff ? String.fromCodePoint(code) : all
}

const resolved = (text: string): string => text.replace(reference, meaningOf)

const withLineFeeds = (text: string): string => (text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text)

const textIn = (raw: string): string => {
  const lines = withLineFeeds(raw)
  return lines.includes('&') ? resolved(lines) : lines
}

const needsReading = /[&\t\n\r]/

/** Line ends and tabs in it are spaces, unless they are references. */
const valueIn = (raw: string): string =>
  needsReading.test(raw) ? resolved(withLineFeeds(raw).replaceAll(/[\t\n]/g, ' ')) : raw

const [tab, lineFeed, carriageReturn, blank] = [9, 10, 13, 32]
const [exclamation, doubleQuote, singleQuote, slash, equals, greater, question] = [33, 34, 39, 47, 61, 62, 63]

const isBlank = (code: number): boolean =>
  code === blank || code === lineFeed || code === tab || code === carriageReturn

/** Goes through the document, in steps. @throws if it is cut off within a tag, a comment or similar. */
export function* readingTags(document: string, handler: TagHandler): Generator<undefined, void> {
  const after = (mark: string, from: number): number => {
    const found = document.indexOf(mark, from)
    if (found === -1) throw new Error(`${mark} is missing`)
    return found + mark.length
  }

  /** @param from after the `<`. @returns where the tag ends. */
  const readStartTag = (from: number): number => {
    let at = from
    let code = document.charCodeAt(at)
    while (code !== greater && code !== slash && !isBlank(code)) {
      if (Number.isNaN(code)) throw new Error('> is missing')
      code = document.charCodeAt((at += 1))
    }
    const name = document.slice(from, at)
    let attributes: string[] | undefined
    for (;;) {
      while (isBlank(code)) code = document.charCodeAt((at += 1))
      if (code === greater || code === slash) break
      const start = at
      while (code !== equals && !isBlank(code)) {
        if (Number.isNaN(code)) throw new Error('= is missing')
        code = document.charCodeAt((at += 1))
      }
      const attribute = document.slice(start, at)
      while (code !== doubleQuote && code !== singleQuote) {
        if (Number.isNaN(code)) throw new Error('A quote is missing')
        code = document.charCodeAt((at += 1))
      }
      const end = after(code === doubleQuote ? '"' : "'", at + 1)
      attributes ??= []
      attributes.push(attribute, valueIn(document.slice(at + 1, end - 1)))
      at = end
      code = document.charCodeAt(at)
    }
    handler.open(name, attributes ?? none)
    if (code === greater) return at + 1
    handler.close()
    return after('>', at)
  }

  let at = document.charCodeAt(0) === 0xfeff ? 1 : 0
  let due = at + charactersOfStep
  for (;;) {
    const tag = document.indexOf('<', at)
    if (tag === -1) return
    if (tag > at && handler.wantsText()) handler.text(textIn(document.slice(at, tag)))
    const code = document.charCodeAt(tag + 1)
    if (code === slash) {
      at = after('>', tag)
      handler.close()
    } else if (code === question) at = after('?>', tag)
    else if (code !== exclamation) at = readStartTag(tag + 1)
    else if (document.startsWith('<![CDATA[', tag)) {
      at = after(']]>', tag)
      if (handler.wantsText()) handler.text(withLineFeeds(document.slice(tag + '<![CDATA['.length, at - 3)))
    } else at = after('-->', tag + '<!--'.length)
    if (at < due) continue
    due = at + charactersOfStep
    yield
  }
}
