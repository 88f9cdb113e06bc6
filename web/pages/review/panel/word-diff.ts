// A word-by-word diff of two texts, from their longest common subsequence.

interface Part {
  readonly kind: 'same' | 'gone' | 'new'
  readonly text: string
}

export interface Piece extends Part {
  /** Its offset in both texts: unique for each chunk. */
  readonly at: number
}

/** Words, and the spaces and punctuation around them, as separate tokens, so that a full stop alone can change. */
const tokensOf = (text: string): string[] =>
  text.match(/[\p{L}\p{M}\p{N}'’]+|\s+|[^\p{L}\p{M}\p{N}'’\s]/gu) ?? []

/** Lengths of the longest common subsequence of both remainders, for each pair of positions. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () =>
    Array.from({ length: after.length + 1 }, () => 0),
  )
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const row = lengths[i] ?? []
      row[j] =
        before[i] === after[j]
          ? (lengths[i + 1]?.[j + 1] ?? 0) + 1
          : Math.max(lengths[i + 1]?.[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return lengths
}

/** A space between two changes would read badly as unchanged text, so it belongs to both. */
function withoutIslands(pieces: readonly Part[]): Part[] {
  return pieces.flatMap((piece, at): Part[] => {
    const [before, after] = [pieces[at - 1]?.kind, pieces[at + 1]?.kind]
    const isIsland =
      piece.text.trim() === '' &&
      before !== undefined &&
      before !== 'same' &&
      after !== undefined &&
      after !== 'same'
    if (piece.kind !== 'same' || !isIsland) return [piece]
    return [
      { kind: 'gone', text: piece.text },
      { kind: 'new', text: piece.text },
    ]
  })
}

/** Merges adjacent chunks of one kind; within a change, the removed text comes first. */
function join(split: readonly Part[]): Part[] {
  const pieces = withoutIslands(split)
  const joined: Part[] = []
  let gone = ''
  let added = ''
  const flush = (): void => {
    if (gone !== '') joined.push({ kind: 'gone', text: gone })
    if (added !== '') joined.push({ kind: 'new', text: added })
    gone = ''
    added = ''
  }
  for (const { kind, text } of pieces) {
    if (kind === 'gone') gone += text
    else if (kind === 'new') added += text
    else {
      const last = joined.at(-1)
      const isGoingOn = gone === '' && added === '' && last?.kind === 'same'
      flush()
      if (isGoingOn) joined[joined.length - 1] = { kind, text: last.text + text }
      else joined.push({ kind, text })
    }
  }
  flush()
  return joined
}

/** Unchanged and removed chunks form `before`, unchanged and added ones form `after`. */
export function diffWords(before: string, after: string): Piece[] {
  const [from, to] = [tokensOf(before), tokensOf(after)]
  const lengths = commonLengths(from, to)
  const pieces: Part[] = []
  let [i, j] = [0, 0]
  while (i < from.length || j < to.length) {
    const [gone, added] = [from[i], to[j]]
    if (gone !== undefined && gone === added) {
      pieces.push({ kind: 'same', text: gone })
      i += 1
      j += 1
    } else if (
      added === undefined ||
      (gone !== undefined && (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))
    ) {
      pieces.push({ kind: 'gone', text: gone ?? '' })
      i += 1
    } else {
      pieces.push({ kind: 'new', text: added })
      j += 1
    }
  }
  let at = 0
  return join(pieces).map(({ kind, text }) => {
    const piece = { kind, text, at }
    at += text.length
    return piece
  })
}
