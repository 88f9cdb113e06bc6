// Markdown of docs/ as the blocks of a page: with links that work in the app, headings with anchors, and scrolling
// tables.
import { Marked, type Token, type Tokens } from 'marked'
import { guideNames, type CodeSample, type GuideBlock, type Heading } from '../pages/docs/guide-list.ts'

export interface Guide {
  readonly title: string
  readonly headings: readonly Heading[]
  readonly blocks: readonly GuideBlock[]
}

/** As GitHub names headings, since links in docs/ are written for it. */
export function headingId(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** The app URL for a link in docs/; undefined if it leads to a file that is not a page. */
export function addressOf(href: string): string | undefined {
  if (/^https?:/.test(href) || href.startsWith('#')) return href
  if (/^(\.\.\/docs\/|\.\/)?openapi\.json$/.test(href)) return '/openapi.json'
  const [, name = '', hash = ''] = /^(?:\.\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  return guideNames.includes(name) ? `/docs/${name}${hash}` : undefined
}

const plain = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

function createReader() {
  const headings: Heading[] = []
  const used = new Map<string, number>()

  /** Equal headings are distinguished by a number, as on GitHub. */
  function idFor(text: string): string {
    const id = headingId(text)
    const before = used.get(id) ?? 0
    used.set(id, before + 1)
    return before === 0 ? id : `${id}-${before}`
  }

  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens)
        const text = plain(inner)
        const id = idFor(text)
        headings.push({ depth, id, text })
        const label = escaped(`Link to “${text}”`)
        return `<h${depth} id="${id}">${inner} <a class="anchor" href="#${id}" aria-label="${label}">#</a></h${depth}>`
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const address = addressOf(href)
        if (address === undefined) return inner
        const away = address.startsWith('http') ? ' rel="noreferrer"' : ''
        return `<a href="${escaped(address)}"${away}>${inner}</a>`
      },
      table(token) {
        const row = (cells: readonly Tokens.TableCell[], tag: 'td' | 'th'): string =>
          `<tr>${cells.map(({ tokens }) => cell(tag, this.parser.parseInline(tokens))).join('')}</tr>`
        const head = token.header.some(({ text }) => text !== '')
          ? `<thead>${row(token.header, 'th')}</thead>`
          : ''
        const name = escaped(`Table: ${headings.at(-1)?.text ?? ''}`)
        const body = token.rows.map((cells) => row(cells, 'td')).join('')
        // Wider than a phone: it scrolls separately, also by keyboard.
        return `<div class="wide" tabindex="0" role="group" aria-label="${name}"><table>${head}<tbody>${body}</tbody></table></div>`
      },
      html: () => '',
    },
  })
  return { marked, headings }
}

const cell = (tag: 'td' | 'th', inner: string): string =>
  inner === '' || tag === 'td' ? `<td>${inner}</td>` : `<th scope="col">${inner}</th>`

const isCode = (token: Token): token is Tokens.Code => token.type === 'code'
const isComment = (token: Token | undefined, text: string): boolean =>
  token?.type === 'html' && token.raw.includes(`<!-- ${text} -->`)

/** A paragraph that is one bold text names the code below it. */
const labelIn = (token: Token): string | undefined =>
  token.type === 'paragraph' ? /^\*\*([^*]+)\*\*$/.exec(token.raw.trim())?.[1] : undefined

/** @throws Error if the tabs of a guide do not end, or contain anything but names and code. */
function readTabs(tokens: readonly Token[]): CodeSample[] {
  const samples: CodeSample[] = []
  let label = ''
  for (const token of tokens) {
    if (token.type === 'space') continue
    const named = labelIn(token)
    if (named !== undefined) label = named
    else if (isCode(token)) samples.push({ label, text: token.text })
    else throw new Error(`no name and no code in the tabs of a guide: ${token.raw}`)
  }
  return samples
}

export function readGuide(markdown: string): Guide {
  const { marked, headings } = createReader()
  const tokens = marked.lexer(markdown)
  const blocks: GuideBlock[] = []
  let read: Token[] = []
  const flush = (): void => {
    const html = marked.parser(read).trim()
    if (html !== '') blocks.push({ kind: 'html', html })
    read = []
  }
  let title = ''
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at]
    if (!token) continue
    if (token.type === 'heading' && (token as Tokens.Heading).depth === 1 && title === '') {
      title = plain((token as Tokens.Heading).text)
    } else if (isCode(token)) {
      flush()
      blocks.push({ kind: 'code', text: token.text })
    } else if (isComment(token, 'tabs')) {
      flush()
      const end = tokens.findIndex((other, index) => index > at && isComment(other, 'end of tabs'))
      if (end < 0) throw new Error('the tabs of a guide have no end')
      blocks.push({ kind: 'tabs', samples: readTabs(tokens.slice(at + 1, end)) })
      at = end
    } else read.push(token)
  }
  flush()
  return { title, headings, blocks }
}
