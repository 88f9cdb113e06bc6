// HTML as a tagged template: every interpolated value is escaped, so that no page can forget to.

/** Only `html` creates one: an object from outside with a member `markup` is not one. */
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

/**
 * Markup rendered by React, which has escaped its content, and JSON in which nothing can end a script. For nothing
 * else.
 */
export const rendered = (markup: string): Html => made(markup)

/** Interpolate values only between tags or in quoted attributes: an unquoted attribute would end at a space. */
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

/** Replacements of tags in a text: `<name/>` for a value, `<name>…</name>` for a function of the text inside. */
export type RichTags = Readonly<Record<string, HtmlValue | ((inner: string) => Html)>>

/** @throws Error if the text has an unknown tag. */
export function rich(text: string, tags: RichTags): Html {
  const parts = text.split(/<(\w+)(?:\/>|>([^<]*)<\/\1>)/)
  const chunks = parts.map((part, at): HtmlValue => {
    // Alternately a text, the name of a tag, and its content; a tag without an end has none.
    if (at % 3 === 0) return part
    if (at % 3 === 2) return false
    if (!Object.hasOwn(tags, part)) throw new Error(`no tag <${part}> for a text`)
    const tag = tags[part]
    return typeof tag === 'function' ? tag(parts[at + 1] ?? '') : tag
  })
  return html`${chunks}`
}
