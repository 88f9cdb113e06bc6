// The paths of the classic surface: converts every spelling that the contract allows (C1, C4) to one.

/** In a canonical path, replaces an invalid id; no id is ever spelled like this. */
export const notAnId = '-'

const anId = ':id'

/** The canonical paths. */
const classicPaths: readonly (readonly string[])[] = [
  ['Trails', anId, 'Images'],
  ['Trails', anId, 'Images', anId],
  ['Accounts', anId, 'Routes'],
  ['Accounts', anId, 'Routes', anId],
  ['ImageHandler'],
]

const prefixes: ReadonlySet<string> = new Set(['v1', 'v1.6'])

/**
 * Converts a path (as sent, without its query) to its canonical spelling: without prefix and trailing slash, words in
 * the contract's case, and `notAnId` for every invalid id. So the router only sees clean paths, and a word, a sign, a
 * number too large, a broken escape or `..` in place of an id gets the endpoint's own 404 (C4), never the framework's.
 * Any other path, including `/v2/` and unknown version prefixes, is returned unchanged.
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

/** An id in a path: decimal digits, no sign, no leading zero, from 1 to 2^53−1. */
export function parseId(segment: string): number | undefined {
  const value = /^[1-9]\d{0,15}$/.test(segment) ? Number(segment) : Number.NaN
  return Number.isSafeInteger(value) ? value : undefined
}
