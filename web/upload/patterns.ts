// Fills titles and captions of many photos from one pattern: {n}, {name}, {date}, {trail}.
import { countCharacters } from '../../src/shared/text/characters.ts'
import { formatDay } from '../ui/format.ts'
import type { QueuedPhoto } from './photo.ts'

/** Of a title and of a caption, in characters as the contract counts them (C13). */
export const maxCharacters = 256

export const isTooLong = (text: string): boolean => countCharacters(text.trim()) > maxCharacters

/** @param number of the photo among those that are filled in, from 1. */
export function fillPattern(pattern: string, photo: QueuedPhoto, number: number): string {
  const { name, facts, trail } = photo
  const values: Readonly<Record<string, string>> = {
    n: String(number),
    name: name.replace(/\.[^.]{1,5}$/, ''),
    date: facts?.takenAt === undefined ? '' : formatDay(facts.takenAt.slice(0, 19)),
    trail: trail?.name ?? '',
  }
  return pattern.replaceAll(/\{(n|name|date|trail)\}/g, (_, key: string) => values[key] ?? '').trim()
}
