// A parsed value as JSON text in short pieces: JSON.stringify of a million numbers cannot be interrupted.

const pieceCharacters = 16 * 1024

/** What JSON.stringify gives of a value that JSON.parse gave, in pieces of some 16 KiB; longer only where a string is. */
export function* jsonTexts(value: unknown): Generator<string, void> {
  let piece = ''
  function* write(part: unknown): Generator<string, void> {
    if (typeof part !== 'object' || part === null) piece += JSON.stringify(part)
    else if (Array.isArray(part)) {
      piece += '['
      for (const [index, member] of part.entries()) {
        if (index > 0) piece += ','
        yield* write(member)
      }
      piece += ']'
    } else {
      piece += '{'
      let comma = ''
      for (const [name, member] of Object.entries(part)) {
        piece += `${comma}${JSON.stringify(name)}:`
        comma = ','
        yield* write(member)
      }
      piece += '}'
    }
    if (piece.length < pieceCharacters) return
    yield piece
    piece = ''
  }
  yield* write(value)
  if (piece !== '') yield piece
}
