// Which passwords are refused where one is set: too short or long, among the most common, or who and where one is.
import { readFile } from 'node:fs/promises'
import { refuse, type Refusal } from '../errors.ts'

const minLength = 8
const maxLength = 1_024
/** Shorter parts of a name or host, such as "de" and "www", are no hint at a password. */
const minPartLength = 3

/** Who the password is for, and where. */
export interface PasswordOwner {
  readonly email: string
  readonly displayName: string
  /** As siteWordsOf gives them. */
  readonly siteWords: readonly string[]
}

const weak = (why: string): Refusal =>
  refuse('invalid-field', { detail: `password ${why}: choose another, such as three or four words.` })

let common: Promise<ReadonlySet<string>> | undefined

/** The 49,000 most common of the package's list, as far as they are long enough; read when it is first needed. */
async function readCommon(): Promise<ReadonlySet<string>> {
  const file = new URL(import.meta.resolve('@zxcvbn-ts/language-common/src/passwords.json'))
  const list = JSON.parse(await readFile(file, 'utf8')) as readonly string[]
  return new Set(list.filter(({ length }) => length >= minLength).map((password) => password.toLowerCase()))
}

function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= readCommon()
  return common
}

/** Letters and digits alone, in one case. */
const fold = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

const isLetter = (character: string): boolean => /\p{L}/u.test(character)

/** Without the digits before and after. */
function withoutPadding(folded: string): string {
  const characters = Array.from(folded)
  return characters.slice(characters.findIndex(isLetter), characters.findLastIndex(isLetter) + 1).join('')
}

/** What the site is called: its name, and the parts of its host. */
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

/** @throws refusal `invalid-field`, whose one sentence says why. */
export async function checkPassword(password: string, owner: PasswordOwner): Promise<void> {
  if (password.length < minLength || password.length > maxLength) {
    throw refuse('invalid-field', { detail: `password must have ${minLength} to ${maxLength} characters.` })
  }
  const folded = fold(password)
  const words = wordsOf(owner)
  if (words.has(folded) || words.has(withoutPadding(folded)))
    throw weak('must not be your name, your e-mail address or the name of the site')
  const known = await commonPasswords()
  if (known.has(password.normalize('NFC').toLowerCase())) throw weak('is one of the most common ones')
}
