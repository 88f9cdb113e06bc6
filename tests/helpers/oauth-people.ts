// A person who goes through the pages of sign-in, consent and the device for an application, filling in the forms as they stand.
import assert from 'node:assert/strict'
import type { Answer, Visitor } from './visitor.ts'

export interface PageForm {
  readonly action: string
  /** Hidden fields, with the values the page gave them. */
  readonly hidden: Readonly<Record<string, string>>
}

const decoded = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&')

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : decoded(value)
}

/** The form of the page: not that of signing out, which stands in every masthead. */
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

/** Sends the form of the page with these fields, and goes on as a browser does. */
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

/** Goes through whatever pages come: signs in where asked, and answers the question. @returns what follows. */
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

/** Follows the authorization request to its end. @returns the address the browser is sent back to. */
export async function authorize(
  person: Person,
  request: URL,
  answer: 'allow' | 'deny' = 'allow',
): Promise<URL> {
  const { location, status, text } = await passPages(person, await person.get(request.href), answer)
  assert.ok(location !== null, `${status} ${text}`)
  return new URL(location)
}

/** Types the code of a device, and answers its questions. @returns the last page. */
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
