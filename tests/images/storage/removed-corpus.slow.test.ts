// Real files and random mutations of them: each upload is rebuilt bit for bit from its size lg and the remainder.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Refusal } from '../../../src/errors.ts'
import { findRemoved, rebuild } from '../../../src/images/storage/removed-bytes.ts'
import { corpusAbsent, corpusUrl } from '../../helpers/corpus.ts'
import { inspect } from '../../helpers/imaging.ts'

const wanted = 10_000
const folders = ['found', 'gif', 'gps', 'bmp', 'pngsuite', 'orientation', 'jpeg-bad']

async function filesIn(folder: string): Promise<Buffer[]> {
  const place = fileURLToPath(corpusUrl(folder))
  const entries = await readdir(place, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return Promise.all(files.map(({ parentPath, name }) => readFile(path.join(parentPath, name))))
}

/** @returns size lg of an upload; undefined if it is refused. */
async function largeOf(upload: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    return (await inspect(upload)).large
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Pseudo-random numbers from 0 to 1 (mulberry32), the same in each run. */
function drawFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The file with some bytes changed, a range duplicated, or bytes appended. */
function mutant(file: Buffer, draw: () => number): Buffer {
  const place = (): number => Math.floor(draw() * file.length)
  const kind = Math.floor(draw() * 4)
  if (kind === 0) return Buffer.concat([file, file.subarray(place())])
  if (kind === 1) {
    const from = place()
    const to = from + Math.floor(draw() * 200)
    return Buffer.concat([file.subarray(0, to), file.subarray(from)])
  }
  const changed = Buffer.from(file)
  const count = 1 + Math.floor(draw() * (kind === 2 ? 1 : 6))
  for (let index = 0; index < count; index += 1) changed[place()] = Math.floor(draw() * 256)
  return changed
}

void test(
  '10,000 real and mutated files are rebuilt byte for byte, or stored whole',
  { skip: corpusAbsent ?? false },
  async (t) => {
    const real: Buffer[] = []
    let [rebuiltFiles, keptWhole] = [0, 0]

    async function judge(upload: Buffer): Promise<boolean> {
      const large = await largeOf(upload)
      if (large === undefined) return false
      const removed = findRemoved(upload, large)
      if (removed === undefined) keptWhole += 1
      else assert.ok(Buffer.concat(rebuild(large, removed)).equals(upload))
      rebuiltFiles += 1
      return true
    }

    for (const folder of folders)
      for (const file of await filesIn(folder)) if (await judge(file)) real.push(file)
    assert.ok(real.length > 200, `${real.length} real files`)
    assert.ok(keptWhole < real.length / 20, `${keptWhole} of ${real.length} real files are kept as they came`)
    const draw = drawFrom(23)
    for (let tries = 0; rebuiltFiles < wanted; tries += 1) {
      assert.ok(tries < 20 * wanted, `only ${rebuiltFiles} were not refused`)
      await judge(mutant(real[Math.floor(draw() * real.length)] ?? Buffer.alloc(0), draw))
    }
    t.diagnostic(`${rebuiltFiles} files, ${keptWhole} of them kept as they came`)
  },
)
