// Text and numbers as they are written in a GPX document.
import { replaceForbidden } from '../text/characters.ts'

const inAttribute = /[&<>"\t\n\r]/g
const inElement = /[&<>\r]/g

const escaped = (text: string, special: RegExp): string =>
  replaceForbidden(text).replace(special, (character) => `&#${character.charCodeAt(0)};`)

/** Characters that XML would interpret are written as references, including line ends (C8). */
export const escapeAttribute = (text: string): string => escaped(text, inAttribute)
export const escapeText = (text: string): string => escaped(text, inElement)

/**
 * The shortest decimal that reads as the same number, below 1e21. The schema allows no exponent, and its readers only
 * a limited number of digits (XSD 1.0 requires 18, libxml2 accepts 24). Numbers with more than 20 decimals are
 * rounded, far below the width of an atom.
 */
export function decimal(value: number): string {
  if (value === 0 || Math.abs(value) >= 1e-6) return String(value)
  const text = value.toFixed(20).replace(/\.?0+$/, '')
  return text === '-0' ? '0' : text
}

const scheme = /^[A-Za-z][A-Za-z\d+.-]*:/

/**
 * Percent-encodes characters that are not allowed in a URL. A first part that only looks like a scheme becomes a
 * relative path.
 */
export function addressText(value: string): string {
  const trimmed = value.trim()
  const encoded = trimmed
    .toWellFormed()
    .replace(/%([\da-f]{2})?/gi, (all, hex?: string) => (hex === undefined ? '%25' : all))
    .replace(/[^\w\-.~:/?#@!$&'()*+,;=%]/gu, (character) => encodeURIComponent(character))
  const [before = '', ...fragments] = encoded.split('#')
  const address = fragments.length === 0 ? before : `${before}#${fragments.join('%23')}`
  const isRelative = !scheme.test(address) && /^[^/?#]*:/.test(address)
  return isRelative ? `./${address}` : address
}
