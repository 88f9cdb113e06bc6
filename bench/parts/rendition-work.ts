// Processes photos in its own process, a slice at a time: `node rendition-work.ts <work> <in flight> <photo…>`.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import sharp from 'sharp'
import { dhashOf } from '../../src/imaging/dhash.ts'
import { standardLimits } from '../../src/imaging/image-limits.ts'
import { inspect } from '../../src/imaging/inspect.ts'
import { createRenditions, inMemory } from '../../src/imaging/renditions.ts'
import { cutSmallSizes, encodePlain, makeBase } from '../../src/imaging/resize.ts'

/** Result of a slice. */
export interface Worked {
  readonly done: number
  readonly wallMs: number
}

/**
 * Processes one photo.
 * @throws Error if the result cannot be right.
 */
type Work = (photo: Uint8Array) => Promise<void>

const smallSizes = 4

/** sharp scales by ¼ while decoding only from five times the size on, where libjpeg's rounding does not matter. */
const bareSide = { width: 640, height: 480 } as const

async function decodeBare(photo: Uint8Array): Promise<void> {
  const image = sharp(photo, { sequentialRead: true }).resize({ ...bareSide, fit: 'fill', kernel: 'nearest' })
  const pixels = await image.raw().toBuffer()
  if (pixels.length !== bareSide.width * bareSide.height * 3) throw new Error('a bare decode gave no picture')
}

/** What an upload generates, without the source of WebP and without another process. */
async function makeJpegs(photo: Uint8Array): Promise<void> {
  const { large, source } = await inspect(photo, standardLimits)
  const base = await makeBase(source)
  const cuts = await cutSmallSizes(base)
  const made: Uint8Array[] = [large]
  for (const one of cuts) made.push((await encodePlain(one)).bytes)
  for (const bytes of made) createHash('sha256').update(bytes).digest('hex')
  if (made.length !== 1 + smallSizes || dhashOf(base).length !== 16) throw new Error('sizes are missing')
}

/** As on the server: one process per concurrent job, and a queue. */
function makeInPool(jobs: number, withWebp: boolean): Work {
  const { examine, makeWebp } = createRenditions({ limits: standardLimits, jobs, queue: 64, jobSeconds: 60 })
  return async (photo) => {
    const { renditions } = await examine(() => Promise.resolve(inMemory(photo)))
    const base = renditions.find(({ name }) => name === 'base.jpeg')
    if (renditions.length !== 1 + smallSizes + 1 || !base) throw new Error('renditions are missing')
    if (withWebp && (await makeWebp(base.bytes)).length !== smallSizes) throw new Error('WebP is missing')
  }
}

const [work = '', inFlight = '1', ...files] = process.argv.slice(2)
const jobs = Math.min(Number(inFlight), availableParallelism())
const works: Readonly<Record<string, Work>> = {
  bare: decodeBare,
  jpegs: makeJpegs,
  upload: makeInPool(jobs, false),
  all: makeInPool(jobs, true),
}
const chosen = works[work]
if (!chosen) throw new Error(`there is no work named ${work}`)
let next = 0

async function lane(until: number): Promise<number> {
  let done = 0
  do {
    const file = files[next % files.length] ?? ''
    next += 1
    await chosen?.(await readFile(file))
    done += 1
  } while (performance.now() < until)
  return done
}

async function workFor(ms: number): Promise<Worked> {
  const begun = performance.now()
  const done = await Promise.all(Array.from({ length: Number(inFlight) }, () => lane(begun + ms)))
  return { done: done.reduce((sum, one) => sum + one, 0), wallMs: performance.now() - begun }
}

process.on('message', (ms: number) => void workFor(ms).then((worked) => process.send?.(worked)))
process.on('disconnect', () => process.exit())
