// What the sections of the account page are made from, and the parts that they share.
import type { Profile } from '../accounts/account-table.ts'
import type { KeyRow } from '../auth/api-keys.ts'
import type { GrantedApplication } from '../auth/granted-applications.ts'
import type { ClientRow } from '../auth/oauth-clients-table.ts'
import { isScope, scopeWords } from '../auth/scopes.ts'
import type { PasskeyRow } from '../auth/passkeys.ts'
import type { SessionRow } from '../auth/sessions.ts'
import type { Refusal } from '../errors.ts'
import { hidden, notice } from '../site/forms.ts'
import { attributes, html, type Html, type HtmlValue } from '../site/html.ts'
import type { Site } from '../site/site.ts'
import { scopeSentences } from '../sign-in/interaction-endpoints.ts'
import { sentenceOf } from '../sign-in/page-parts.ts'
import { doneMessages, type DoneCode, type SectionName } from './done-messages.ts'
import type { Person } from '../sign-in/page-parts.ts'

/** What could not be done, and what was typed. */
export interface PageProblem {
  readonly section: SectionName
  readonly refusal: Refusal
  readonly fields: ReadonlyMap<string, string>
}

export interface PageState {
  readonly done?: DoneCode | undefined
  readonly problem?: PageProblem | undefined
}

export interface AccountView extends PageState {
  readonly site: Site
  readonly person: Person
  /** Milliseconds since 1970 UTC. */
  readonly now: number
  /** Names this very view, so that a form sent twice makes one secret. */
  readonly once: string
  readonly profile: Profile
  readonly sessions: readonly SessionRow[]
  readonly passkeys: readonly PasskeyRow[]
  readonly offersPasskeys: boolean
  readonly keys: readonly KeyRow[]
  readonly apps: readonly GrantedApplication[]
  readonly clients: readonly ClientRow[]
}

const readable = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
})

/** `14 May 2026, 09:08 UTC` */
export function time(at: number): Html {
  const moment = new Date(at)
  return html`<time datetime="${`${moment.toISOString().slice(0, 19)}Z`}"
    >${readable.format(moment)} UTC</time
  >`
}

/** What was typed into a form that could not be taken. */
export function typed({ problem }: PageState, section: SectionName, field: string): string | undefined {
  return problem?.section === section ? problem.fields.get(field) : undefined
}

/** Where a form of the section is sent; the fragment brings the browser back to the section. */
export const actionOf = ({ site }: AccountView, section: SectionName, path: string): string =>
  `${site.href(`/account/${path}`)}#${section}`

function whatHappened({ done, problem }: PageState, section: SectionName): HtmlValue {
  if (problem?.section === section) return notice('bad', sentenceOf(problem.refusal))
  if (done === undefined || doneMessages[done].section !== section) return undefined
  return notice('good', doneMessages[done].text)
}

export function sectionCard(
  view: AccountView,
  { name, title, body }: { readonly name: SectionName; readonly title: string; readonly body: HtmlValue },
): Html {
  return html`<section class="card" id="${name}" aria-labelledby="${name}-title">
    <h2 id="${name}-title">${title}</h2>
    ${whatHappened(view, name)} ${body}
  </section>`
}

/** Opened by who wants it, or where what is in it could not be taken. */
export function fold(
  summary: string,
  { isOpen, body }: { readonly isOpen: boolean; readonly body: HtmlValue },
) {
  return html`<details ${attributes({ open: isOpen })}>
    <summary>${summary}</summary>
    ${body}
  </details>`
}

export const onceField = ({ once }: Pick<AccountView, 'once'>): Html => hidden('once', once)

/** In sentences, as on the page where they were allowed. */
export function scopeList(scope: string): Html {
  const known = scopeWords(scope).filter(isScope)
  if (known.length === 0) return html`<p class="muted">Nothing but knowing who you are.</p>`
  return html`<ul>
    ${known.map((word) => html`<li>${scopeSentences[word]}</li>`)}
  </ul>`
}

/** `Firefox on Linux`, as far as the browser tells; else what it calls itself. */
export function browserName(agent: string): string {
  const find = (names: Readonly<Record<string, RegExp>>): string | undefined =>
    Object.entries(names).find(([, sign]) => sign.test(agent))?.[0]
  const browser = find({
    Edge: /\bEdg/,
    Opera: /\bOPR\//,
    Firefox: /\b(Firefox|FxiOS)\//,
    Chrome: /Chrom(e|ium)\/|\bCriOS\//,
    Safari: /\bSafari\//,
  })
  const system = find({
    Android: /\bAndroid\b/,
    iPhone: /\biPhone\b/,
    iPad: /\biPad\b/,
    Windows: /\bWindows\b/,
    macOS: /\bMac OS X\b/,
    Linux: /\bLinux\b/,
  })
  if (browser === undefined) return agent === '' ? 'A browser that gives no name' : agent
  return system === undefined ? browser : `${browser} on ${system}`
}
