// What is still to be read from the original of a photo from an older version (column image.unread, contract C45).
import type { CaptureUpdate } from './sent-capture.ts'

/** None of them is part of another, so that SQL can take each out of the text. */
export const unreadWords = ['time', 'position', 'direction', 'altitude'] as const
export type UnreadWord = (typeof unreadWords)[number]

const wordOf: Readonly<Record<keyof CaptureUpdate, UnreadWord>> = {
  taken_at: 'time',
  taken_offset: 'time',
  taken_zone: 'time',
  taken_on: 'time',
  position_source: 'position',
  position_accuracy: 'position',
  direction: 'direction',
  altitude: 'altitude',
}

export const isUnreadOf = (unread: string): ((word: UnreadWord) => boolean) => {
  const words = new Set(unread.split(' '))
  return (word) => words.has(word)
}

/** What a change says, and what therefore is not to be read any more. */
export function wordsOf(update: CaptureUpdate): UnreadWord[] {
  const columns = Object.keys(update) as (keyof CaptureUpdate)[]
  return [...new Set(columns.map((column) => wordOf[column]))]
}
