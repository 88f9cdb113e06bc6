// Text of any length, looked at a part at a time: as one string, V8 would have to copy all of it in one step.
import { yieldTurn } from '../yielding.ts'

/** As long as putting it together is half a millisecond. */
const shortCharacters = 1024 ** 2

/**
 * V8 puts a string that was added up together when it is first looked at, all of it in one step: 20 ms for the longest
 * that a body of 24 MiB may hold, the most of it for memory that was not touched before. Here it has a turn of its own.
 */
export async function putTogether(text: LongText): Promise<void> {
  if (text.length <= shortCharacters) return
  await yieldTurn()
  text.charCodeAt(0)
  await yieldTurn()
}

/** A plain string is one, too. */
export interface LongText {
  readonly length: number
  readonly charCodeAt: (index: number) => number
  readonly slice: (from: number, until: number) => string
}

/** Text in the pieces in which it was decoded, none of them empty. */
export function textOfChunks(chunks: readonly string[]): LongText {
  const starts: number[] = []
  let length = 0
  for (const chunk of chunks) {
    starts.push(length)
    length += chunk.length
  }
  /** The piece that was asked for last: the next is that one or its neighbour. */
  let at = 0
  const startOf = (chunk: number): number => starts[chunk] ?? length

  function goTo(index: number): void {
    while (at > 0 && index < startOf(at)) at -= 1
    while (at < chunks.length - 1 && index >= startOf(at + 1)) at += 1
  }

  return {
    length,
    charCodeAt: (index) => {
      goTo(index)
      return (chunks[at] ?? '').charCodeAt(index - startOf(at))
    },
    slice: (from, until) => {
      goTo(from)
      let text = ''
      for (let chunk = at; chunk < chunks.length && startOf(chunk) < until; chunk += 1) {
        const start = startOf(chunk)
        text += (chunks[chunk] ?? '').slice(Math.max(from - start, 0), Math.max(until - start, 0))
      }
      return text
    },
  }
}

/** What is in view, and how much of it lies ahead of any place that is looked at, unless the text ends before. */
const viewCharacters = 256 * 1024
export const aheadCharacters = 32 * 1024

/** Looks through a text from its beginning to its end. */
export interface TextView {
  readonly length: number
  readonly charAt: (index: number) => string
  readonly charCodeAt: (index: number) => number
  /** Where a match of the sticky pattern that begins at `index` ends; undefined if none begins there. */
  readonly endOf: (sticky: RegExp, index: number) => number | undefined
  /** The match that begins there. */
  readonly matchAt: (sticky: RegExp, index: number) => RegExpExecArray | null
}

/** @returns a view that patterns may match in, as long as what they match is not longer than `aheadCharacters`. */
export function viewOf(text: LongText): TextView {
  const { length } = text
  let view = text.slice(0, viewCharacters)
  let start = 0

  function show(index: number): number {
    const end = start + view.length
    if (end < length && index + aheadCharacters > end) {
      start = index
      view = text.slice(index, index + viewCharacters)
    }
    return index - start
  }

  const matchAt = (sticky: RegExp, index: number): RegExpExecArray | null => {
    sticky.lastIndex = show(index)
    return sticky.exec(view)
  }

  return {
    length,
    // Shown first: what is in view may be another text then.
    charAt: (index) => {
      const at = show(index)
      return view.charAt(at)
    },
    charCodeAt: (index) => {
      const at = show(index)
      return view.charCodeAt(at)
    },
    endOf: (sticky, index) => {
      sticky.lastIndex = show(index)
      return sticky.test(view) ? sticky.lastIndex + start : undefined
    },
    matchAt,
  }
}
