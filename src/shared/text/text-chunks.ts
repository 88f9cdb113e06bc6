// Long texts in pieces: a document of 380,000 points is never one string, and each piece takes a millisecond or two.
import { createYielder } from '../yielding.ts'

const chunkCharacters = 32 * 1024

/**
 * Gathers short texts into pieces of some 32 KiB; longer only where one text is. No text is cut, so that each piece
 * can be encoded by itself. An empty text asks for a turn: work that writes nothing for long hands on what there is,
 * so that a piece may be short or even empty.
 */
export function* inChunks(texts: Iterable<string>): Generator<string, void> {
  let chunk = ''
  for (const text of texts) {
    chunk += text
    if (chunk.length < chunkCharacters && text !== '') continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

/**
 * The pieces with turns between them, the empty ones left out. A stream that is fed by a plain iterator takes piece
 * after piece without a pause for as long as its reader is quick: a second and a half for 43 MB.
 */
export async function* withTurns(
  chunks: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string, void> {
  const yielder = createYielder()
  for await (const chunk of chunks) {
    if (chunk !== '') yield chunk
    await yielder.yieldIfDue()
  }
}
