// The paths of the classic surface: every spelling that the contract lets through (C1, C4), brought to one.

/** Stands in a canonical path where an id belongs and none was sent; no id is ever spelled so. */
export const notAnId = '-'

const anId = ':id'

/** The paths as they are spelled canonically. */
const classicPaths: readonly (readonly string[])[] = [
  ['Trails', anId, 'Images'],
  ['Trails', anId, 'Images', anId],
  ['Accounts', anId, 'Routes'],
  ['Accounts', anId, 'Routes', anId],
  ['ImageHandler'],
]

const prefixes: ReadonlySet<string> = new Set(['v1', 'v1.6'])

/**
 * Brings a path (as sent, without its query) to its canonical spelling: prefix and trailing slash gone, words
 * in the contract's letters, `notAnId` for every segment that stands where an id belongs and is none. So the
 * router meets clean paths only, and a word, a sign, a number too large, a broken escape or `..` in place of
 * an id is answered by the endpoint's own 404 (C4), never by the framework. Any other path, `/v2/` and
 * unknown version prefixes among them, comes back untouched.
 */
export function canonicalPath(path: string): string {
  if (!path.startsWith('/')) return path
  const segments = path.slice(1).split('/')
  if (prefixes.has(segments[0]?.toLowerCase() ?? '')) segments.shift()
  if (segments.at(-1) === '') segments.pop()

  const match = classicPaths.find((words) => hasWords(segments, words))
  if (match === undefined) return path
  const canonical = match.map((word, index) => (word === anId ? canonicalId(segments[index] ?? '') : word))
  return `/${canonical.join('/')}`
}

function hasWords(segments: readonly string[], words: readonly string[]): boolean {
  if (segments.length !== words.length) return false
  return words.every((word, index) => word === anId || word.toLowerCase() === segments[index]?.toLowerCase())
}

function canonicalId(segment: string): string {
  return parseId(segment) === undefined ? notAnId : segment
}

/** An id as it is written in a path: decimal digits, no sign, no leading zero, from 1 to 2^53−1. */
export function parseId(segment: string): number | undefined {
  const value = /^[1-9]\d{0,15}$/.test(segment) ? Number(segment) : Number.NaN
  return Number.isSafeInteger(value) ? value : undefined
}
