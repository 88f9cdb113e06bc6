// A parsed value as JSON text in short pieces: JSON.stringify of a million numbers cannot be interrupted.

const chunkCharacters = 16 * 1024

/** What JSON.stringify gives of a value that JSON.parse gave, in pieces of some 16 KiB; longer only where a string is. */
export function* jsonTexts(value: unknown): Generator<string, void> {
  let chunk = ''
  function* write(part: unknown): Generator<string, void> {
    if (typeof part !== 'object' || part === null) chunk += JSON.stringify(part)
    else if (Array.isArray(part)) {
      chunk += '['
      for (const [index, member] of part.entries()) {
        if (index > 0) chunk += ','
        yield* write(member)
      }
      chunk += ']'
    } else {
      chunk += '{'
      let comma = ''
      for (const [name, member] of Object.entries(part)) {
        chunk += `${comma}${JSON.stringify(name)}:`
        comma = ','
        yield* write(member)
      }
      chunk += '}'
    }
    if (chunk.length < chunkCharacters) return
    yield chunk
    chunk = ''
  }
  yield* write(value)
  if (chunk !== '') yield chunk
}
