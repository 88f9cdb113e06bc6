// Common parts of the sign-in pages: the viewer, forms, and refusals shown in their form.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccountActor, Actor } from '../auth/guard.ts'
import type { KnownDevices } from '../auth/known-devices.ts'
import type { BegunSession, Sessions } from '../auth/sessions.ts'
import { Refusal } from '../errors.ts'
import type { Language } from '../shared/languages.ts'
import { addressBucket, type RateLimits } from '../http/rates/rate-limits.ts'
import { button, field, form, notice } from '../site/forms.ts'
import { attributes, html, type Html, type HtmlValue } from '../site/html.ts'
import type { PageOptions, Site } from '../site/site.ts'
import { languageOf, realLanguage, type PageLanguage } from '../texts/request-language.ts'
import { textsIn, type Texts } from '../texts/texts.ts'

export const pageAccess = { access: { credential: 'page' } } as const

export interface DeviceAccessDependencies {
  readonly devices: KnownDevices
  readonly spend: RateLimits['spend']
}

/** For pages with a password field: a known device has its own limit, which nobody else behind its address can use up. */
export function deviceAccess({ devices, spend }: DeviceAccessDependencies) {
  const preHandler = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const device = devices.deviceIn(request.headers.cookie)
    const bucket = device === undefined ? addressBucket(request.ip) : `device ${device.id}`
    void reply.headers(await spend('address', bucket))
  }
  return { config: { ...pageAccess, rate: 'none' as const }, preHandler }
}

/** How links and passkeys are refused that are none. */
const guesses: ReadonlySet<string> = new Set(['link-used', 'wrong-passkey'])
/** Refusals that a user can correct in the form; all others have their own page. */
const mendable: ReadonlySet<string> = new Set(['invalid-field', 'wrong-sign-in', 'wrong-password'])

/** The refusal, if the form is to be shown again with it. @throws any other error. */
export function mendableRefusal(error: unknown): Refusal {
  if (error instanceof Refusal && mendable.has(error.code)) return error
  throw error
}

/** The same for a sign-in form, where another way of signing in may still work. */
export function signInRefusal(error: unknown): Refusal {
  if (error instanceof Refusal && error.code === 'too-many-requests') return error
  return mendableRefusal(error)
}

/** What people read of a refusal: the detail names a field by its wire name, which is also its label here. */
export function sentenceOf(refusal: Refusal, language: PageLanguage): string {
  const { title } = textsIn(language).refusals[refusal.code]
  const sentence = refusal.detailIn(realLanguage(language)) ?? `${title}.`
  return sentence.slice(0, 1).toUpperCase() + sentence.slice(1)
}

export const problemNotice = (refusal: Refusal | undefined, { headers }: FastifyRequest): HtmlValue =>
  refusal !== undefined && notice('bad', sentenceOf(refusal, languageOf(headers)))

/** The language stored with an account, and used for emails to people without one. */
export const accountLanguageOf = ({ headers }: FastifyRequest): Language => realLanguage(languageOf(headers))

/** In the language of the request. */
export const textsFor = (request: FastifyRequest): Texts => textsIn(languageOf(request.headers))

/** Who is signed in, where, and since when. */
export type Person = AccountActor & { readonly sessionId: string; readonly signedInAt: number }

/** The person signed in, or undefined. */
export function personOf(actor: Actor): Person | undefined {
  if (actor.kind !== 'account' || actor.via !== 'session') return undefined
  const { sessionId, signedInAt } = actor
  return sessionId === undefined || signedInAt === undefined ? undefined : { ...actor, sessionId, signedInAt }
}

export function viewerOf(request: FastifyRequest): PageOptions['viewer'] {
  const person = personOf(request.actor)
  return person && { displayName: person.displayName ?? textsFor(request).frame.yourAccount }
}

/** The browser's name for itself. */
export const browserOf = (request: FastifyRequest): string | undefined => request.headers['user-agent']

/** A path below the mount path, and a query: what URLs of the web app are made of. */
const localAddress = /^\/(?:[A-Za-z0-9][\w\-./%]*)?(?:\?[\w\-./%=&+,:~*]*)?$/

/** Where to go after signing in: a page of ours, and nothing that a browser could take for another site. */
export function safeNext(next: unknown): string {
  const text = typeof next === 'string' ? next : ''
  const isLocal = localAddress.test(text) && !text.split('?', 1)[0]?.includes('//')
  return isLocal ? text : '/'
}

export interface SignInFormOptions {
  readonly texts: Texts
  readonly action: string
  readonly email?: string | undefined
  /** Further fields, such as hidden ones. */
  readonly extra?: HtmlValue
}

export function signInForm(site: Site, { texts, action, email, extra }: SignInFormOptions): Html {
  const { signIn } = texts
  return html`${form({
      action,
      children: [
        field({
          name: 'email',
          label: signIn.email,
          type: 'email',
          autocomplete: 'username webauthn',
          value: email,
          isRequired: true,
          maxLength: 254,
        }),
        field({
          name: 'password',
          label: signIn.password,
          type: 'password',
          autocomplete: 'current-password',
          isRequired: true,
          maxLength: 1024,
        }),
        extra,
        button(signIn.signIn, { name: 'do', value: 'sign-in' }),
      ],
    })}
    <p><a href="${site.href('/reset')}">${signIn.forgot}</a></p>`
}

/** Goes after a sign-in form, with the script of the same name: shown if the browser supports passkeys. */
export function passkeyOffer(site: Site, next: string, { signIn }: Texts): Html {
  const addresses = attributes({
    'data-passkey-sign-in': next,
    'data-options': site.href('/sign-in/passkey/options'),
    'data-send': site.href('/sign-in/passkey'),
    'data-sentences': JSON.stringify(signIn.passkeyFailed),
  })
  return html`<div ${addresses} hidden>
    <p class="muted">${signIn.or}</p>
    <button type="button" class="button plain">${signIn.passkey}</button>
    <p class="error" role="alert"></p>
  </div>`
}

export const passkeyScripts = ['passkeys.js'] as const

export function newPasswordField({ signIn }: Texts, label = signIn.password): Html {
  return field({
    name: 'password',
    label,
    type: 'password',
    autocomplete: 'new-password',
    hint: signIn.passwordHint,
    isRequired: true,
    maxLength: 1024,
  })
}

/** What makes the cookies of a browser that is signed in. */
export interface Cookies {
  readonly sessions: Sessions
  readonly devices: KnownDevices
}

/** The values of Set-Cookie: the session, that the account knows this browser from now on, and the person's language. */
export async function signedInCookies(
  { headers }: FastifyRequest,
  { sessions, devices }: Cookies,
  session: BegunSession,
): Promise<string[]> {
  const device = await devices.remember(headers.cookie, session.accountId)
  const language = sessions.languageCookieOf(session, headers)
  return [sessions.cookieOf(session), device, ...(language === undefined ? [] : [language])]
}

/** Sends the browser on, with the cookies of its session. */
export async function redirectSignedIn(
  reply: FastifyReply,
  cookies: Cookies,
  session: BegunSession,
  to: string,
): Promise<FastifyReply> {
  return reply
    .header('Set-Cookie', await signedInCookies(reply.request, cookies, session))
    .header('Cache-Control', 'no-store')
    .redirect(to, 303)
}

/**
 * Uses a link or a passkey; if it is invalid, that counts as a guess by the address. Only then, so that others behind
 * the same address do not delay valid ones.
 */
export async function countingGuesses<T>(
  request: FastifyRequest,
  spend: (limit: 'sign-in', bucket: string) => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Refusal && guesses.has(error.code)) await spend('sign-in', addressBucket(request.ip))
    throw error
  }
}
