// HTML as a tagged template: everything put into it is escaped, so that no page can forget to.

/** Only `html` makes one: an object that somebody sent, with a member `markup`, is none. */
export interface Html {
  readonly markup: string
}

export type HtmlValue = string | number | Html | undefined | false | readonly HtmlValue[]

/** What no JSON can hold. */
const madeHere = Symbol('html')

const made = (markup: string): Html => Object.freeze({ markup, [madeHere]: true })

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '')
}

function isList(value: HtmlValue): value is readonly HtmlValue[] {
  return Array.isArray(value)
}

function markupOf(value: HtmlValue): string {
  if (value === undefined || value === false) return ''
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return String(value)
  if (isList(value)) return value.map(markupOf).join('')
  if (madeHere in value) return value.markup
  throw new TypeError('A page was given an object that is no HTML.')
}

/** Markup that React made, which has escaped what is in it; and JSON in which nothing can end a script. Of nobody else. */
export const rendered = (markup: string): Html => made(markup)

/** Put values between tags or in quoted attributes only: an unquoted attribute would end at a space. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const markup = strings.reduce((text, part, at) => text + markupOf(values[at - 1]) + part)
  return made(markup)
}

type AttributeValue = string | number | boolean | undefined

/** Attributes of a tag: none for `undefined` and `false`, a bare name for `true`. */
export function attributes(values: Readonly<Record<string, AttributeValue>>): Html {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== false)
  return made(
    given
      .map(([name, value]) => (value === true ? name : `${name}="${escapeHtml(String(value))}"`))
      .join(' '),
  )
}

/** What stands for a tag in a text: `<name/>` for a value, `<name>…</name>` for what is made of the text inside. */
export type RichTags = Readonly<Record<string, HtmlValue | ((inner: string) => Html)>>

/** @throws Error where the text has a tag that is not among them. */
export function rich(text: string, tags: RichTags): Html {
  const parts = text.split(/<(\w+)(?:\/>|>([^<]*)<\/\1>)/)
  const chunks = parts.map((part, at): HtmlValue => {
    // A text, the name of a tag, and what it holds, by turns; a tag without an end holds nothing.
    if (at % 3 === 0) return part
    if (at % 3 === 2) return false
    if (!Object.hasOwn(tags, part)) throw new Error(`no tag <${part}> for a text`)
    const tag = tags[part]
    return typeof tag === 'function' ? tag(parts[at + 1] ?? '') : tag
  })
  return html`${chunks}`
}
