// A person who signs in, gives consent and enters device codes by submitting the forms of the pages.
import assert from 'node:assert/strict'
import type { Answer, Visitor } from './visitor.ts'

export interface PageForm {
  readonly action: string
  /** Hidden fields with their values. */
  readonly hidden: Readonly<Record<string, string>>
}

const decoded = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&')

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : decoded(value)
}

/** The main form of the page, not the sign-out form in the masthead. */
export function formOf(page: string): PageForm {
  const forms = [...page.matchAll(/<form [\s\S]*?<\/form>/g)].map(([text]) => text)
  const text = forms.find((form) => !/action="[^"]*\/sign-out"/.test(form.slice(0, 200)))
  assert.ok(text, page)
  const inputs = [...text.matchAll(/<input [^>]*>/g)].map(([tag]) => tag)
  const hidden = inputs
    .filter((tag) => attribute(tag, 'type') === 'hidden')
    .map((tag) => [attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? ''] as const)
  return { action: attribute(text, 'action') ?? '', hidden: Object.fromEntries(hidden) }
}

/** Submits the page's form with these fields, and follows redirects like a browser. */
export async function submit(
  visitor: Visitor,
  page: Answer,
  fields: Record<string, string>,
): Promise<Answer> {
  const { action, hidden } = formOf(page.text)
  return visitor.follow(await visitor.post(action, { ...hidden, ...fields }))
}

export interface Credentials {
  readonly email: string
  readonly password: string
}

export interface Person extends Visitor, Credentials {}

/**
 * Completes all pages: signs in if asked, and answers the question.
 * @returns the next response.
 */
export async function passPages(
  person: Person,
  first: Answer,
  answer: 'allow' | 'deny' = 'allow',
): Promise<Answer> {
  let page = await person.follow(first)
  for (let pages = 0; pages < 4 && page.location === null && page.status === 200; pages += 1) {
    const { email, password } = person
    if (/name="password"/.test(page.text))
      page = await submit(person, page, { do: 'sign-in', email, password })
    else if (/value="allow"/.test(page.text)) page = await submit(person, page, { do: answer })
    else break
  }
  return page
}

/**
 * Completes the authorization request.
 * @returns the URL to which the browser is redirected.
 */
export async function authorize(
  person: Person,
  request: URL,
  answer: 'allow' | 'deny' = 'allow',
): Promise<URL> {
  const { location, status, text } = await passPages(person, await person.get(request.href), answer)
  assert.ok(location !== null, `${status} ${text}`)
  return new URL(location)
}

/**
 * Enters a device code and answers the questions.
 * @returns the last page.
 */
export async function typeDeviceCode(
  person: Person,
  userCode: string,
  answer: 'yes' | 'no' | 'deny' = 'yes',
): Promise<Answer> {
  const typed = await submit(person, await person.get('/device'), { user_code: userCode })
  if (!/name="confirm"/.test(typed.text)) return typed
  const choice: Record<string, string> = answer === 'no' ? { abort: 'yes' } : { confirm: 'yes' }
  const next = await submit(person, typed, choice)
  return answer === 'no' ? next : passPages(person, next, answer === 'deny' ? 'deny' : 'allow')
}
