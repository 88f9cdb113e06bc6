// The small sizes of a photo in one blob: their bytes one after the other, and an index of them in its row.
//
//   640.jpeg · md.jpeg · 150.jpeg · sm.jpeg · base.jpeg
//   640.jpeg · md.jpeg · 150.jpeg · sm.jpeg · 640.webp · md.webp · 150.webp · sm.webp
//
// WebP is made from the base at its first view, and takes the place of the base. Every other size keeps its offset, so a
// reader that has an older row still finds it.
import { digestOf, type NamedBytes, type Part } from './named-bytes.ts'

/** The name of the row and of the blob. */
export const smallName = 'small'

/** A picture of size 640 with little loss, which no view shows: WebP is made of it. */
const basePrefix = 'base.'

export const isWebp = (name: string): boolean => name.endsWith('.webp')

export function joinSmall(made: readonly NamedBytes[]): NamedBytes & { parts: readonly Part[] } {
  const bytes = Buffer.concat(made.map((one) => one.bytes))
  return { name: smallName, bytes, digest: digestOf(bytes), parts: partsOf(made) }
}

function partsOf(made: readonly NamedBytes[]): Part[] {
  let start = 0
  return made.map(({ name, bytes, digest }) => {
    const part = { name, start, bytes: bytes.length, digest }
    start += bytes.length
    return part
  })
}

/** The blob as it is once WebP was made: without what that is made of, if it is that alone. */
export function withWebp(
  before: Uint8Array,
  parts: readonly Part[],
  webp: readonly NamedBytes[],
): NamedBytes & { parts: readonly Part[] } {
  const plain = parts
    .filter(({ name }) => !name.startsWith(basePrefix))
    .map(({ name, start, bytes, digest }) => ({ name, bytes: before.subarray(start, start + bytes), digest }))
  return joinSmall([...plain, ...webp])
}

/** What WebP is made of: a picture with transparency has no base besides size 640, which has lost nothing. */
export const findBase = (parts: readonly Part[]): Part | undefined =>
  parts.find(({ name }) => name.startsWith(basePrefix)) ?? parts.find(({ name }) => name === '640.png')

/** As the column has it: `[["sm.jpeg", 3051, "9f86…"], …]`. */
export const writeIndex = (parts: readonly Part[]): string =>
  JSON.stringify(parts.map(({ name, bytes, digest }) => [name, bytes, digest]))

export function readIndex(text: string): Part[] {
  let start = 0
  return (JSON.parse(text) as [string, number, string][]).map(([name, bytes, digest]) => {
    const part = { name, start, bytes, digest }
    start += bytes
    return part
  })
}
