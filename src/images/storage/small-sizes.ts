// The small sizes of a photo in one blob: their bytes one after the other, and an index of them in its row.
//
//   sm.jpeg · 150.jpeg · md.jpeg · 640.jpeg · base.jpeg │ sm.webp · 150.webp · md.webp · 640.webp
//
// WebP is made when somebody first asks for it, from the base, and added behind all the rest: what was there stays where it
// is, so that whoever read the row before finds it there.
import { digestOf, type NamedBytes, type Part } from './named-bytes.ts'

/** The name of the row and of the blob. */
export const smallName = 'small'

/** A picture of size 640 with little loss, which no view shows: WebP is made of it. */
const basePrefix = 'base.'

export const isWebp = (name: string): boolean => name.endsWith('.webp')

/** @returns undefined where there are no small sizes among them. */
export function joinSmall(
  made: readonly NamedBytes[],
): (NamedBytes & { parts: readonly Part[] }) | undefined {
  if (made.length === 0) return undefined
  const bytes = Buffer.concat(made.map((one) => one.bytes))
  return { name: smallName, bytes, digest: digestOf(bytes), parts: partsOf(made) }
}

/** @param from where the first of them begins. */
export function partsOf(made: readonly NamedBytes[], from = 0): Part[] {
  let start = from
  return made.map(({ name, bytes, digest }) => {
    const part = { name, start, bytes: bytes.length, digest }
    start += bytes.length
    return part
  })
}

/** What WebP is made of: a picture with transparency has no base besides size 640, which has lost nothing. */
export const findBase = (parts: readonly Part[]): Part | undefined =>
  parts.find(({ name }) => name.startsWith(basePrefix)) ?? parts.find(({ name }) => name === '640.png')

/** As the column has it: `[["sm.jpeg", 3051, "9f86…"], …]`. */
export const writeIndex = (parts: readonly Part[]): string =>
  JSON.stringify(parts.map(({ name, bytes, digest }) => [name, bytes, digest]))

export function readIndex(text: string, from = 0): Part[] {
  let start = from
  return (JSON.parse(text) as [string, number, string][]).map(([name, bytes, digest]) => {
    const part = { name, start, bytes, digest }
    start += bytes
    return part
  })
}
