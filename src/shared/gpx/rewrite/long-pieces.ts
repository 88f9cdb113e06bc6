// Text that usually has a few characters but may have megabytes: then it is collected in chunks, each joined.

export interface LongPieces {
  /** The text added last. */
  last: string
  /** The earlier chunks; undefined while the text is short. */
  before: string[] | undefined
}

const pieceCharacters = 32 * 1024

export const noLongText = (): LongPieces => ({ last: '', before: undefined })

export function addText(to: LongPieces, text: string): void {
  if (to.last.length + text.length < pieceCharacters) {
    to.last += text
    return
  }
  // With `join`, which copies: V8 keeps concatenated text as a tree of all its parts, at ten times its length.
  ;(to.before ??= []).push(text === '' ? to.last : [to.last, text].join(''))
  to.last = ''
}

export const isEmpty = ({ last, before }: LongPieces): boolean => last === '' && before === undefined

export function* piecesOf({ last, before = [] }: LongPieces): Generator<string, void> {
  yield* before
  if (last !== '') yield last
}

export function addAll(to: LongPieces, { last, before }: LongPieces): void {
  if (before !== undefined) {
    const pieces = (to.before ??= [])
    if (to.last !== '') pieces.push(to.last)
    for (const piece of before) pieces.push(piece)
    to.last = ''
  }
  addText(to, last)
}
