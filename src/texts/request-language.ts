// The language of a response: the user's choice, else the browser's preference, else English.
import type { IncomingHttpHeaders } from 'node:http'
import { parseCookie } from 'cookie'
import Negotiator from 'negotiator'
import { isLanguage, languageCookie, languages, pseudoLanguage, type Language } from '../shared/languages.ts'

/** Also the pseudo-locale, by the cookie alone. */
export type PageLanguage = Language | typeof pseudoLanguage

/** The headers it depends on, for `Vary`. */
export const languageHeaders = ['Accept-Language', 'Cookie'] as const

/** The choice in this browser, if any. */
export function chosenLanguageOf({ cookie }: IncomingHttpHeaders): PageLanguage | undefined {
  const chosen = cookie === undefined ? undefined : parseCookie(cookie)[languageCookie]
  return chosen === pseudoLanguage || isLanguage(chosen) ? chosen : undefined
}

export function languageOf(headers: IncomingHttpHeaders): PageLanguage {
  const chosen = chosenLanguageOf(headers)
  if (chosen !== undefined) return chosen
  const asked = headers['accept-language'] ?? ''
  const [best] = new Negotiator({ headers: { 'accept-language': asked } }).languages([...languages])
  return isLanguage(best) ? best : 'en'
}

/** A language with a region; scripts and variants change nothing that pages write. */
const withRegion = /^[a-z]{2}-[A-Z]{2}$/

/** For dates and numbers: the language as the browser's own regions write it, such as en-GB. */
export function localeOf(headers: IncomingHttpHeaders, language: PageLanguage): string {
  const real = realLanguage(language)
  const asked = headers['accept-language'] ?? ''
  const ofBrowser = new Negotiator({ headers: { 'accept-language': asked } }).languages()
  const found = ofBrowser.find((one) => one === real || one.startsWith(`${real}-`))
  return found !== undefined && withRegion.test(found) ? found : real
}

/** The language of emails to an account. @param stored with it; @param otherwise if it has none that is known here. */
export const mailLanguage = (stored: string | null, otherwise: Language = 'en'): Language =>
  isLanguage(stored) ? stored : otherwise

/** For what is stored or sent later: the pseudo-locale is only for pages. */
export const realLanguage = (language: PageLanguage): Language =>
  language === pseudoLanguage ? 'en' : language
