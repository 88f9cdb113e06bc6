// Damages files by a seeded random generator, so that every run with a seed has the same files.
import { crc32 } from 'node:zlib'
import { createRandom } from '../helpers/containers-fixtures.ts'
import type { Seed } from './seeds.ts'

export interface Mutant {
  readonly name: string
  readonly type: Seed['type']
  readonly bytes: Buffer
}

type Random = () => number
type Mutation = (bytes: Buffer, random: Random) => Buffer

const below = (random: Random, limit: number): number => Math.floor(random() * limit)
const chosen = <T>(random: Random, items: readonly [T, ...T[]]): T =>
  items[below(random, items.length)] ?? items[0]

const extremes: readonly [number, ...number[]] = [
  0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
]

function block(bytes: Buffer, random: Random): { from: number; to: number } {
  const from = below(random, bytes.length)
  const to = Math.min(bytes.length, from + 1 + below(random, Math.max(1, bytes.length >> below(random, 6))))
  return { from, to }
}

const mutations = {
  'flipped bits': (bytes, random) => {
    const changed = Buffer.from(bytes)
    const count = 1 + below(random, 6)
    for (let flip = 0; flip < count; flip += 1) {
      const at = below(random, changed.length)
      changed[at] = (changed[at] ?? 0) ^ (1 << below(random, 8))
    }
    return changed
  },
  'other bytes': (bytes, random) => {
    const changed = Buffer.from(bytes)
    const { from } = block(bytes, random)
    const count = 1 + below(random, 8)
    for (let at = from; at < Math.min(from + count, changed.length); at += 1) changed[at] = below(random, 256)
    return changed
  },
  'an extreme number': (bytes, random) => {
    const changed = Buffer.from(bytes)
    const size = chosen(random, [1, 2, 4])
    const at = below(random, Math.max(1, changed.length - size))
    const value = chosen(random, extremes) % 256 ** size
    if (changed.length < size) return changed
    if (random() < 0.5) changed.writeUIntBE(value, at, size)
    else changed.writeUIntLE(value, at, size)
    return changed
  },
  'a number off by one': (bytes, random) => {
    const changed = Buffer.from(bytes)
    const at = below(random, changed.length)
    changed[at] = ((changed[at] ?? 0) + (random() < 0.5 ? 1 : 255)) % 256
    return changed
  },
  'a block put in': (bytes, random) => {
    const at = below(random, bytes.length)
    const fill = chosen(random, [0, 0xff, 0x20, below(random, 256)])
    const inserted = Buffer.alloc(1 + below(random, 40), fill)
    return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)])
  },
  'a block cut out': (bytes, random) => {
    const { from, to } = block(bytes, random)
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
  },
  'a block doubled': (bytes, random) => {
    const { from, to } = block(bytes, random)
    const at = below(random, bytes.length)
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(from, to), bytes.subarray(at)])
  },
  'a block over another': (bytes, random) => {
    const changed = Buffer.from(bytes)
    const { from, to } = block(bytes, random)
    bytes.copy(changed, below(random, bytes.length), from, to)
    return changed
  },
  'cut off': (bytes, random) => bytes.subarray(0, 1 + below(random, bytes.length)),
  'two halves of other cuts': (bytes, random) =>
    Buffer.concat([
      bytes.subarray(0, below(random, bytes.length)),
      bytes.subarray(below(random, bytes.length)),
    ]),
} as const satisfies Record<string, Mutation>

const parts: Readonly<Record<Seed['type'], (bytes: Buffer) => number[]>> = {
  png: (bytes) => {
    const starts: number[] = []
    for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) starts.push(at)
    return starts
  },
  jpeg: (bytes) =>
    startsOf(bytes, (at) => bytes[at] === 0xff && (bytes[at + 1] ?? 0) >= 0xc0 && bytes[at + 1] !== 0xff),
  gif: (bytes) => startsOf(bytes, (at) => bytes[at] === 0x2c || bytes[at] === 0x21),
  bmp: () => [14, 54],
}

function startsOf(bytes: Buffer, isStart: (at: number) => boolean): number[] {
  return Array.from(bytes.keys()).filter((at) => at >= 2 && isStart(at))
}

/** Chunks, segments or blocks reordered, duplicated or removed. */
function shuffleParts(bytes: Buffer, type: Seed['type'], random: Random): Buffer {
  const starts = parts[type](bytes)
  const [first = bytes.length] = starts
  const chunks = starts.map((start, index) => bytes.subarray(start, starts[index + 1] ?? bytes.length))
  const at = below(random, Math.max(1, chunks.length))
  const [taken = Buffer.alloc(0)] = random() < 0.7 ? chunks.splice(at, 1) : chunks.slice(at, at + 1)
  if (random() < 0.8) chunks.splice(below(random, chunks.length + 1), 0, taken)
  return Buffer.concat([bytes.subarray(0, first), ...chunks])
}

/** Otherwise nearly every damaged PNG would fail at a checksum, and later code would not be covered. */
function mendChecksums(png: Buffer): Buffer {
  const mended = Buffer.from(png)
  for (let at = 8; at + 12 <= mended.length;) {
    const end = at + 8 + mended.readUInt32BE(at)
    if (end + 4 > mended.length) break
    mended.writeUInt32BE(crc32(mended.subarray(at + 4, end)), end)
    at = end + 4
  }
  return mended
}

const names = Object.keys(mutations) as [keyof typeof mutations, ...(keyof typeof mutations)[]]

function mutate(seed: Seed, random: Random): Mutant {
  const done: string[] = []
  let bytes = seed.bytes
  const times = 1 + below(random, 3)
  for (let time = 0; time < times && bytes.length > 0; time += 1) {
    if (random() < 0.2) {
      done.push('other order')
      bytes = shuffleParts(bytes, seed.type, random)
    } else {
      const name = chosen(random, names)
      done.push(name)
      bytes = mutations[name](bytes, random)
    }
  }
  if (seed.type === 'png' && random() < 0.8) bytes = mendChecksums(bytes)
  return { name: `${seed.name}: ${done.join(', ')}`, type: seed.type, bytes }
}

/** This many mutants, cycling through the seeds. */
export function* makeMutants(seeds: readonly Seed[], count: number, randomSeed: number): Generator<Mutant> {
  const random = createRandom(randomSeed)
  for (let made = 0; made < count; made += 1) {
    const seed = seeds[made % seeds.length]
    if (seed !== undefined) yield mutate(seed, random)
  }
}
