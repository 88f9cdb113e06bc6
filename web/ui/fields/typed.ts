// A text that is typed into a field while its value lives in the address: which of the two is shown.

export interface Typed {
  /** In the field. */
  readonly text: string
  /** What the field reported last. */
  readonly reported: string
  /** What the address was last. */
  readonly seen: string
}

export const typedFrom = (value: string): Typed => ({ text: value, reported: value, seen: value })

/**
 * The address may change without the field: back, or a button that shows all. What the field reported comes back a moment
 * later, trimmed, and takes nothing away from who goes on typing.
 */
export function follow(typed: Typed, value: string): Typed {
  if (value === typed.seen) return typed
  return value === typed.reported ? { ...typed, seen: value } : typedFrom(value)
}
