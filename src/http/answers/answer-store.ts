// Answers in memory: each is valid until a commit changes what it depends on; their total size is bounded.
//
// The cache key is that of an HTTP cache: method, URL and the headers that the response names in Vary; and, in
// addition, the viewer.
import type { Refusal } from '../../errors.ts'
import type { Changes, Tag } from '../../commits.ts'
import { createBoundedCache, entryBytes } from '../../shared/bounded-cache.ts'
import { languageCookie } from '../../shared/languages.ts'
import { headerOf, type ReadHeader, type RequestHead } from './request-head.ts'

export type AnswerBody = string | Uint8Array

export interface StoredAnswer {
  readonly status: number
  /** Lower-case names, each followed by its value; without the rate limit headers. */
  readonly headers: readonly string[]
  /** In a text, each character represents a byte. Undefined if it is no longer available. */
  readonly body: (requestId: string) => AnswerBody | undefined
  readonly refusal: Refusal | null
  /** Whether to add rate limit headers: not if a shared cache would pass them to others. */
  readonly tellsRate: boolean
  /**
   * For a large body: called before it is sent, so that its memory counts as in use.
   * @returns what to call at the end; undefined if it cannot be lent, and Fastify has to answer.
   */
  readonly lend: (() => (() => void) | undefined) | undefined
  readonly dependsOn: readonly Tag[]
  /** The count of commits before it was made. */
  readonly since: number
  /** For answers that depend on more than the database: whether that is unchanged. */
  readonly isStill: (() => boolean) | undefined
  /** The memory it takes, without key and headers. */
  readonly bodyBytes: number
}

/** Headers that may be in Vary, and whether they are part of the key. Authorization is not: the viewer represents it. */
const variants: Readonly<Record<string, ReadHeader | 'nothing'>> = {
  authorization: 'nothing',
  accept: 'accept',
  'accept-encoding': 'accept-encoding',
  'accept-language': 'accept-language',
  cookie: 'cookie',
  origin: 'origin',
  'sec-fetch-dest': 'sec-fetch-dest',
  'access-control-request-method': 'access-control-request-method',
  'access-control-request-headers': 'access-control-request-headers',
}

/** @returns undefined if the response varies by a header that is not part of the key: then it must not be cached. */
export function variantsIn(vary: string): readonly ReadHeader[] | undefined {
  const names = vary.split(',').map((name) => name.trim().toLowerCase())
  const found = new Set(names.filter((name) => name !== '').map((name) => variants[name]))
  if (found.has(undefined)) return undefined
  return [...found].filter((name) => name !== undefined && name !== 'nothing')
}

export interface AnswerName {
  /** Method and address, without credentials. */
  readonly target: string
  readonly vary: readonly ReadHeader[]
  readonly viewer: string
  readonly head: RequestHead
}

/** No browser sends longer ones. */
const maxNameLength = 2_048

/** The value of a cookie without special characters, as a language is: the first of that name counts. */
function cookieIn(header: string, name: string): string {
  for (const pair of header.split(';')) {
    const cookie = pair.trimStart()
    if (cookie.startsWith(name) && cookie[name.length] === '=') return cookie.slice(name.length + 1).trimEnd()
  }
  return ''
}

/** Of cookies, only the language: apart from the viewer, no cached answer depends on another. */
function variantOf(head: RequestHead, name: ReadHeader): string {
  const value = headerOf(head, name) ?? ''
  return name === 'cookie' && value !== '' ? cookieIn(value, languageCookie) : value
}

function keyOf({ target, vary, viewer, head }: AnswerName): string {
  let key = `${target}\n${viewer}\n${headerOf(head, 'if-none-match') ?? ''}`
  for (const name of vary) key += `\n${variantOf(head, name)}`
  return key
}

export interface AnswerStoreOptions {
  readonly changes: Changes
  readonly maxBytes: number
}

export function createAnswerStore({ changes, maxBytes }: AnswerStoreOptions) {
  const answers = createBoundedCache<StoredAnswer & { readonly bytes: number }>({
    max: maxBytes,
    sizeOf: ({ bytes }) => bytes,
  })

  return {
    find: (name: AnswerName): StoredAnswer | undefined => {
      const key = keyOf(name)
      const found = answers.get(key)
      if (found === undefined || !changes.isUnchangedSince(found.since, found.dependsOn)) return undefined
      return found.isStill === undefined || found.isStill() ? found : undefined
    },

    keep: (name: AnswerName, answer: StoredAnswer): void => {
      const key = keyOf(name)
      // What was changed while the answer was made may or may not be in it.
      if (key.length > maxNameLength || !changes.isUnchangedSince(answer.since, answer.dependsOn)) return
      const headersLength = answer.headers.reduce((sum, text) => sum + text.length, 0)
      answers.set(key, { ...answer, bytes: entryBytes + key.length + headersLength + answer.bodyBytes })
    },

    bytes: answers.size,
  }
}
