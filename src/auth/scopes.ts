// The closed list of OAuth scopes (contract C29) and how a scope text is read.

export const scopes = [
  'images:read',
  'images:write',
  'images:review',
  'routes:read',
  'routes:write',
  'trails:write',
] as const

export type Scope = (typeof scopes)[number]

export function isScope(word: string): word is Scope {
  return (scopes as readonly string[]).includes(word)
}

/** The scopes of a scope text according to RFC 6749: separated by spaces; order and repetition have no meaning. */
export function scopeWords(text: string): string[] {
  return [...new Set(text.split(' ').filter((word) => word !== ''))]
}
