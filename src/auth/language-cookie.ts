// Carries a user's chosen language to the browser in which they sign in, in the cookie of the web app's language menu.
import type { IncomingHttpHeaders } from 'node:http'
import { stringifySetCookie } from 'cookie'
import { isLanguage, languageCookie } from '../shared/languages.ts'
import { chosenLanguageOf, languageOf } from '../texts/request-language.ts'

const yearSeconds = 31_536_000

/**
 * The Set-Cookie value; undefined if the browser has its own choice, or already gets pages in that language.
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
    // Not httpOnly, and with the same path, so that the menu of the web app can replace it.
    path: pathname.replace(/(.)\/$/, '$1'),
    maxAge: yearSeconds,
    sameSite: 'lax',
    secure: protocol === 'https:',
  })
}
