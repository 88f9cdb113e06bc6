// The language that a person chose, brought along to a browser in which they sign in: as the web app's menu would set it.
import type { IncomingHttpHeaders } from 'node:http'
import { stringifySetCookie } from 'cookie'
import { isLanguage, languageCookie } from '../shared/languages.ts'
import { chosenLanguageOf, languageOf } from '../texts/request-language.ts'

const yearSeconds = 31_536_000

/**
 * The value of Set-Cookie; undefined where the browser has a choice of its own, or gets the pages in that language anyway.
 * @param stored with the account.
 */
export function languageCookieFor(
  headers: IncomingHttpHeaders,
  stored: string | null,
  publicUrl: string,
): string | undefined {
  if (!isLanguage(stored) || chosenLanguageOf(headers) !== undefined) return undefined
  if (languageOf(headers) === stored) return undefined
  const { protocol, pathname } = new URL(publicUrl)
  return stringifySetCookie({
    name: languageCookie,
    value: stored,
    // Not httpOnly, and of the same path: the menu of the web app replaces it.
    path: pathname.replace(/(.)\/$/, '$1'),
    maxAge: yearSeconds,
    sameSite: 'lax',
    secure: protocol === 'https:',
  })
}
