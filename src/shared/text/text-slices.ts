// Long text in slices, so that what is written of it is written in short steps.
import { isHighSurrogate, isLowSurrogate } from './characters.ts'
import type { LongText } from './long-text.ts'

/** Escaping so many takes less than a millisecond. */
export const maxSliceCharacters = 64 * 1024

/** The text in slices of about one length; no surrogate pair is cut in two. */
export function* slicesOf(text: LongText, maxCharacters = maxSliceCharacters): Generator<string, void> {
  let from = 0
  while (from < text.length) {
    let end = Math.min(from + maxCharacters, text.length)
    if (isHighSurrogate(text.charCodeAt(end - 1)) && isLowSurrogate(text.charCodeAt(end))) end -= 1
    yield text.slice(from, end)
    from = end
  }
}
