// Text that is mostly a few characters, and may be megabytes: then it is kept in pieces, each put together.

export interface LongPieces {
  /** What was added last. */
  last: string
  /** What came before; undefined while it is short. */
  before: string[] | undefined
}

const pieceCharacters = 32 * 1024

export const noLongText = (): LongPieces => ({ last: '', before: undefined })

export function addText(to: LongPieces, text: string): void {
  if (to.last.length + text.length < pieceCharacters) {
    to.last += text
    return
  }
  // By `join`, which copies: V8 keeps a text that was only added up in all its parts, at ten times its length.
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
