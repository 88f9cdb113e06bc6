// Which passwords are refused: too short or long, very common, patterns, or made from the user's or site's name.
import { readFile } from 'node:fs/promises'
import { refuse, type Refusal } from '../errors.ts'
import { textsIn } from '../texts/texts.ts'
import { countCharacters } from '../shared/text/characters.ts'

const minLength = 8
const maxLength = 1_024
/** Shorter parts of a name or host, such as "de" and "www", say nothing about a password. */
const minPartLength = 3
/**
 * Up to this many digits and symbols around a common word do not make it better; more may be the better part of a
 * password.
 */
const maxPadding = 5

/** The user and the site. */
export interface PasswordOwner {
  readonly email: string
  readonly displayName: string
  /** From siteWordsOf. */
  readonly siteWords: readonly string[]
}

const weak = (why: 'passwordOwn' | 'passwordPattern' | 'passwordCommon'): Refusal =>
  refuse('invalid-field', { detail: (language) => textsIn(language).details[why] })

let common: Promise<ReadonlySet<string>> | undefined

/** The 49,000 most common ones in the package's list, which has no patterns; loaded at first use. */
async function readCommon(): Promise<ReadonlySet<string>> {
  const file = new URL(import.meta.resolve('@zxcvbn-ts/language-common/src/passwords.json'))
  const list = JSON.parse(await readFile(file, 'utf8')) as readonly string[]
  return new Set(list.map((password) => password.toLowerCase()))
}

function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= readCommon()
  return common
}

/** Only letters and digits, in one case and without accents. */
const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

const isLetter = (character: string): boolean => /\p{L}/u.test(character)

/** Without leading and trailing characters that are not letters. */
function withoutPadding(text: string): string {
  const characters = Array.from(text)
  return characters.slice(characters.findIndex(isLetter), characters.findLastIndex(isLetter) + 1).join('')
}

/** The site's name, and the parts of its host. */
export function siteWordsOf({
  siteName,
  publicUrl,
}: {
  readonly siteName: string
  readonly publicUrl: string
}): readonly string[] {
  const { hostname } = new URL(publicUrl)
  return ['waymark', siteName, hostname, ...hostname.split('.')].filter(
    ({ length }) => length >= minPartLength,
  )
}

function wordsOf({ email, displayName, siteWords }: PasswordOwner): ReadonlySet<string> {
  const parts = displayName.split(/\s/u).filter(({ length }) => length >= minPartLength)
  const words = [email, email.split('@')[0] ?? '', displayName, ...parts, ...siteWords].map(fold)
  return new Set([...words, ...words.map(withoutPadding)].filter((word) => word !== ''))
}

/** Does the text consist only of these words, in any order? */
function isMadeOf(text: string, words: ReadonlySet<string>): boolean {
  const reached = new Set([0])
  for (let at = 0; at < text.length; at += 1) {
    if (!reached.has(at)) continue
    for (const word of words) if (text.startsWith(word, at)) reached.add(at + word.length)
  }
  return text !== '' && reached.has(text.length)
}

/** A short part repeated, as in "abcabcab"; the last repetition may be incomplete. */
function isRepetition(text: string): boolean {
  for (let period = 1; period < minLength && period * 2 <= text.length; period += 1)
    if (text.startsWith(text.slice(period))) return true
  return false
}

/** Each character follows the one before, or precedes it, as in "12345678", "7890123456" and "hgfedcba". */
function isRun(text: string): boolean {
  const digits = '01234567890123456789'
  if (digits.includes(text) || digits.includes(Array.from(text).toReversed().join(''))) return true
  const steps = Array.from(text.slice(1), (_, index) => text.charCodeAt(index + 1) - text.charCodeAt(index))
  return steps.every((step) => step === 1) || steps.every((step) => step === -1)
}

function isCommon(password: string, known: ReadonlySet<string>): boolean {
  const word = withoutPadding(password)
  return known.has(password) || (password.length - word.length <= maxPadding && known.has(word))
}

/** @throws refusal `invalid-field` with one sentence that says why. */
export async function checkPassword(password: string, owner: PasswordOwner): Promise<void> {
  const length = countCharacters(password)
  if (length < minLength || length > maxLength) {
    throw refuse('invalid-field', {
      detail: (language) => textsIn(language).details.passwordLength(minLength, maxLength),
    })
  }
  const folded = fold(password)
  const words = wordsOf(owner)
  if (isMadeOf(folded, words) || isMadeOf(withoutPadding(folded), words)) throw weak('passwordOwn')
  const plain = password.normalize('NFC').toLowerCase()
  if (isRepetition(plain) || isRun(plain)) throw weak('passwordPattern')
  if (isCommon(plain, await commonPasswords())) throw weak('passwordCommon')
}
