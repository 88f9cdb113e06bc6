// What size lg lacks of an upload, so that the two need not both be stored: the original is rebuilt from them, bit for bit.
//
// Size lg holds long stretches of the upload, in its order; metadata and what no decoder reads is left out, and here and
// there a few bytes are others. What is kept is a list of steps, then the bytes that lg lacks:
//
//   WMR1 · number of steps · { bytes lacking · bytes of lg to skip · bytes of lg to take } … · the lacking bytes
//
// Numbers are LEB128, as in WebAssembly and DWARF.

const magic = Buffer.from('WMR1')
/** Photos have a few. More would take longer to find than a copy of the upload takes to write, while nobody has a turn. */
const maxSteps = 10_000
const maxSearchedBytes = 64 * 1024 ** 2
/** Equal bytes that are no coincidence. */
const anchorLength = 24
const nearby = 64
/** Where to look in lg, from the first byte that differs, for what the upload has further on. */
const anchorOffsets = [
  ...Array.from({ length: 64 }, (_, index) => index * 8),
  ...Array.from({ length: 16 }, (_, index) => 1_024 * (index + 1)),
  ...[32, 64, 128, 256, 512].map((kib) => kib * 1_024),
]
/** The longest part of an upload that is left out in one piece; of several, each is found by itself. */
const windowBytes = 4 * 1024 ** 2

interface Step {
  readonly lacking: number
  readonly skip: number
  readonly take: number
}

/** How many bytes are equal from there on. */
function equalBytes(one: Buffer, from: number, other: Buffer, otherFrom: number): number {
  const end = Math.min(one.length - from, other.length - otherFrom)
  let length = 0
  for (let block = 64; length < end; block = Math.min(block * 2, 1024 ** 2)) {
    const next = Math.min(length + block, end)
    const isSame = one.compare(other, otherFrom + length, otherFrom + next, from + length, from + next) === 0
    if (isSame) {
      length = next
      continue
    }
    while (one[from + length] === other[otherFrom + length]) length += 1
    return length
  }
  return length
}

const areEqual = (one: Buffer, from: number, other: Buffer, otherFrom: number, length: number): boolean =>
  from + length <= one.length &&
  otherFrom + length <= other.length &&
  one.compare(other, otherFrom, otherFrom + length, from, from + length) === 0

/** A few bytes that are others, and nothing moved. */
function findReplaced(upload: Buffer, at: number, large: Buffer, largeAt: number): Resumed | undefined {
  for (let count = 1; count <= nearby; count += 1) {
    if (areEqual(upload, at + count, large, largeAt + count, anchorLength / 2))
      return { at: at + count, largeAt: largeAt + count }
  }
  return undefined
}

interface Resumed {
  readonly at: number
  readonly largeAt: number
}

/** Finds where the two match again. */
function createSearch(upload: Buffer, large: Buffer) {
  let searched = 0

  function findMoved(at: number, largeAt: number): Resumed | undefined {
    const window = upload.subarray(at, at + windowBytes)
    for (const offset of anchorOffsets) {
      const start = largeAt + offset
      if (start + anchorLength > large.length || searched > maxSearchedBytes) return undefined
      const found = window.indexOf(large.subarray(start, start + anchorLength))
      searched += found < 0 ? window.length : found
      if (found < 0) continue
      let back = 0
      while (back < offset && back < found && upload[at + found - back - 1] === large[start - back - 1])
        back += 1
      return { at: at + found - back, largeAt: start - back }
    }
    return undefined
  }

  return (at: number, largeAt: number): Resumed | undefined =>
    findReplaced(upload, at, large, largeAt) ?? findMoved(at, largeAt)
}

function stepsBetween(upload: Buffer, large: Buffer): Step[] | undefined {
  const steps: Step[] = []
  const find = createSearch(upload, large)
  for (let [at, largeAt] = [0, 0]; at < upload.length;) {
    if (steps.length === maxSteps) return undefined
    const isTogether = upload[at] === large[largeAt]
    const resumed = isTogether ? { at, largeAt } : find(at, largeAt)
    if (resumed === undefined) {
      steps.push({ lacking: upload.length - at, skip: 0, take: 0 })
      return steps
    }
    const take = equalBytes(upload, resumed.at, large, resumed.largeAt)
    steps.push({ lacking: resumed.at - at, skip: resumed.largeAt - largeAt, take })
    at = resumed.at + take
    largeAt = resumed.largeAt + take
  }
  return steps
}

function writeNumber(value: number, into: number[]): void {
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) into.push((rest % 0x80) | 0x80)
  into.push(rest)
}

/**
 * @param upload the whole file as it was sent.
 * @param large size lg of it.
 * @returns what `rebuild` needs besides `large`; undefined where that is as long as the upload, or takes too long to find:
 *   then the upload itself is kept.
 */
export function findRemoved(upload: Uint8Array, large: Uint8Array): Buffer | undefined {
  const whole = Buffer.from(upload.buffer, upload.byteOffset, upload.byteLength)
  const steps = stepsBetween(whole, Buffer.from(large.buffer, large.byteOffset, large.byteLength))
  if (steps === undefined) return undefined
  const numbers: number[] = []
  writeNumber(steps.length, numbers)
  const lacking: Buffer[] = []
  let at = 0
  for (const step of steps) {
    for (const value of [step.lacking, step.skip, step.take]) writeNumber(value, numbers)
    lacking.push(whole.subarray(at, at + step.lacking))
    at += step.lacking + step.take
  }
  const removed = Buffer.concat([magic, Buffer.from(numbers), ...lacking])
  return removed.length < upload.length ? removed : undefined
}

/** @throws Error where the bytes are not what `findRemoved` made. */
function readSteps(removed: Buffer): { readonly steps: readonly Step[]; readonly end: number } {
  let at = magic.length
  function readNumber(): number {
    for (let [value, factor] = [0, 1]; ; factor *= 0x80) {
      const byte = removed[at]
      if (byte === undefined || factor > 2 ** 42) throw new Error('what was removed of an upload is damaged')
      at += 1
      value += (byte % 0x80) * factor
      if (byte < 0x80) return value
    }
  }
  if (!removed.subarray(0, at).equals(magic)) throw new Error('what was removed of an upload is damaged')
  const count = readNumber()
  const steps: Step[] = []
  while (steps.length < count && at < removed.length)
    steps.push({ lacking: readNumber(), skip: readNumber(), take: readNumber() })
  return { steps, end: at }
}

/**
 * The upload, in chunks of the two. Callers compare its SHA-256 with that of the upload.
 * @throws Error if the bytes were not made by `findRemoved`.
 */
export function rebuild(large: Uint8Array, removed: Uint8Array): Uint8Array[] {
  const read = Buffer.from(removed.buffer, removed.byteOffset, removed.byteLength)
  const { steps, end } = readSteps(read)
  const pieces: Uint8Array[] = []
  let [at, largeAt] = [end, 0]
  for (const { lacking, skip, take } of steps) {
    if (lacking > 0) pieces.push(read.subarray(at, at + lacking))
    if (take > 0) pieces.push(large.subarray(largeAt + skip, largeAt + skip + take))
    at += lacking
    largeAt += skip + take
  }
  return pieces
}

/** The same of a size lg that comes in pieces, of which none is kept. */
export async function* rebuildInPieces(
  large: AsyncIterable<Uint8Array>,
  removed: Uint8Array,
): AsyncGenerator<Uint8Array> {
  const read = Buffer.from(removed.buffer, removed.byteOffset, removed.byteLength)
  const { steps, end } = readSteps(read)
  const source = large[Symbol.asyncIterator]()
  let piece: Uint8Array = new Uint8Array(0)
  let at = end
  try {
    for (const { lacking, skip, take } of steps) {
      if (lacking > 0) yield read.subarray(at, at + lacking)
      at += lacking
      for (let [toSkip, toTake] = [skip, take]; toSkip + toTake > 0;) {
        if (piece.length === 0) {
          const next = await source.next()
          if (next.done === true) return
          piece = next.value
        }
        const skipped = Math.min(toSkip, piece.length)
        toSkip -= skipped
        const taken = piece.subarray(skipped, skipped + (toSkip === 0 ? toTake : 0))
        if (taken.length > 0) yield taken
        toTake -= taken.length
        piece = piece.subarray(skipped + taken.length)
      }
    }
  } finally {
    await source.return?.() // what lg ends with, and a reader who has left
  }
}
